package figures_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// withHeads is a finished run whose histograms tell layers and heads.
func withHeads(t *testing.T, layers, heads int, more ...string) *runs.Run {
	var s settings.Run
	var model struct {
		Pad bool `key:"slip.pad"`
	}
	set := must.Get(settings.New(&s, &model))(t)
	require.NoError(t, set.Apply("experiment", append(more, "epochs=3")...))
	c := runs.NewConfig("transformer", "transformer", 1, set, nil)
	c.Data, c.Classes = reporttest.Sample, []string{"neg", "pos"}
	w := must.Get(runs.Create(t.TempDir(), c, runs.Environment{}))(t)
	defer func() { require.NoError(t, w.Close()) }()
	for e := 1; e <= c.Epochs(); e++ {
		var histograms []runs.Histogram
		for l := range layers {
			for h := range heads {
				one := runs.NewHistogram(e, "test", []float32{1, 1.1, 2, float32(l + 1), 2 + float32(e)/2})
				one.Where = fmt.Sprintf("layer %d head %d", l+1, h+1)
				share := runs.NewShareHistogram(e, "test")
				share.Where = one.Where + " of log n"
				share.Add(0.5)
				histograms = append(histograms, one, share)
			}
		}
		require.NoError(t, w.Epoch(runs.Metrics{Epoch: e}, runs.Timing{Epoch: e}, histograms, &runs.Checkpoint{Epoch: e}, false))
	}
	require.NoError(t, w.Finish(reporttest.Guesses(20, 1)))
	run := must.Get(runs.Open(w.Path()))(t)
	return run
}

// Of many heads the first layers are shown, each whole and in its place, and the
// caption says so.
func TestHeadsOfMany(t *testing.T) {
	for _, c := range []struct {
		layers, heads int
		first, not    string // the last head that is there, and the next that is not
		caption       string
	}{
		{13, 4, "layer 12 head 4", "layer 13 head 1", " · the first 12 of 13 layers · "},
		{2, 30, "layer 1 head 30", "layer 2 head 1", " · the first 1 of 2 layers · "},
		{1, 50, "layer 1 head 48", "layer 1 head 49", " · the first 48 of 50 heads · "},
	} {
		run := withHeads(t, c.layers, c.heads)
		f := reporttest.Named(t, figures.Smoothed(0).Of([]*runs.Run{run}), "heads-transformer-adam-default-"+run.Config.ID[:8])
		assert.Contains(t, f.Caption, c.caption)
		svg := must.Get(f.Inline())(t)
		assert.Contains(t, svg, ">"+c.first+"</text>")
		assert.NotContains(t, svg, ">"+c.not+"</text>")
	}
}

// Of self-attention each layer and head has its own ridges.
func TestHeads(t *testing.T) {
	for _, c := range []struct{ layers, heads int }{{1, 1}, {3, 1}, {2, 5}} {
		run := withHeads(t, c.layers, c.heads)
		f := reporttest.Named(t, figures.Smoothed(0).Of([]*runs.Run{run}), "heads-transformer-adam-default-"+run.Config.ID[:8])
		svg := must.Get(f.Inline())(t)
		for l := range c.layers {
			for h := range c.heads {
				assert.Contains(t, svg, fmt.Sprintf(">layer %d head %d</text>", l+1, h+1))
			}
		}
		if c.layers == 2 {
			f.Name = "heads"
			reporttest.SamePicture(t, reporttest.AnyCaption(f), reporttest.SmallPicture)
		}
	}
}
