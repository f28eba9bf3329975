package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/term"
)

// A narrow terminal gets findings beneath each other, with colour only where
// something is wrong.
func TestDoctorOnTerminal(t *testing.T) {
	out := &output{}
	dir := t.TempDir()
	require.Equal(t, exitOK, call(t.Context(), out, 60, true, "doctor", "--quick", "--data-dir", dir, "--runs", dir))
	text := out.String()
	for line := range strings.SplitSeq(strings.TrimSpace(text), "\n") {
		if !strings.Contains(line, dir) && !strings.Contains(line, "--data-dir") { // a path is not broken
			require.LessOrEqual(t, term.Width(line), 60, "%q", line)
		}
		require.Equal(t, strings.Contains(line, "warn "), strings.Contains(line, "\x1b[1m"), "%q", line)
	}
	require.Contains(t, text, "\nok    kernels ")
	require.Contains(t, text, "\n\x1b[1mwarn \x1b[0m data ")
}
