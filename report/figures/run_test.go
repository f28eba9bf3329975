package report_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/report"
	"imdbexp/runs"
)

// One figure of a run is the one among all of its figures.
func TestRunFigure(t *testing.T) {
	run := made{name: "tme9-additive", variant: "default", data: imdb}.add(t, t.TempDir())
	all := report.Figures([]*runs.Run{run})
	for kind, ending := range map[string]string{"curves": "loss and accuracy", "entropy": "entropy of the attention"} {
		i := slices.IndexFunc(all, func(f report.Figure) bool { return strings.HasSuffix(f.Title, ending) })
		require.GreaterOrEqual(t, i, 0)
		f, ok := report.RunFigure(run, kind)
		require.True(t, ok, kind)
		got, err := f.Inline()
		require.NoError(t, err)
		want, err := all[i].Inline()
		require.NoError(t, err)
		assert.Equal(t, want, got)
	}
	_, ok := report.RunFigure(run, "pie")
	assert.False(t, ok)
	without := made{name: "tme9-mean", variant: "default", data: imdb, noEntropy: true}.add(t, t.TempDir())
	_, ok = report.RunFigure(without, "entropy")
	assert.False(t, ok)
}

// A figure that stands by itself differs in its style sheet alone.
func TestStandalone(t *testing.T) {
	run := made{name: "tme9-lstm", variant: "default", data: imdb}.add(t, t.TempDir())
	f, ok := report.RunFigure(run, "curves")
	require.True(t, ok)
	inline, err := f.Inline()
	require.NoError(t, err)
	alone, err := f.Standalone()
	require.NoError(t, err)
	from, to := strings.Index(alone, "<style>"), strings.Index(alone, "</style>\n")
	require.Positive(t, from)
	assert.Contains(t, alone[from:to], report.FigureCSS())
	assert.Equal(t, inline, alone[:from]+alone[to+len("</style>\n"):])
	checkInline(t, alone, map[string]bool{})
}
