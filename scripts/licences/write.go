package main

import (
	"fmt"
	"io"
	"strings"
)

const head = `# Licences

exp itself is under the MIT licence. This table lists the modules that it is built and tested
with. It is written by

    go run ./scripts/licences > docs/licences.md

from the output of ` + "`go list`" + ` for the four platforms of a release, and from the module cache. A test
fails when a module is missing here or has another version. Each release contains the licences of
the linked modules (` + "`LICENCES.txt`" + `, written with ` + "`-texts`" + `). The other modules are used by tests and
generators only. A module with several licences has parts under each of them. freetype offers a
choice between FTL and GPL-2.0; exp uses it under the FTL.

This repository and its releases contain no external data: a grammar wrote the sample, and IMDB and
GloVe are fetched from their authors.

| module | version | licence | where |
| --- | --- | --- | --- |
`

// writeList writes docs/licences.md. It omits the version of Go, which the release determines.
func writeList(w io.Writer, list []*module) error {
	if _, err := io.WriteString(w, head); err != nil {
		return err
	}
	for i, m := range list {
		version, where := m.version, "tests"
		if m.linked {
			where = "exp"
		}
		if i == 0 {
			version = "–"
		}
		if _, err := fmt.Fprintf(w, "| %s | %s | %s | %s |\n", m.path, version, strings.Join(m.ids(), ", "), where); err != nil {
			return err
		}
	}
	return nil
}

// writeTexts writes the licences of the modules linked into exp.
func writeTexts(w io.Writer, list []*module) error {
	fmt.Fprintln(w, "exp is built from the following, each under the licences that stand below it.")
	for _, m := range list {
		if !m.linked {
			continue
		}
		for _, f := range m.files {
			if _, err := fmt.Fprintf(w, "\n%s\n%s %s, %s\n\n%s\n", strings.Repeat("=", 80), m.path, m.version, f.name, strings.TrimSpace(f.text)); err != nil {
				return err
			}
		}
	}
	return nil
}
