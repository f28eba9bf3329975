package figures_test

import (
	"math"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// Before there are predictions nothing tells how long the reviews are but their mean.
func TestUniformOfUnfinished(t *testing.T) {
	m := reporttest.Run{Name: "tme9-simple", Variant: "default", Data: reporttest.IMDB, Epochs: 1, Unfinished: true}
	run := m.Add(t, t.TempDir())
	u := report.UniformOf(run)
	assert.Equal(t, "mean", u.At)
	assert.InDelta(t, math.Log(228), u.Nats, 1e-9)
	f, ok := figures.OfRun(run, "entropy")
	require.True(t, ok)
	assert.Contains(t, f.Caption, "and log n of the mean length of the test reviews")
}

// Where padding takes part, attention chooses among more than a review's words: no
// line may say that more than log n of them is more than uniform.
func TestPaddingHasNoUniform(t *testing.T) {
	for _, c := range []struct {
		pad    string
		marked int
		told   string
	}{{"false", 2, "and log n of the median length of the test reviews"}, {"true", 0, "padding takes part"}} {
		run := withHeads(t, 1, 2, "slip.pad="+c.pad)
		f := reporttest.Named(t, figures.Smoothed(0).Of([]*runs.Run{run}), "heads-transformer-adam-default-"+run.Config.ID[:8])
		assert.Contains(t, f.Caption, c.told)
		svg, err := f.Inline()
		require.NoError(t, err)
		assert.Equal(t, c.marked, strings.Count(svg, ">uniform")+strings.Count(svg, ">log n"))
	}
}
