package report_test

import (
	"io"
	"math"
	"regexp"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg/draw"
	"pgregory.net/rapid"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// Whatever a run folder holds, a figure is drawn or an error returned.
func TestAnythingCanBeDrawn(t *testing.T) {
	writes := func(t *rapid.T, f canvas.Figure) {
		require.NoError(t, f.Write(io.Discard, "svg", reporttest.SmallPicture))
		_, err := f.Inline()
		require.NoError(t, err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		split := rapid.SampledFrom([]string{"train", "test", "valid", "other"}).Draw(rt, "split")
		c := chart.Curve{Line: func(s canvas.Style) draw.LineStyle { return s.Split(split) }}
		for e := range rapid.IntRange(1, 4).Draw(rt, "epochs") {
			y, sd := rapid.Float64().Draw(rt, "value"), math.Abs(rapid.Float64().Draw(rt, "sd"))
			c.Points = append(c.Points, chart.Point{X: float64(e + 1), Y: y, Low: y - sd, High: y + sd})
		}
		if c.Points = chart.Drawable(c.Points); len(c.Points) > 0 {
			p := chart.LinePanel{Title: "loss", Curves: []chart.Curve{c}, Epochs: true}
			writes(rt, canvas.Figure{Title: "any", Panels: func(s canvas.Style) []*plot.Plot { return []*plot.Plot{p.Draw(s)} }})
		}

		h := runs.Histogram{Epoch: 1, Split: "test", Lo: rapid.Float64Range(-10, 10).Draw(rt, "low"), Step: rapid.Float64Range(1e-6, 1e6).Draw(rt, "step")}
		for range rapid.IntRange(1, 20).Draw(rt, "bins") {
			h.Counts = append(h.Counts, rapid.IntRange(0, 1000).Draw(rt, "count"))
		}
		h.Counts[0]++
		data := reporttest.IMDB
		data.Test.Reviews, data.Test.Words = 1, int(math.Exp(rapid.Float64Range(-1, 20).Draw(rt, "uniform")))
		run := reporttest.Run{Name: "tme9-simple", Data: data, Epochs: 1, Unfinished: true, Entropies: []runs.Histogram{h}}.New(t)
		writes(rt, figureOf(t, run, "entropy|figure-16"))
	})
}

// figureOf draws the figure of a run whose name begins with kind, a regular expression.
func figureOf(t *testing.T, run *runs.Run, kind string) canvas.Figure {
	t.Helper()
	var names []string
	for _, f := range figures.Smoothed(0).Of([]*runs.Run{run}) {
		if regexp.MustCompile("^(" + kind + ")-").MatchString(f.Name) {
			return f
		}
		names = append(names, f.Name)
	}
	require.Fail(t, "no figure "+kind, "there are %q", names)
	return canvas.Figure{}
}
