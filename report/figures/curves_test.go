package figures_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

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
	drawn := must.Get(figures.Smoothed(0).Numbered(list, reporttest.Typed, 11))(t)
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
	drawn := must.Get(figures.Smoothed(0.6).Numbered([]*runs.Run{run}, reporttest.Typed, 11))(t)
	assert.Contains(t, drawn[0].Caption, "smoothed with weight 0.6 as TensorBoard does, the raw curves faint behind")
	f := reporttest.AnyCaption(drawn[0])
	f.Name = "smoothed"
	reporttest.SamePicture(t, f, reporttest.SmallPicture)
	for _, f := range figures.Smoothed(0.6).Of([]*runs.Run{run}) {
		assert.Equal(t, strings.HasPrefix(f.Name, "figure-11"), strings.Contains(f.Caption, "smoothed"), f.Name)
	}
	raw := must.Get(figures.Smoothed(0).Numbered([]*runs.Run{run}, reporttest.Typed, 11))(t)
	assert.NotContains(t, raw[0].Caption, "smoothed")
}

// Of seeds that stopped at different epochs only those are drawn that all have.
func TestBandOverCommonEpochs(t *testing.T) {
	base := reporttest.Run{Name: "tme9-lstm", Variant: "default", Data: reporttest.IMDB, User: []string{"select=best"}, Best: 2, Epochs: 3}
	other := base
	other.Set, other.Epochs = []string{"seed=2"}, 4
	list := []*runs.Run{base.Add(t, t.TempDir()), other.Add(t, t.TempDir())}
	drawn := must.Get(figures.Smoothed(0).Numbered(list, reporttest.Typed, 11))(t)
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

// The original and the default are drawn to the same scales, and say so.
func TestVariantsShareScales(t *testing.T) {
	dir := t.TempDir()
	good := reporttest.Run{Name: "tme9-lstm", Variant: "default", Data: reporttest.IMDB, Test: []float64{80, 88}, Epochs: 2}
	chance := good
	chance.Variant, chance.Set, chance.Test = "original", []string{"slip.drop_last=true"}, []float64{50.2, 49.9}
	alone := good.Add(t, dir)
	list := []*runs.Run{alone, chance.Add(t, dir)}
	drawn := must.Get(figures.Smoothed(0).Numbered(list, reporttest.Typed, 11))(t)
	require.Len(t, drawn, 2)
	ticks := regexp.MustCompile(`>[\d.]+</text>`)
	var labels [2][]string
	for i, f := range drawn {
		svg := must.Get(f.Inline())(t)
		labels[i] = ticks.FindAllString(svg, -1)
		assert.Contains(t, svg, "chance, 50 %")
	}
	assert.Equal(t, labels[0], labels[1])
	assert.Contains(t, drawn[0].Caption, "drawn to the same scales as variant=original")
	assert.Contains(t, drawn[1].Caption, "drawn to the same scales as variant=default")

	single := must.Get(figures.Smoothed(0).Numbered([]*runs.Run{alone}, reporttest.Typed, 11))(t)
	assert.NotContains(t, single[0].Caption, "same scales")
	svg := must.Get(single[0].Inline())(t)
	assert.NotContains(t, svg, "chance, 50 %", "far from it")
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
		drawn := must.Get(figures.Smoothed(0).Numbered([]*runs.Run{run}, reporttest.Typed, 11))(t)
		assert.Equal(t, c.title, drawn[0].Title)
		assert.Equal(t, c.other, drawn[0].Other)
	}
}
