package figures_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/plot/vg"

	"imdbexp/report/canvas"
	"imdbexp/report/figures"
	"imdbexp/report/internal/reporttest"
	"imdbexp/runs"
)

// What a run keeps of a review its settings tell: a model of any name stands among its
// like.
func TestLengthsByWhatModelsKeep(t *testing.T) {
	dir := t.TempDir()
	run := reporttest.Run{Name: "tme9-mine", Variant: "default", Data: reporttest.IMDB, Predictions: reporttest.Guesses(100, 2)}.Add(t, dir)
	plain := run.Config.Settings
	for key, want := range map[string]string{"lstm.hidden": "states", "hidden": "states", "heads": "self", "value.activation": "words"} {
		run.Config.Settings = append(slices.Clone(plain), runs.Value{Key: key, Value: "1"})
		reporttest.Named(t, figures.Of([]*runs.Run{run}), "length-imdb-"+want)
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

func TestGoldenLength(t *testing.T) {
	f := reporttest.Named(t, figures.Of(reporttest.Models(t)), "length-imdb-states")
	reporttest.SamePicture(t, reporttest.AnyCaption(f), canvas.Size{Width: 12 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80})
}
