package figures_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// Lengths in words and n-grams have an axis of their own.
func TestLengthsOfNGrams(t *testing.T) {
	run := reporttest.Run{Name: "tme9-mine", Variant: "default", Data: reporttest.IMDB, Predictions: reporttest.Guesses(100, 2)}.Add(t, t.TempDir())
	run.Config.Settings = append(run.Config.Settings, runs.Value{Key: "vectors.ngrams", Value: "2"})
	reporttest.Named(t, figures.Smoothed(0).Of([]*runs.Run{run}), "length-imdb-ngrams")
}

// Reviews of one length stay together: bins differ, and the caption says how much.
func TestLengthsOfUnequalBins(t *testing.T) {
	run := reporttest.Run{Name: "tme9-mine", Variant: "default", Data: reporttest.IMDB, Predictions: reporttest.Guesses(100, 2)}
	for i := range 30 {
		run.Predictions.Rows[i].Words = 12
	}
	f := reporttest.Named(t, figures.Smoothed(0).Of([]*runs.Run{run.Add(t, t.TempDir())}), "length-imdb")
	assert.Contains(t, f.Caption, "test reviews in bins of 10 to 30 by length")
}

// The bars of several models in one panel would hide each other: each model has a panel, on equal axes.
func TestLengthsOfManyExperiments(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for _, name := range "abcd" {
		list = append(list, reporttest.Run{Name: "tme9-lstm-" + string(name), Variant: "default", Data: reporttest.IMDB, Predictions: reporttest.Guesses(100, 2)}.Add(t, dir))
	}
	f := reporttest.Named(t, figures.Smoothed(0).Of(list), "length-imdb")
	assert.Contains(t, f.Caption, "tme9-lstm-d/")
	panels := f.Panels(canvas.Style{})
	assert.Len(t, panels, 4)
	for _, p := range panels[1:] {
		assert.Equal(t, []float64{panels[0].X.Min, panels[0].X.Max, panels[0].Y.Min, panels[0].Y.Max}, []float64{p.X.Min, p.X.Max, p.Y.Min, p.Y.Max})
	}
}

func TestGoldenLength(t *testing.T) {
	f := reporttest.Named(t, figures.Smoothed(0).Of(reporttest.Models(t)), "length-imdb")
	reporttest.SamePicture(t, reporttest.AnyCaption(f), canvas.Size{Width: 12 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80})
}

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
		svg := must.Get(f.Inline())(t)
		assert.Equal(t, c.marked, strings.Count(svg, ">uniform")+strings.Count(svg, ">log n"))
	}
}

// Settings that are not drawn are named, and the level of guessing is the largest class where classes are unequal.
func TestFiguresSayWhatIsNotDrawnAndGuessed(t *testing.T) {
	dir, own, p := t.TempDir(), reporttest.Sample, reporttest.Guesses(100, 2)
	own.Name = "mine"
	for i := range p.Rows {
		p.Rows[i].Label = min(1, i%4)
	}
	var list []*runs.Run
	for _, user := range [][]string{nil, {"lr=0.05"}} {
		list = append(list, reporttest.Run{Name: "tme9-lstm", Variant: "default", Data: own, User: user, Test: []float64{70, 78}, Predictions: p}.Add(t, dir))
	}
	drawn := figures.Smoothed(0).Of(list)
	for _, name := range []string{"calibration-mine", "length-mine"} {
		assert.Contains(t, reporttest.Named(t, drawn, name).Caption, "not drawn, because one setting of an experiment is: tme9-lstm adam lr=0.05")
		assert.NotContains(t, reporttest.Named(t, figures.Smoothed(0).Of(list[:1]), name).Caption, "not drawn")
	}
	drawn = append(drawn, must.Get(figures.Trend(list, "epoch", []string{"test_acc", "test_loss"}))(t)...)
	for _, f := range drawn {
		if name, _, _ := strings.Cut(f.Name, "-"); slices.Contains([]string{"curves", "curve", "length"}, name) {
			svg := must.Get(f.Inline())(t)
			assert.Contains(t, svg, ">largest class of test, 75.00 %<", f.Name)
			assert.NotContains(t, svg, ">chance", f.Name)
		}
	}
}

func TestTranslationFigure(t *testing.T) {
	list := reporttest.Translators(t)
	f := reporttest.Named(t, figures.Smoothed(0).Of(list, reporttest.Order...), "translation-phrases")
	assert.Contains(t, f.Caption, list[0].Label())
	assert.NotContains(t, f.Caption, list[3].Label(), "its test was never looked at")
	assert.Contains(t, f.Caption, "in bins of 4 to 8 by words of the source")
	f.Caption = "caption"
	svg := must.Get(f.Inline())(t)
	assert.Contains(t, svg, ">seq2seq-bahdanau</text>")
	reporttest.SamePicture(t, f, reporttest.SmallPicture)

	entropy, ok := figures.OfRun(list[0], "entropy")
	require.True(t, ok)
	assert.Contains(t, entropy.Caption, "share of the pairs")
	assert.Contains(t, entropy.Caption, "1 of 1 epoch ·")
}

// Their curves tell next words from exact match, by which they are judged.
func TestTranslationCurves(t *testing.T) {
	f, ok := figures.OfRun(reporttest.Translators(t)[0], "curves")
	require.True(t, ok)
	assert.Contains(t, f.Title, ": loss, next words right and exact match")
	svg := must.Get(f.Inline())(t)
	for _, want := range []string{">loss<", ">next words right<", ">exact match<", ">exact match (%)<"} {
		assert.Contains(t, svg, want)
	}
	assert.NotContains(t, svg, "accuracy")
}

// Curves of several seeds are their mean in a band.
func TestGoldenBand(t *testing.T) {
	var list []*runs.Run
	for seed := range 4 {
		n := float64(seed)
		list = append(list, reporttest.Run{
			Name: "tme9-lstm", Variant: "default", Data: reporttest.IMDB, Set: []string{fmt.Sprint("seed=", seed)},
			Test: []float64{78 + n, 82 + 2*n, 83 + n, 84 - n},
		}.Add(t, t.TempDir()))
	}
	drawn := must.Get(figures.Smoothed(0).Named(list, nil, reporttest.Typed, "11"))(t)
	assert.Contains(t, drawn[0].Caption, "mean of 4 seeds, band ± one standard deviation: 0 (")
	f := reporttest.AnyCaption(drawn[0])
	f.Name = "band"
	reporttest.SamePicture(t, f, reporttest.SmallPicture)
}

// A smoothed curve has the raw one faint behind it, and its caption says so.
func TestGoldenSmoothed(t *testing.T) {
	run := reporttest.Run{
		Name: "tme9-lstm", Variant: "default", Data: reporttest.IMDB, Set: []string{"epochs=10"},
		Test: []float64{76, 83, 79, 85, 78, 86, 80, 84, 82, 86},
	}.Add(t, t.TempDir())
	drawn := must.Get(figures.Smoothed(0.6).Named([]*runs.Run{run}, nil, reporttest.Typed, "11"))(t)
	assert.Contains(t, drawn[0].Caption, "smoothed with weight 0.6 as TensorBoard does, the raw curves faint behind")
	f := reporttest.AnyCaption(drawn[0])
	f.Name = "smoothed"
	reporttest.SamePicture(t, f, reporttest.SmallPicture)
	for _, f := range figures.Smoothed(0.6).Of([]*runs.Run{run}) {
		assert.Equal(t, strings.HasPrefix(f.Name, "figure-11"), strings.Contains(f.Caption, "smoothed"), f.Name)
	}
	raw := must.Get(figures.Smoothed(0).Named([]*runs.Run{run}, nil, reporttest.Typed, "11"))(t)
	assert.NotContains(t, raw[0].Caption, "smoothed")
}

// Of seeds that stopped at different epochs only those are drawn that all have.
func TestBandOverCommonEpochs(t *testing.T) {
	base := reporttest.Run{Name: "tme9-lstm", Variant: "default", Data: reporttest.IMDB, User: []string{"select=best"}, Best: 2, Epochs: 3}
	other := base
	other.Set, other.Epochs = []string{"seed=2"}, 4
	list := []*runs.Run{base.Add(t, t.TempDir()), other.Add(t, t.TempDir())}
	drawn := must.Get(figures.Smoothed(0).Named(list, nil, reporttest.Typed, "11"))(t)
	assert.Contains(t, drawn[0].Caption, "chosen epochs 2 2")
	svg := must.Get(drawn[0].Inline())(t)
	assert.Contains(t, svg, ">3</text>", "the last epoch of both")
	assert.NotContains(t, svg, ">4</text>", "an epoch of one")
}

// One epoch of 68.16 % once had ticks such as 68.1599990.
func TestTicksOfOneEpoch(t *testing.T) {
	run := reporttest.Run{Name: "tme9-lstm", Variant: "default", Data: reporttest.Sample, Test: []float64{68.16}, Epochs: 1}.Add(t, t.TempDir())
	f, ok := figures.OfRun(run, "curves")
	require.True(t, ok)
	svg := must.Get(f.Inline())(t)
	assert.NotRegexp(t, `>\d+\.\d{4,}</text>`, svg)
	assert.Contains(t, svg, "chance, ln 2")
}

// A figure of the published report that shows other data says of which it is.
func TestNumberedFigureOfTheSample(t *testing.T) {
	for _, c := range []struct {
		data         runs.DataFacts
		title, other string
	}{
		{reporttest.Sample, "Figure 11 (Embedded sample). tme9-lstm, adam, default: loss and accuracy", "Embedded sample"},
		{reporttest.IMDB, "Figure 11. tme9-lstm, adam, default: loss and accuracy", ""},
	} {
		run := reporttest.Run{Name: "tme9-lstm", Variant: "default", Data: c.data}.Add(t, t.TempDir())
		drawn := must.Get(figures.Smoothed(0).Named([]*runs.Run{run}, nil, reporttest.Typed, "11"))(t)
		assert.Equal(t, c.title, drawn[0].Title)
		assert.Equal(t, c.other, drawn[0].Other)
	}
}
