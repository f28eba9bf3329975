package main

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
)

func TestCheckModes(t *testing.T) {
	modes := []cli.Mode{
		{Takes: []string{"html", "best"}},
		{Flags: []string{"words"}, Takes: []string{"top"}},
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
		"words split":   "use --words or --split, not both",
		"words cols":    "use --words or --rows and --cols, not both",
		"format":        "--format needs --split",
		"out words":     "--out needs --split and --erase",
		"words html":    "use --words or --html, not both",
		"split html":    "use --split or --html, not both",
		"limit":         "--limit needs --erase",
		"trials":        "--trials needs --search random",
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
