package figures_test

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/vg"

	"imdbexp/report"
	"imdbexp/report/figures"
	"imdbexp/report/internal/reporttest"
	"imdbexp/report/picture"
	"imdbexp/runs"
)

func TestGoldenModels(t *testing.T) {
	drawn := figures.Of(reporttest.Models(t))
	for name, height := range map[string]vg.Length{"comparison-imdb": 5, "calibration-imdb": 7, "length-imdb-states": 6} {
		size := picture.Size{Width: 12 * vg.Centimeter, Height: height * vg.Centimeter, DPI: 80}
		reporttest.SamePicture(t, reporttest.AnyCaption(reporttest.Named(t, drawn, name)), size)
	}
}

func TestFiguresOfModelsNameTheirRuns(t *testing.T) {
	list := reporttest.Models(t)
	drawn := figures.Of(list)
	calibration, length := reporttest.Named(t, drawn, "calibration-imdb"), reporttest.Named(t, drawn, "length-imdb-states")
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
		m := reporttest.Run{Name: "tme9-values", Variant: "default", Data: reporttest.IMDB, Test: []float64{test}, Predictions: reporttest.Guesses(100, 2)}
		if seed > 0 { // the first is the default, which nobody has to give
			m.User = []string{fmt.Sprint("seed=", seed+1)}
		}
		list = append(list, m.Add(t, dir))
	}
	drawn := figures.Of(list)
	median := list[2].Config.ID[:8]
	for name, caption := range map[string]string{
		"calibration-imdb":                           " " + median + " (default, adam, seed 3, one of 3)",
		"length-imdb-words":                          "default, seed 3, one of 3",
		"entropy-tme9-values-adam-default-" + median: " · seed 3, one of 3 · 4 of 4 epochs",
	} {
		f := reporttest.Named(t, drawn, name)
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
		list = append(list, reporttest.Run{Name: "tme9-lstm-" + string(own), Variant: "default", Data: reporttest.IMDB, Predictions: reporttest.Guesses(100, 2)}.Add(t, dir))
	}
	drawn := figures.Of(list)
	first, second := reporttest.Named(t, drawn, "length-imdb-states"), reporttest.Named(t, drawn, "length-imdb-states-2")
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
	for _, m := range []reporttest.Run{
		{Name: "tme9-mean", Variant: "default", Test: []float64{74}, Published: reporttest.LSTM},
		{Name: "tme9-simple", Variant: "original", Test: []float64{80}},
		{Name: "tme9-query", Variant: "original", Test: []float64{95}, Set: []string{"batch=32"}},
		{Name: "tme9-query", Variant: "default", Test: []float64{78}},
		{Name: "tme9-values", Variant: "default", Test: []float64{99}, Unfinished: true, Epochs: 1},
	} {
		m.Data = reporttest.IMDB
		list = append(list, m.Add(t, dir))
	}
	svg, err := reporttest.Named(t, figures.Of(list), "comparison-imdb").Inline()
	require.NoError(t, err)
	// The row at the top has its number first.
	assert.Regexp(t, `(?s)>tme9-simple adam<.*>tme9-query adam<.*>tme9-mean adam<`, svg)
	assert.NotContains(t, svg, "tme9-values")
	assert.Contains(t, svg, ">published<")
}

// A file of predictions that is damaged is told, and the other runs are shown.
func TestDamagedPredictionsAreToldInCaptions(t *testing.T) {
	list := reporttest.Models(t)
	damaged := list[len(list)-1]
	require.NoError(t, os.WriteFile(filepath.Join(damaged.Path, "predictions.tsv"), []byte("review\tlabel\n"), 0o666))
	drawn := figures.Of(list)
	for _, name := range []string{"calibration-imdb", "length-imdb-states"} {
		f := reporttest.Named(t, drawn, name)
		assert.Contains(t, f.Caption, damaged.Label()+", damaged: ")
		assert.NoError(t, f.Write(io.Discard, "png", reporttest.SmallPicture))
	}
}

// Only runs on the same reviews stand in one figure.
func TestOtherReviewsHaveFiguresOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for _, name := range []string{"tme9-mean", "tme9-simple"} {
		for _, data := range []runs.DataFacts{reporttest.IMDB, reporttest.Sample} {
			list = append(list, reporttest.Run{Name: name, Variant: "default", Data: data, Predictions: reporttest.Guesses(50, 2)}.Add(t, dir))
		}
	}
	drawn := figures.Of(list)
	for _, name := range []string{"comparison-%s", "calibration-%s", "length-%s-words"} {
		full, embedded := reporttest.Named(t, drawn, fmt.Sprintf(name, "imdb")), reporttest.Named(t, drawn, fmt.Sprintf(name, "sample"))
		assert.Contains(t, full.Caption, "IMDB: 25 000 training")
		assert.Contains(t, embedded.Caption, "Embedded sample: 2 000 training")
	}
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
		f := reporttest.Named(t, figures.Of([]*runs.Run{run}), "heads-transformer-adam-default-"+run.Config.ID[:8])
		assert.Contains(t, f.Caption, c.told)
		svg, err := f.Inline()
		require.NoError(t, err)
		assert.Equal(t, c.marked, strings.Count(svg, ">uniform")+strings.Count(svg, ">log n"))
	}
}
