package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/term"
)

// In 60 columns two seeds of a setting can still be told apart, and no line is longer.
func TestRunsListFits(t *testing.T) {
	_, flags := folders(t)
	for _, seed := range []string{"seed=1", "seed=9"} {
		var out output
		require.Equal(t, exitOK, call(t.Context(), &out, 0, false, append([]string{"run", "tme9-lstm-last", "epochs=1", "data.limit=30", "vectors=random", seed}, flags...)...), out.String())
	}
	var out output
	require.Equal(t, exitOK, call(t.Context(), &out, 60, false, append([]string{"runs", "list"}, flags...)...))
	require.Regexp(t, `(?m)^tme9-lstm-last/[0-9a-f]{12} .* 1 +\d+\.\d\d$`, out.String())
	require.Regexp(t, `(?m)^tme9-lstm-last/[0-9a-f]{12} .* 9 +\d+\.\d\d$`, out.String())
	for line := range strings.Lines(out.String()) {
		require.LessOrEqual(t, term.Width(strings.TrimSuffix(line, "\n")), 60, line)
	}
}
