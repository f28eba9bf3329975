// Command embed builds the program of the page, from the root of the repository, into the folder that
// a build of exp with -tags page embeds.
package main

import (
	"context"
	"errors"
	"log"
	"os"

	"imdbexp/cmd/exp/internal/web/offline"
)

func main() {
	const dir = "cmd/exp/internal/web/offline/built/"
	p, err := offline.Build(context.Background(), ".")
	if err == nil {
		err = errors.Join(os.MkdirAll(dir, 0o777), os.WriteFile(dir+offline.WasmFile, p.Wasm, 0o666), os.WriteFile(dir+offline.ScriptFile, p.Script, 0o666))
	}
	if err != nil {
		log.Fatal("embed: ", err)
	}
}
