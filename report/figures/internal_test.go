package figures

import (
	"io"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"pgregory.net/rapid"

	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/runs"
)

// Whatever a run folder holds, a figure is drawn or an error returned.
func TestAnythingCanBeDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := chart.Curve{Look: splitLook(rapid.SampledFrom([]string{"train", "test", "valid", "other"}).Draw(t, "split"))}
		for e := range rapid.IntRange(1, 4).Draw(t, "epochs") {
			y, sd := rapid.Float64().Draw(t, "value"), math.Abs(rapid.Float64().Draw(t, "sd"))
			c.Points = append(c.Points, chart.Point{X: float64(e + 1), Y: y, Low: y - sd, High: y + sd})
		}
		c.Points = chart.Drawable(c.Points)
		step := rapid.Float64Range(1e-6, 1e6).Draw(t, "step")
		r := runs.Histogram{Epoch: 1, Lo: rapid.Float64Range(-10, 10).Draw(t, "low"), Step: step}
		for range rapid.IntRange(1, 20).Draw(t, "bins") {
			r.Counts = append(r.Counts, rapid.IntRange(0, 1000).Draw(t, "count"))
		}
		r.Counts[0]++
		uniform := rapid.Float64Range(-1, 20).Draw(t, "uniform")
		f := canvas.Figure{Title: "any", Panels: func(s canvas.Style) []*plot.Plot {
			high := r.Lo + step*float64(len(r.Counts))
			b := ridgePanel{title: "test", colour: canvas.Blue, ridges: []runs.Histogram{r}, peak: 1, high: math.Ceil(max(high, 0) + 0.2), uniform: uniform}.Draw(s)
			panels := []*plot.Plot{b}
			if p := (chart.LinePanel{Title: "loss", Curves: []chart.Curve{c}, Epochs: true}); len(c.Points) > 0 {
				panels = append(panels, p.Draw(s))
			}
			return panels
		}}
		require.NoError(t, f.Write(io.Discard, "svg", canvas.Column))
		_, err := f.Inline()
		require.NoError(t, err)
	})
}

// OfRun draws one kind of figure of one run, without a number; false when the run has nothing for it.
func OfRun(run *runs.Run, name string) (canvas.Figure, bool) {
	i := slices.IndexFunc(registry, func(k *kind) bool { return k.name == name && k.one != nil })
	return Smoothed(0).drawings([]*runs.Run{run})[0].figure(registry[i], 0)
}
