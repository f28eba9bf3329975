package data

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/folder"
	"imdbexp/dataset/pairs"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

func TestCounts(t *testing.T) {
	c := fixture.Open(t, fixture.IMDB(t, fixture.Tiny), folder.Options{Extra: true})
	parts := corpusParts(c)
	require.Len(t, parts, 3)
	assert.Equal(t, part{"train", []int{5, 24, 14, 3, 10, 10, 1, 2, 3}}, parts[0])
	assert.Equal(t, []int{0, 0}, parts[2].numbers[7:])
	for i, x := range withoutVector(c, fixture.TwoWords) {
		assert.InDelta(t, []float64{19.0 / 24, 2.0 / 6, 14.0 / 16}[i], x, 1e-9)
	}
}

func TestCountsOfPairs(t *testing.T) {
	p := must.Get(folder.Pairs(t.Context(), fixture.AddedPairs(t, "a\tx y z\nb b\tx\n", "a c\tx\n"), "mine", pairs.Options{}))(t)
	source := sideOf("train source", p.Train, p.Source).numbers
	target := sideOf("train target", p.Train.Targets, p.Target).numbers
	assert.Equal(t, []int{2, 3, 4, 2, 3}, []int{source[0], source[1], target[1], source[2], target[2]})
	assert.Equal(t, []int{1, 3, 3}, target[3:6])
	assert.Equal(t, 1, sideOf("test source", p.Test, p.Source).numbers[6])
}
