package report

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/term"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

// Figures that cannot be drawn are named, the others written.
func TestSaveFiguresGoesOn(t *testing.T) {
	var out strings.Builder
	to := t.TempDir()
	good, err := chart.Sweep{Name: "good", X: []float64{1, 2}, Y: []float64{2, 1}, Suggested: 1, Set: 1}.Figure()
	require.NoError(t, err)
	a := &cli.App{IO: term.New(&out, &out, 0, false)}
	err = saveFigures(a.IO, []canvas.Figure{{Name: "first"}, good, {Name: "second"}}, to)
	require.ErrorContains(t, err, "first")
	require.ErrorContains(t, err, "second")
	written, err := os.ReadDir(to)
	require.NoError(t, err)
	require.Len(t, written, len(canvas.Formats), "the good one")
	require.Contains(t, out.String(), "wrote "+filepath.Join(to, good.Name+".png"))
}
