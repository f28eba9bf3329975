package figures_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/figures"
)

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
