package main

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/guard"
	"imdbexp/internal/simd"
	"imdbexp/internal/term"
)

// A mistake of this program ends a command with an error that says what to do,
// and not the process with a trace.
func TestPanicBecomesError(t *testing.T) {
	err := guard.Call(func() error {
		simd.Add(make([]float32, 2), make([]float32, 3))
		return nil
	})
	require.ErrorContains(t, err, "internal error: simd.Add: length 3 beside 2")
	require.ErrorContains(t, err, "exit_test.go", "where")
	var errs strings.Builder
	a := &cli.App{IO: term.New(&strings.Builder{}, &errs, 0, false)}
	require.Equal(t, exitFailed, exit(t.Context(), a, err))
	require.Contains(t, errs.String(), "please report it")
}
