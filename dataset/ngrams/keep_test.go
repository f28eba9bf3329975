package ngrams_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset/ngrams"
	"imdbexp/internal/sparse"
	"imdbexp/internal/testkit/must"
)

// The kept n-grams keep their order, with the parts that lead to them.
func TestKeep(t *testing.T) {
	const text = "a good film and a bad film and a good story and a good film"
	words := strings.Fields(text)
	vocab, ids := []string{}, map[string]int32{}
	var review reviewOf
	for _, w := range words {
		if _, met := ids[w]; !met {
			ids[w] = int32(len(vocab))
			vocab = append(vocab, w)
		}
		review = append(review, ids[w])
	}
	f := must.Get(ngrams.Learn(sparse.Serial{}, review, vocab, ngrams.Options{Max: 3}))(t)
	at := map[string]int{}
	for i := range f.Len() {
		at[f.Name(i)] = i
	}
	keep := make([]bool, f.Len())
	keep[at["a good film"]] = true
	kept, which := f.Keep(keep)
	require.Equal(t, kept.Len(), len(which))
	var names []string
	for i, w := range which {
		require.Equal(t, f.Name(int(w)), kept.Name(i))
		names = append(names, kept.Name(i))
	}
	require.ElementsMatch(t, []string{"a", "good", "film", "a good", "a good film"}, names, "parts that lead to it, and its words")
	// All of it kept is the same.
	for i := range keep {
		keep[i] = true
	}
	kept, _ = f.Keep(keep)
	one := must.Get(f.MarshalBinary())(t)
	two := must.Get(kept.MarshalBinary())(t)
	require.Equal(t, one, two)
}

type reviewOf []int32

func (reviewOf) Len() int            { return 1 }
func (r reviewOf) Words(int) []int32 { return r }
