package figures

import (
	"io"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot"
	"pgregory.net/rapid"

	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/runs"
)

// Whatever a run folder holds, a figure is drawn or an error returned.
func TestAnythingCanBeDrawn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		c := line{look: splitLook(rapid.SampledFrom([]string{"train", "test", "valid", "other"}).Draw(t, "split"))}
		for e := range rapid.IntRange(1, 4).Draw(t, "epochs") {
			y, sd := rapid.Float64().Draw(t, "value"), math.Abs(rapid.Float64().Draw(t, "sd"))
			c.points = append(c.points, point{float64(e + 1), y, y - sd, y + sd, rapid.IntRange(1, 2).Draw(t, "seeds")})
		}
		c.points = drawable(c.points)
		step := rapid.Float64Range(1e-6, 1e6).Draw(t, "step")
		r := ridge{epoch: 1, low: rapid.Float64Range(-10, 10).Draw(t, "low"), step: step}
		for range rapid.IntRange(1, 20).Draw(t, "bins") {
			r.counts = append(r.counts, float64(rapid.IntRange(0, 1000).Draw(t, "count")))
		}
		r.counts[0]++
		uniform := rapid.Float64Range(-1, 20).Draw(t, "uniform")
		f := canvas.Figure{Title: "any", Panels: func(s canvas.Style) []*plot.Plot {
			high := r.low + step*float64(len(r.counts))
			b := ridgePanel{title: "test", colour: canvas.Blue, ridges: []ridge{r}, peak: 1, high: math.Ceil(max(high, 0) + 0.2), uniform: uniform}.Draw(s)
			panels := []*plot.Plot{b}
			if p := (linePanel{title: "loss", lines: []line{c}, epochs: true}); len(c.points) > 0 {
				panels = append(panels, p.Draw(s))
			}
			return panels
		}}
		require.NoError(t, f.Write(io.Discard, "svg", canvas.Column))
		_, err := f.Inline()
		require.NoError(t, err)
	})
}

// A run at chance, and one epoch of a good one, once had axes of 0.6928 to 0.6938 and of
// 68.1599990.
func TestAxisSpansSomething(t *testing.T) {
	half, third := slices.Repeat([]float64{0.5}, 2), slices.Repeat([]float64{1. / 3}, 3)
	loss := lossScale(half).axis(ends{0.6929, 0.6937})
	assert.InDelta(t, 0.1, loss.span(), 0.01)
	assert.True(t, loss.low < math.Ln2 && math.Ln2 < loss.high)
	one := accuracyScale(half).axis(ends{68.16, 68.16})
	assert.InDelta(t, 10.8, one.span(), 1e-9)
	assert.Equal(t, ends{99, 100}.with(ends{90, 100}), accuracyScale(half).alone(ends{99, 100}), "nothing above 100")
	assert.Equal(t, ends{0, 0.1}, lossScale(half).alone(ends{0.001, 0.002}), "nothing below 0")
	assert.Equal(t, "chance, 33.3 %", accuracyScale(third).named)
	assert.Equal(t, "chance, ln 3", lossScale(third).named)
	assert.Zero(t, accuracyScale([]float64{1}).chance)
	assert.Equal(t, "largest class of test, 54.12 %", accuracyScale([]float64{0.4588, 0.5412}).named, "the classes are unequal")
	assert.InDelta(t, 0.5004, lossScale([]float64{0.2, 0.8}).chance, 1e-4)
	assert.Equal(t, ends{82, 97}, accuracyScale(half).alone(ends{82, 97}), "chance is far away")
}

// One axis serves all panels of a kind, the short ones grown as they would be alone; not
// beside one so long that they would be flat.
func TestJointScale(t *testing.T) {
	s := scale{least: 10, top: 100}
	axis, serves := s.joint([]ends{{88, 92}, {84, 86}, {82, 84}})
	require.True(t, serves)
	require.InDelta(t, 78-0.04*17, axis.low, 1e-9)
	require.InDelta(t, 95+0.04*17, axis.high, 1e-9)
	_, serves = scale{}.joint([]ends{{0, 1}, {0, wide + 1}})
	require.False(t, serves)
}

// Labels that would be printed over each other are left out, sooner in narrower panels.
func TestLabelsHaveRoom(t *testing.T) {
	all := []float64{0.000127, 0.000383, 0.00129, 0.00384}
	for columns, want := range [][]string{1: {"0.000127", "0.000383", "0.00129", "0.00384"}, 3: {"0.000127", "", "0.00129", ""}} {
		if want != nil {
			labels := report.Each(thinTicks{valueTicks(all, true), columns}.Ticks(-4, -2.3), func(t plot.Tick) string { return t.Label })
			assert.Equal(t, want, labels)
		}
	}
}

// OfRun draws one kind of figure of one run, without a number; false when the run has nothing for it.
func OfRun(run *runs.Run, name string) (canvas.Figure, bool) {
	i := slices.IndexFunc(registry, func(k *kind) bool { return k.name == name && k.one != nil })
	return Smoothed(0).drawings([]*runs.Run{run})[0].figure(registry[i], 0)
}
