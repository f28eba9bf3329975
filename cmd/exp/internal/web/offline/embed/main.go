// Command embed builds the program of the page, from the root of the repository, into the folder that
// a build of exp with -tags page embeds.
package main

import (
	"context"
	"os"

	"imdbexp/cmd/exp/internal/web/offline"
	"imdbexp/internal/term"
)

func main() {
	p, err := offline.Build(context.Background(), ".")
	if err == nil {
		err = p.Save("cmd/exp/internal/web/offline/built")
	}
	if err != nil {
		term.System().Complain("embed: " + err.Error())
		os.Exit(1)
	}
}
