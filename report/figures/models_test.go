package report_test

import (
	"fmt"
	"io"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"

	"imdbexp/internal/settings"
	"imdbexp/report"
	"imdbexp/runs"
)

// guesses are predictions of n reviews by a model that is less often right the
// longer the review, and the more sure the larger sharp is.
func guesses(n int, sharp float64) *runs.Predictions {
	random := rand.New(rand.NewPCG(1, 2))
	p := &runs.Predictions{Classes: []string{"neg", "pos"}}
	for i := range n {
		words := 10 + random.IntN(500)
		sure := 0.5 + 0.5*min(1, sharp*random.Float64()/4)
		r := runs.Prediction{Review: fmt.Sprint(i), Label: i % 2, Predicted: i % 2, Words: words}
		if random.Float64() > 0.9-float64(words)/1500 {
			r.Predicted = 1 - r.Label
		}
		r.P = make([]float32, 2)
		r.P[r.Predicted], r.P[1-r.Predicted] = float32(sure), float32(1-sure)
		p.Rows = append(p.Rows, r)
	}
	return p
}

// models are finished runs with predictions, two variants and optimizers.
func models(t *testing.T) []*runs.Run {
	dir := t.TempDir()
	var list []*runs.Run
	for i, name := range []string{"tme9-mean", "tme9-lstm", "tme9-lstm-last"} {
		for k, variant := range []string{"original", "default"} {
			m := made{
				name: name, variant: variant, set: []string{"slip.whitespace=" + fmt.Sprint(k == 0)}, data: imdb,
				test: []float64{70 + 5*float64(i+k)}, predictions: guesses(400, float64(1+i+k)),
			}
			if name == "tme9-lstm" {
				m.published = lstm
				second := m
				second.set = append([]string{"seed=2"}, m.set...)
				second.test = []float64{m.test[0] + 1.5}
				list = append(list, second.add(t, dir))
			}
			list = append(list, m.add(t, dir))
		}
	}
	return list
}

// named returns the figure of that name.
func named(t *testing.T, figures []report.Figure, name string) report.Figure {
	t.Helper()
	var names []string
	for _, f := range figures {
		if f.Name == name {
			return f
		}
		names = append(names, f.Name)
	}
	require.Fail(t, "no figure "+name, "there are %v", names)
	return report.Figure{}
}

func TestGoldenModels(t *testing.T) {
	figures := report.Figures(models(t))
	for name, height := range map[string]vg.Length{"comparison-imdb": 5, "calibration-imdb": 7, "length-imdb-states": 6} {
		size := report.Size{Width: 12 * vg.Centimeter, Height: height * vg.Centimeter, DPI: 80}
		samePicture(t, anyCaption(named(t, figures, name)), size)
	}
}

func TestFiguresOfModelsNameTheirRuns(t *testing.T) {
	list := models(t)
	figures := report.Figures(list)
	calibration, length := named(t, figures, "calibration-imdb"), named(t, figures, "length-imdb-states")
	for _, r := range list {
		first := r.Config.Seed() == 1
		assert.Equal(t, first, strings.Contains(calibration.Caption, r.Config.ID[:8]), r.Label())
		shown := first && r.Config.Variant == "default" && r.Config.Name != "tme9-mean"
		assert.Equal(t, shown, strings.Contains(length.Caption, r.Label()), r.Label())
	}
	assert.Contains(t, calibration.Caption, "over 15 bins of equal width", "as exp predict has it")
	assert.Contains(t, length.Caption, "; tme9-lstm-last/", "the bottleneck beside attention")
}

// Where a figure needs one run of several seeds it takes the one nearest the median,
// not the first, which may have gone wrong; the caption says which.
func TestFiguresTakeTheMedianSeed(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for seed, test := range []float64{50, 83, 81} {
		m := made{name: "tme9-values", variant: "default", data: imdb, test: []float64{test}, predictions: guesses(100, 2)}
		if seed > 0 { // the first is the default, which nobody has to give
			m.user = []string{fmt.Sprint("seed=", seed+1)}
		}
		list = append(list, m.add(t, dir))
	}
	figures := report.Figures(list)
	median := list[2].Config.ID[:8]
	for name, caption := range map[string]string{
		"calibration-imdb":                           " " + median + " (default, adam, seed 3, one of 3)",
		"length-imdb-words":                          "default, seed 3, one of 3",
		"entropy-tme9-values-adam-default-" + median: " · seed 3, one of 3 · 4 of 4 epochs",
	} {
		f := named(t, figures, name)
		assert.Contains(t, f.Caption, caption)
		assert.Contains(t, f.Caption, "the one with the score on test nearest their median")
		assert.NotContains(t, f.Caption, list[0].Config.ID[:8], "a dead run")
	}
}

// Experiments are drawn with those on models like theirs, and none is left out for
// want of colours.
func TestLengthsOfManyExperiments(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for _, own := range "abcdefg" {
		list = append(list, made{name: "tme9-lstm-" + string(own), variant: "default", data: imdb, predictions: guesses(100, 2)}.add(t, dir))
	}
	figures := report.Figures(list)
	first, second := named(t, figures, "length-imdb-states"), named(t, figures, "length-imdb-states-2")
	assert.Contains(t, first.Caption, "tme9-lstm-f/")
	assert.NotContains(t, first.Caption, "tme9-lstm-g/")
	assert.Contains(t, second.Caption, "tme9-lstm-g/")
	assert.Equal(t, "Accuracy by length of the review: recurrent models, continued (2)", second.Title)
}

// The comparison is sorted by our default, or what else there is, and leaves out
// what is not finished.
func TestComparisonIsSorted(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for _, m := range []made{
		{name: "tme9-mean", variant: "default", test: []float64{74}, published: lstm},
		{name: "tme9-simple", variant: "original", test: []float64{80}},
		{name: "tme9-query", variant: "original", test: []float64{95}, set: []string{"batch=32"}},
		{name: "tme9-query", variant: "default", test: []float64{78}},
		{name: "tme9-values", variant: "default", test: []float64{99}, unfinished: true, epochs: 1},
	} {
		m.data = imdb
		list = append(list, m.add(t, dir))
	}
	svg, err := named(t, report.Figures(list), "comparison-imdb").Inline()
	require.NoError(t, err)
	// The row at the top has its number first.
	assert.Regexp(t, `(?s)>tme9-simple adam<.*>tme9-query adam<.*>tme9-mean adam<`, svg)
	assert.NotContains(t, svg, "tme9-values")
	assert.Contains(t, svg, ">published<")
}

// A file of predictions that is damaged is told, and the other runs are shown.
func TestDamagedPredictionsAreToldInCaptions(t *testing.T) {
	list := models(t)
	damaged := list[len(list)-1]
	require.NoError(t, os.WriteFile(filepath.Join(damaged.Path, "predictions.tsv"), []byte("review\tlabel\n"), 0o666))
	figures := report.Figures(list)
	for _, name := range []string{"calibration-imdb", "length-imdb-states"} {
		f := named(t, figures, name)
		assert.Contains(t, f.Caption, damaged.Label()+", damaged: ")
		assert.NoError(t, f.Write(io.Discard, "png", smallPicture))
	}
}

// Only runs on the same reviews stand in one figure.
func TestOtherReviewsHaveFiguresOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for _, name := range []string{"tme9-mean", "tme9-simple"} {
		for _, data := range []runs.DataFacts{imdb, sample} {
			list = append(list, made{name: name, variant: "default", data: data, predictions: guesses(50, 2)}.add(t, dir))
		}
	}
	figures := report.Figures(list)
	for _, name := range []string{"comparison-%s", "calibration-%s", "length-%s-words"} {
		full, embedded := named(t, figures, fmt.Sprintf(name, "imdb")), named(t, figures, fmt.Sprintf(name, "sample"))
		assert.Contains(t, full.Caption, "IMDB: 25 000 training")
		assert.Contains(t, embedded.Caption, "Embedded sample: 2 000 training")
	}
}

// withHeads is a finished run whose histograms tell layers and heads.
func withHeads(t *testing.T, layers, heads int, more ...string) *runs.Run {
	var s settings.Run
	var model struct {
		Pad bool `key:"slip.pad"`
	}
	set, err := settings.New(&s, &model)
	require.NoError(t, err)
	require.NoError(t, set.Apply("experiment", append(more, "epochs=3")...))
	c := runs.NewConfig("transformer", "transformer", 1, set, nil)
	c.Data, c.Classes = sample, []string{"neg", "pos"}
	w, err := runs.Create(t.TempDir(), c, runs.Environment{})
	require.NoError(t, err)
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
	require.NoError(t, w.Finish(guesses(20, 1)))
	run, err := runs.Open(w.Path())
	require.NoError(t, err)
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
		f := named(t, report.Figures([]*runs.Run{run}), "heads-transformer-adam-default-"+run.Config.ID[:8])
		assert.Contains(t, f.Caption, c.caption)
		svg, err := f.Inline()
		require.NoError(t, err)
		assert.Contains(t, svg, ">"+c.first+"</text>")
		assert.NotContains(t, svg, ">"+c.not+"</text>")
	}
}

// Of self-attention each layer and head has its own ridges.
func TestHeads(t *testing.T) {
	for _, c := range []struct{ layers, heads int }{{1, 1}, {3, 1}, {2, 5}} {
		run := withHeads(t, c.layers, c.heads)
		f := named(t, report.Figures([]*runs.Run{run}), "heads-transformer-adam-default-"+run.Config.ID[:8])
		svg, err := f.Inline()
		require.NoError(t, err)
		for l := range c.layers {
			for h := range c.heads {
				assert.Contains(t, svg, fmt.Sprintf(">layer %d head %d</text>", l+1, h+1))
			}
		}
		if c.layers == 2 {
			f.Name = "heads"
			samePicture(t, anyCaption(f), smallPicture)
		}
	}
}

// Before there are predictions nothing tells how long the reviews are but their mean.
func TestUniformOfUnfinished(t *testing.T) {
	m := made{name: "tme9-simple", variant: "default", data: imdb, epochs: 1, unfinished: true}
	run := m.add(t, t.TempDir())
	u := report.UniformOf(run)
	assert.Equal(t, "mean", u.At)
	assert.InDelta(t, math.Log(228), u.Nats, 1e-9)
	f, ok := report.RunFigure(run, "entropy")
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
		f := named(t, report.Figures([]*runs.Run{run}), "heads-transformer-adam-default-"+run.Config.ID[:8])
		assert.Contains(t, f.Caption, c.told)
		svg, err := f.Inline()
		require.NoError(t, err)
		assert.Equal(t, c.marked, strings.Count(svg, ">uniform")+strings.Count(svg, ">log n"))
	}
}
