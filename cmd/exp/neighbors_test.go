package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestNeighborsOnTerminal(t *testing.T) {
	t.Setenv("EXP_DATA", t.TempDir())
	file := filepath.Join(t.TempDir(), "own.vec")
	require.NoError(t, os.WriteFile(file, []byte("good 1 2 0 0 0 0 0 0 0 0\nfine 1 1 0 0 0 0 0 0 0 0\nbad -1 -2 0 0 0 0 0 0 0 0\n"), 0o666))
	var out output
	require.Equal(t, exitOK, call(t.Context(), &out, 80, false, "data", "neighbors", file, "good", "fine", "+", "bad"), out.String())
	require.Contains(t, escape.ReplaceAllString(out.String(), ""), file+`: 3 words, 10 dimensions

good
   cosine  word
   0.9487  fine
  −1.0000  bad

fine + bad
   cosine  word
  −0.1602  good
`)
}
