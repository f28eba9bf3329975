// Command embed builds inference for browsers, from the root of the repository, into the
// folder that a build of exp with -tags page takes in.
package main

import (
	"context"
	"fmt"
	"os"

	"imdbexp/cmd/exp/internal/handout"
)

func main() {
	p, err := handout.Build(context.Background(), ".")
	if err == nil {
		err = p.Save("cmd/exp/internal/handout/built")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "embed:", err)
		os.Exit(1)
	}
}
