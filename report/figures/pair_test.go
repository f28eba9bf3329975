package figures_test

import (
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"

	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// scaled makes a run with or without the scale.
func scaled(t *testing.T, dir string, epochs int, metrics func(e float64, m *runs.Metrics), assignments ...string) *runs.Run {
	t.Helper()
	var s settings.Run
	var model struct {
		Scale string `key:"scale" default:"sqrt_k" help:"of the scores"`
	}
	set := must.Get(settings.New(&s, &model))(t)
	require.NoError(t, set.Apply("command line", append([]string{"epochs=5"}, assignments...)...))
	c := runs.NewConfig("tme10-self", "self", 1, set, map[string]string{"data": "da7a"})
	c.Data, c.Classes = reporttest.IMDB, []string{"neg", "pos"}
	w := must.Get(runs.Create(dir, c, runs.Environment{Started: time.Unix(1_800_000_000, 0)}))(t)
	for e := 1; e <= epochs; e++ {
		m := runs.Metrics{Epoch: e, TrainLoss: runs.Number(0.5), TrainAcc: runs.Number(80), TestLoss: runs.Number(0.5), TestAcc: runs.Number(80)}
		metrics(float64(e), &m)
		require.NoError(t, w.Epoch(m, runs.Timing{Epoch: e, Seconds: 1, Words: 1}, nil, &runs.Checkpoint{Epoch: e}, false))
	}
	require.NoError(t, w.Close())
	run := must.Get(runs.Open(w.Path()))(t)
	return run
}

func smooth(e float64, m *runs.Metrics) {
	m.TrainEntropy, m.TestEntropy, m.GradNorm = runs.Number(5-0.05*e), runs.Number(4.9-0.05*e), runs.Number(0.5/e)
}

func steep(e float64, m *runs.Metrics) {
	m.TrainEntropy, m.TestEntropy, m.GradNorm = runs.Number(2-0.2*e), runs.Number(1.9-0.2*e), runs.Number(20*e)
}

func TestPairGolden(t *testing.T) {
	dir := t.TempDir()
	f := must.Get(figures.Pair("scale", scaled(t, dir, 5, smooth), scaled(t, dir, 5, steep, "scale=none")))(t)
	assert.Equal(t, "tme10-self with scale=sqrt_k and scale=none", f.Title)
	assert.Equal(t, "scale-tme10-self", f.Name)
	assert.NotContains(t, f.Caption, "differ")
	f.Name, f.Caption = "pair", "caption" // the caption names IDs: not part of the look
	reporttest.SamePicture(t, f, canvas.Size{Width: 14 * vg.Centimeter, Height: 5 * vg.Centimeter, DPI: 80})
}

// Runs of one epoch, with other settings apart, or without
// one of the numbers are drawn, and the caption says what else differs.
func TestPairUneven(t *testing.T) {
	dir := t.TempDir()
	noNorm := func(e float64, m *runs.Metrics) { smooth(e, m); m.GradNorm = nil }
	f := must.Get(figures.Pair("scale", scaled(t, dir, 1, noNorm), scaled(t, dir, 1, noNorm, "scale=none", "lr=0.1", "seed=3")))(t)
	assert.Contains(t, f.Caption, "they also differ in seed, lr")
	assert.Contains(t, f.Caption, "1 of 5 epochs")
	for _, format := range canvas.Formats {
		require.NoError(t, f.Write(io.Discard, format, canvas.Column))
	}
}
