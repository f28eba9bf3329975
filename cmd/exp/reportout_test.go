package main

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/term"
	"imdbexp/report/canvas"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// Figures that cannot be drawn are named, the others written.
func TestSaveFiguresGoesOn(t *testing.T) {
	dir, flags := folders(t)
	var out output
	require.Equal(t, exitOK, call(t.Context(), &out, 0, false, tiny(flags, "epochs=1")...), out.String())
	list, err := runs.List(dir)
	require.NoError(t, err)
	to := t.TempDir()
	good := figures.Of(list)[0]
	a := &app{io: term.New(&out, &out, 0, false)}
	err = a.saveFigures([]canvas.Figure{{Name: "first"}, good, {Name: "second"}}, to)
	require.ErrorContains(t, err, "first")
	require.ErrorContains(t, err, "second")
	written, err := os.ReadDir(to)
	require.NoError(t, err)
	require.Len(t, written, len(canvas.Formats), "the good one")
	require.Contains(t, out.String(), "wrote "+filepath.Join(to, good.Name+".png"))
}
