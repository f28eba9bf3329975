package figures_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// One figure of a run is the one among all of its figures.
func TestRunFigure(t *testing.T) {
	run := reporttest.Run{Name: "tme9-additive", Variant: "default", Data: reporttest.IMDB}.Add(t, t.TempDir())
	all := figures.Of([]*runs.Run{run})
	for kind, ending := range map[string]string{"curves": "loss and accuracy", "entropy": "entropy of the attention"} {
		i := slices.IndexFunc(all, func(f canvas.Figure) bool { return strings.HasSuffix(f.Title, ending) })
		require.GreaterOrEqual(t, i, 0)
		f, ok := figures.OfRun(run, kind)
		require.True(t, ok, kind)
		got, err := f.Inline()
		require.NoError(t, err)
		want, err := all[i].Inline()
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, ok := figures.OfRun(run, "pie")
	assert.False(t, ok)
	without := reporttest.Run{Name: "tme9-mean", Variant: "default", Data: reporttest.IMDB, NoEntropy: true}.Add(t, t.TempDir())
	_, ok = figures.OfRun(without, "entropy")
	assert.False(t, ok)
}
