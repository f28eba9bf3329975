package main

import (
	"fmt"
	"slices"

	"imdbexp/report/claims"
	"imdbexp/runs"
)

// claims prints the published report's sentences as checks on the runs, in one of
// compareFormats.
func (a *app) claims(list []*runs.Run, format string) error {
	if !slices.Contains(compareFormats, format) {
		return usage(fmt.Errorf("--format %s: claims have %s", format, oneOf(compareFormats)))
	}
	checked, err := claims.Check(list)
	a.warn(err) // the others are good
	return a.inFormat(format, claims.Shown{Claims: checked, Command: a.command})
}
