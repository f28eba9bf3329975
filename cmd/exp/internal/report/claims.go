package report

import (
	"fmt"
	"slices"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/compare"
	"imdbexp/report"
	"imdbexp/runs"
)

// showClaims prints the published report's sentences as checks on the runs, in one of
// compareFormats.
func showClaims(a *cli.App, list []*runs.Run, format string) error {
	if !slices.Contains(compare.Formats, format) {
		return cli.Usage(fmt.Errorf("--format %s: claims have %s", format, cli.OneOf(compare.Formats)))
	}
	claims, err := report.CheckClaims(list)
	a.Warn(err) // the others are good
	return compare.Print(a.IO, format, report.Shown{Claims: claims, Command: a.Command})
}
