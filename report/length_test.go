package report_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"pgregory.net/rapid"

	"imdbexp/report"
	"imdbexp/runs"
)

func TestByLength(t *testing.T) {
	p := &runs.Predictions{Rows: []runs.Prediction{
		{Words: 30}, {Words: 10, Label: 1}, {Words: 20}, {Words: 20, Label: 1}, {Words: 500}, {Words: 7, Label: -1},
	}}
	bins := report.ByLength(p, 2)
	assert.Equal(t, []report.LengthBin{
		{Reviews: 3, Shortest: 10, Words: 20, Longest: 20, Right: 1},
		{Reviews: 2, Shortest: 30, Words: 30, Longest: 500, Right: 2},
	}, bins)
	assert.InDelta(t, 1.0/3, bins[0].Accuracy(), 1e-15)
	assert.Empty(t, report.ByLength(&runs.Predictions{}, 10))
}

func TestByLengthProperties(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		p, right := &runs.Predictions{}, 0
		for range rapid.IntRange(1, 60).Draw(t, "reviews") {
			r := runs.Prediction{Words: rapid.IntRange(0, 20).Draw(t, "words"), Label: rapid.IntRange(0, 1).Draw(t, "label")}
			if r.Label == r.Predicted {
				right++
			}
			p.Rows = append(p.Rows, r)
		}
		n := rapid.IntRange(1, 15).Draw(t, "bins")
		bins := report.ByLength(p, n)
		assert.LessOrEqual(t, len(bins), n)
		reviews, longest := 0, -1
		for _, b := range bins {
			assert.Greater(t, b.Shortest, longest, "no length in two bins")
			assert.True(t, b.Shortest <= b.Words && b.Words <= b.Longest)
			longest = b.Longest
			reviews += b.Reviews
			right -= b.Right
		}
		assert.Equal(t, len(p.Rows), reviews)
		assert.Zero(t, right)
	})
}
