package main

import (
	"fmt"
	"io"
	"strings"
)

const head = `# Licences

exp itself is under the MIT licence. These are the modules that it is built and
tested with, written by

    go run ./scripts/licences > docs/licences.md

from ` + "`go list`" + ` for the four platforms of a release and the module cache; a test
fails when a module is missing here or has another version. What is linked into exp
comes with its licence in each release (` + "`LICENCES.txt`" + `, by the flag ` + "`-texts`" + `);
the rest is used by tests and generators alone. A module with several licences has
parts under each of them; FTL and GPL-2.0 of freetype are a choice, and it is the
FTL that is chosen here.

No data set is part of this repository or of a release: the sample is written by a
grammar of its own, and IMDB and GloVe are fetched from their authors.

| module | version | licence | where |
| --- | --- | --- | --- |
`

// writeList writes docs/licences.md. The version of Go is that of the release, and
// left out.
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

// writeTexts writes the licences of what is linked into exp.
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
