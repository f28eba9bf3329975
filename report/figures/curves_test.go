package figures_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/report/figures"
	"imdbexp/report/internal/reporttest"
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
	drawn, err := figures.Numbered(list, reporttest.Typed, 11)
	require.NoError(t, err)
	assert.Contains(t, drawn[0].Caption, "mean of 4 seeds, band ± one standard deviation: 0 (")
	f := reporttest.AnyCaption(drawn[0])
	f.Name = "band"
	reporttest.SamePicture(t, f, reporttest.SmallPicture)
}

// Of seeds that stopped at different epochs only those are drawn that all have.
func TestBandOverCommonEpochs(t *testing.T) {
	base := reporttest.Run{Name: "tme9-lstm", Variant: "default", Data: reporttest.IMDB, User: []string{"select=best"}, Best: 2, Epochs: 3}
	other := base
	other.Set, other.Epochs = []string{"seed=2"}, 4
	list := []*runs.Run{base.Add(t, t.TempDir()), other.Add(t, t.TempDir())}
	drawn, err := figures.Numbered(list, reporttest.Typed, 11)
	require.NoError(t, err)
	assert.Contains(t, drawn[0].Caption, "chosen epochs 2 2")
	svg, err := drawn[0].Inline()
	require.NoError(t, err)
	assert.Contains(t, svg, ">3</text>", "the last epoch of both")
	assert.NotContains(t, svg, ">4</text>", "an epoch of one")
}
