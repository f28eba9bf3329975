package figures_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"gonum.org/v1/plot/vg"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/canvas"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

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
	svg := must.Get(reporttest.Named(t, figures.Smoothed(0).Of(list), "comparison-imdb").Inline())(t)
	// The row at the top has its number first.
	assert.Regexp(t, `(?s)>tme9-simple adam<.*>tme9-query adam<.*>tme9-mean adam<`, svg)
	assert.NotContains(t, svg, "tme9-values")
	assert.Contains(t, svg, ">published<")
}

func TestGoldenComparison(t *testing.T) {
	f := reporttest.Named(t, figures.Smoothed(0).Of(reporttest.Models(t)), "comparison-imdb")
	reporttest.SamePicture(t, reporttest.AnyCaption(f), canvas.Size{Width: 12 * vg.Centimeter, Height: 5 * vg.Centimeter, DPI: 80})
}
