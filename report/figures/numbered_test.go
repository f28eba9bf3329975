package figures_test

import (
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/figures"
	"imdbexp/runs"
)

// Each figure of the published report is known, and told what to type for where
// runs do not show it.
func TestNumberedFigures(t *testing.T) {
	published := figures.Published()
	require.Len(t, published, 22)
	for i, e := range published {
		n := e.Number
		require.Equal(t, i+1, n, "each once")
		drawn, err := figures.Smoothed(0).Numbered(nil, reporttest.Typed, n)
		assert.Empty(t, drawn)
		assert.Regexp(t, fmt.Sprintf(`^figure %d \(.+\).*: exp `, n), err.Error(), "what to type")
	}
	for n, command := range map[int]string{
		1: "exp show tme9-mean", 5: "exp attend tme9-simple", 18: "exp draw dots tme10-pe",
		14: "exp run tme9-entropy optimizer=sgd variant=original",
	} {
		assert.ErrorContains(t, must.Fail(figures.Smoothed(0).Numbered(nil, reporttest.Typed, n)), command)
	}
	for _, n := range []int{-1, 0, 23} {
		assert.ErrorContains(t, must.Fail(figures.Smoothed(0).Numbered(nil, reporttest.Typed, n)), "\n  14  loss and accuracy of tme9-entropy, sgd\n")
	}
}

func TestNumberedOfEachVariant(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for _, variant := range []string{"original", "default"} {
		set := []string{"slip.whitespace=" + fmt.Sprint(variant == "original")}
		list = append(list, reporttest.Run{Name: "tme9-lstm", Variant: variant, Set: set, Data: reporttest.IMDB, Published: reporttest.LSTM}.Add(t, dir))
	}
	drawn := must.Get(figures.Smoothed(0).Numbered(list, reporttest.Typed, 11))(t)
	require.Len(t, drawn, 2)
	assert.Equal(t, "figure-11-tme9-lstm-adam-default", drawn[0].Name)
	assert.Equal(t, "figure-11-tme9-lstm-adam-original", drawn[1].Name)

	begun := reporttest.Run{Name: "tme9-mean", Variant: "default", Data: reporttest.IMDB, Unfinished: true}.Add(t, dir)
	_, err := figures.Smoothed(0).Numbered([]*runs.Run{begun}, reporttest.Typed, 2)
	assert.ErrorContains(t, err, begun.Label()+" has nothing to draw: unfinished (epoch 0 of ")
}
