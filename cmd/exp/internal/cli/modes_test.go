package cli_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
)

func TestCheckModes(t *testing.T) {
	modes := []cli.Mode{
		{Takes: []string{"html", "best"}, Lacks: map[string]string{"limit": "draws what --erase shows"}},
		{Flags: []string{"words"}, Takes: []string{"top"}, Lacks: map[string]string{"html": "has no page"}},
		{Flags: []string{"split"}, Takes: []string{"format", "out"}},
		{Flags: []string{"erase"}, Takes: []string{"out", "limit"}},
		{Flags: []string{"rows", "cols"}},
		{Flags: []string{"search"}, Name: "--search random", Takes: []string{"trials"}},
	}
	for flags, want := range map[string]string{
		"":              "",
		"html best":     "",
		"free split":    "",
		"erase out":     "",
		"rows cols":     "",
		"words split":   "--words and --split: one of them",
		"words cols":    "--words and --rows and --cols: one of them",
		"format":        "--format is of --split",
		"out words":     "--out is of --split and --erase",
		"words html":    "--words has no page: leave out --html",
		"split html":    "--split and --html: one of them",
		"limit":         "--limit draws what --erase shows",
		"trials":        "--trials is of --search random",
		"search trials": "",
	} {
		err := cli.CheckModes(func(f string) bool { return slices.Contains(strings.Fields(flags), f) }, modes)
		if want == "" {
			require.NoError(t, err, flags)
			continue
		}
		require.EqualError(t, err, want, flags)
	}
}
