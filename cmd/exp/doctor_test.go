package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
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

// A file system whose locks keep nobody out is found.
func TestLocks(t *testing.T) {
	require.NoError(t, locks(t.TempDir(), fsx.Acquire))
	n := 0
	require.ErrorIs(t, locks(t.TempDir(), func(path string) (*fsx.Lock, error) {
		n++
		return fsx.Acquire(fmt.Sprint(path, n)) // another file each time
	}), errNoLocks)
	full := errors.New("no space left on device")
	defer fsx.Inject(func(fsx.Op) error { return full })()
	require.ErrorIs(t, locks(t.TempDir(), fsx.Acquire), full)
}
