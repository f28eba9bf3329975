package figures_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

func TestFiguresOfModelsNameTheirRuns(t *testing.T) {
	list := reporttest.Models(t)
	drawn := figures.Smoothed(0).Of(list)
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
	drawn := figures.Smoothed(0).Of(list)
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

// Only runs on the same reviews stand in one figure.
func TestOtherReviewsHaveFiguresOfTheirOwn(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for _, name := range []string{"tme9-mean", "tme9-simple"} {
		for _, data := range []runs.DataFacts{reporttest.IMDB, reporttest.Sample} {
			list = append(list, reporttest.Run{Name: name, Variant: "default", Data: data, Predictions: reporttest.Guesses(50, 2)}.Add(t, dir))
		}
	}
	drawn := figures.Smoothed(0).Of(list)
	for _, name := range []string{"comparison-%s", "calibration-%s", "length-%s-words"} {
		full, embedded := reporttest.Named(t, drawn, fmt.Sprintf(name, "imdb")), reporttest.Named(t, drawn, fmt.Sprintf(name, "sample"))
		assert.Contains(t, full.Caption, "IMDB: 25 000 training")
		assert.Contains(t, embedded.Caption, "Embedded sample: 2 000 training")
	}
}
