package infer_test

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Words without a vector are counted whether they are shown or not, but only as far as
// data.max_len lets the model see; a review always has a row.
func TestRowsOf(t *testing.T) {
	mean, _ := openRun(t, "tme9-mean", "data.max_len=3")
	masked, _ := openRun(t, "tme9-mean", "data.max_len=3", "oov=masked")
	row := []int32{0, 7, 8, 0} // of the words of a vocabulary: two have no vector
	type result struct {
		words, rows []int32
		lacks       int
	}
	for _, c := range []struct {
		name         string
		ids          []int32
		mean, masked result
	}{
		{"no word", []int32{}, result{[]int32{}, []int32{0}, 0}, result{[]int32{}, []int32{0}, 0}},
		{"none with a vector", []int32{0, 3}, result{[]int32{0, 3}, []int32{0, 0}, 2}, result{[]int32{}, []int32{0}, 2}},
		{"cut", []int32{1, 0, 2, 3, 3}, result{[]int32{1, 0, 2}, []int32{7, 0, 8}, 1}, result{[]int32{1, 2}, []int32{7, 8}, 1}},
	} {
		var got result
		got.words, got.rows, got.lacks = mean.RowsOf(c.ids, row)
		require.Equal(t, c.mean, got, c.name)
		got.words, got.rows, got.lacks = masked.RowsOf(c.ids, row)
		require.Equal(t, c.masked, got, c.name+", masked")
	}
}
