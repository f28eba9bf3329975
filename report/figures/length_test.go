package figures_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/plot/vg"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// What a run keeps of a review its settings tell: a model of any name stands among its
// like.
func TestLengthsByWhatModelsKeep(t *testing.T) {
	dir := t.TempDir()
	run := reporttest.Run{Name: "tme9-mine", Variant: "default", Data: reporttest.IMDB, Predictions: reporttest.Guesses(100, 2)}.Add(t, dir)
	plain := run.Config.Settings
	for set, want := range map[string]string{"lstm.hidden=1": "states", "hidden=1": "states", "heads=1": "self", "value.activation=1": "words", "vectors.ngrams=1": "words", "vectors.ngrams=2": "ngrams", "hidden=1 vectors.ngrams=3": "ngrams"} {
		run.Config.Settings = slices.Clone(plain)
		for word := range strings.FieldsSeq(set) {
			key, value, _ := strings.Cut(word, "=")
			run.Config.Settings = append(run.Config.Settings, runs.Value{Key: key, Value: value})
		}
		reporttest.Named(t, figures.Smoothed(0).Of([]*runs.Run{run}), "length-imdb-"+want)
	}
}

// The bars of six models in one panel once hid each other: each model has a panel, on equal axes.
func TestLengthsOfManyExperiments(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for i, name := range "abcdefg" {
		list = append(list, reporttest.Run{Name: "tme9-lstm-" + string(name), Variant: "default", Data: reporttest.IMDB, Predictions: reporttest.Guesses(100, 2)}.Add(t, dir))
		f := reporttest.Named(t, figures.Smoothed(0).Of(list), "length-imdb-states")
		assert.Contains(t, f.Caption, "tme9-lstm-"+string(name)+"/")
		panels := f.Panels(canvas.Style{})
		if i < 5 {
			assert.Len(t, panels, 1)
			continue
		}
		assert.Len(t, panels, i+1)
		assert.Empty(t, f.Legend, "the panels have titles")
		for _, p := range panels[1:] {
			assert.Equal(t, []float64{panels[0].X.Min, panels[0].X.Max, panels[0].Y.Min, panels[0].Y.Max}, []float64{p.X.Min, p.X.Max, p.Y.Min, p.Y.Max})
		}
	}
}

func TestGoldenLength(t *testing.T) {
	f := reporttest.Named(t, figures.Smoothed(0).Of(reporttest.Models(t)), "length-imdb-states")
	reporttest.SamePicture(t, reporttest.AnyCaption(f), canvas.Size{Width: 12 * vg.Centimeter, Height: 6 * vg.Centimeter, DPI: 80})
}
