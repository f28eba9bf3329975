package main

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
)

func TestEnding(t *testing.T) {
	for path, want := range map[string]string{
		"":            "",
		"-":           "",
		"page":        "", // nothing is said of what it holds
		"a.b/page":    "",
		"page.html":   "",
		"PAGE.HTM":    "",
		"page-0.5":    "", // a number
		"page.":       "",
		"page.png":    "--html page.png: use the extension .html or .htm, or none",
		"page.html.x": "--html page.html.x: use the extension .html or .htm, or none",
	} {
		err := cli.Ending("html", path, ".html", ".htm")
		if want == "" {
			require.NoError(t, err, path)
			continue
		}
		require.EqualError(t, err, want)
		require.ErrorAs(t, err, new(cli.UsageError), "exit code 2")
	}
}
