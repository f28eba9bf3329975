package describe_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/describe"
	"imdbexp/dataset/folder"
	"imdbexp/internal/testkit/fixture"
)

func TestDescribe(t *testing.T) {
	c := fixture.Open(t, fixture.IMDB(t, fixture.Tiny), folder.Options{Extra: true})
	d := describe.Corpus(c, fixture.TwoWords)
	assert.Equal(t, c.Vocab.Len(), d.Types)
	require.Len(t, d.Splits, 3)
	train := d.Splits[0]
	assert.Equal(t, describe.Split{
		Part: dataset.Train, Reviews: 5, Empty: 1, Labels: []int{2, 3}, Words: 24, Types: 14, Mean: 4.8,
		Lengths: describe.Quantiles{Min: 0, P5: 0, P25: 3, P50: 3, P75: 8, P95: 10, P99: 10, Max: 10},
	}, train)
	assert.Equal(t, []int{0, 0}, d.Splits[2].Labels)
	require.Len(t, d.Coverage, 1)
	assert.InDelta(t, 19.0/24, d.Coverage[0].OOVTrain, 1e-9)
	assert.InDelta(t, 2.0/6, d.Coverage[0].OOVTest, 1e-9)
	assert.InDelta(t, 14.0/16, d.Coverage[0].OOVTypes, 1e-9)
}
