// Command licences lists the modules that exp is built and tested with, and their
// licences, from the module cache:
//
//	go run ./scripts/licences > docs/licences.md
//	go run ./scripts/licences -texts > LICENCES.txt
//
// The second command writes the texts of the licences of the linked modules. They must accompany
// a binary.
package main

import (
	"bufio"
	"flag"
	"fmt"
	"os"
)

func main() {
	texts := flag.Bool("texts", false, "write the texts of the licences of the modules linked into exp")
	flag.Parse()
	if err := run(*texts); err != nil {
		fmt.Fprintln(os.Stderr, "licences:", err)
		os.Exit(1)
	}
}

func run(texts bool) error {
	list, err := modules()
	if err != nil {
		return err
	}
	out := bufio.NewWriter(os.Stdout)
	if texts {
		err = writeTexts(out, list)
	} else {
		err = writeList(out, list)
	}
	if err != nil {
		return err
	}
	return out.Flush()
}
