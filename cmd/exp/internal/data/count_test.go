package data

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/pairs"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

func TestCounts(t *testing.T) {
	c := fixture.Open(t, fixture.IMDB(t, fixture.Tiny), folder.Options{Extra: true})
	splits := countCorpus(c)
	require.Len(t, splits, 3)
	assert.Equal(t, counts{
		part: "train", texts: 5, labels: []int{2, 3}, words: 24, types: 14, lengths: [3]int{3, 10, 10}, last: 1,
	}, splits[0])
	assert.Equal(t, []int{0, 0}, splits[2].labels)
	for i, x := range withoutVector(c, fixture.TwoWords) {
		assert.InDelta(t, []float64{19.0 / 24, 2.0 / 6, 14.0 / 16}[i], x, 1e-9)
	}
}

func TestCountsOfPairs(t *testing.T) {
	p := must.Get(folder.Pairs(t.Context(), fixture.AddedPairs(t, "a\tx y z\nb b\tx\n", "a c\tx\n"), "mine", pairs.Options{}))(t)
	source := countSide(dataset.Train, "source", p.Train, p.Source)
	target := countSide(dataset.Train, "target", p.Train.Targets, p.Target)
	assert.Equal(t, []int{2, 3, 4, 2, 3}, []int{source.texts, source.words, target.words, source.types, target.types})
	assert.Equal(t, [3]int{1, 3, 3}, target.lengths)
	assert.Equal(t, 1, countSide(dataset.Test, "source", p.Test, p.Source).last)
}

// A class of few reviews may be a misspelling: the remark says where it is and how to repair it.
func TestRareClass(t *testing.T) {
	d := folder.ReviewsAdded{}
	d.Train, d.Test = 408, 100
	d.Classes, d.Counts, d.First = []string{"bad", "good", "goood"}, [2][]int{{200, 206, 2}, {49, 50, 1}}, []string{"a.csv: line 1", "a.csv: line 2", "a.csv: line 7"}
	require.Equal(t, []string{"class goood has only 3 reviews, the first is in a.csv: line 7. If that is a misspelling, add the data again with --force --rename goood=good"}, reviewRemarks(d))
	d.Counts[0][2] += 2
	require.Empty(t, reviewRemarks(d))
}
