package translate_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"
	"imdbexp/models/translate"
)

// language scores the words behind any words of a vocabulary; few values, so that
// many translations are equally likely.
type language struct {
	seed  uint64
	words int
}

func (l language) scores(prefix []int32) []float32 {
	key := simd.Hash1(l.seed, uint64(len(prefix)))
	for _, w := range prefix {
		key = simd.Hash1(key, uint64(w))
	}
	out := make([]float32, l.words)
	for w := range out {
		out[w] = -0.25 * float32(simd.Hash1(key, uint64(w))%12)
	}
	return out
}

// logProb is that of words and their end.
func (l language) logProb(words []int32) float64 {
	sum := 0.0
	for i := range words {
		sum += float64(l.scores(words[:i])[words[i]])
	}
	return sum + float64(l.scores(words)[ragged.EndID])
}

// sentences are all of fewer than most words, begin-of-sentence and end left out.
func (l language) sentences(limit int) [][]int32 {
	all := [][]int32{{}}
	for i := 0; i < len(all); i++ {
		for w := range int32(l.words) {
			if w != ragged.BeginID && w != ragged.EndID && len(all[i]) < limit-1 {
				all = append(all, append(slices.Clone(all[i]), w))
			}
		}
	}
	return all
}

// A beam that can hold everything finds the best score of all translations; a
// narrower one, what it says: a translation with its sums.
func TestBeamAgainstAllTranslations(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := language{rapid.Uint64().Draw(t, "seed"), rapid.IntRange(3, 5).Draw(t, "words")}
		o := translate.Options{MaxLen: rapid.IntRange(1, 4).Draw(t, "most"), Alpha: rapid.SampledFrom([]float64{0, 0.6, 1, 2}).Draw(t, "alpha")}
		all := l.sentences(o.MaxLen)
		score := func(words []int32) float64 {
			return l.logProb(words) / math.Pow(float64(len(words)+1), o.Alpha)
		}
		best := math.Inf(-1)
		for _, words := range all {
			best = max(best, score(words))
		}
		for _, beam := range []int{len(all), rapid.IntRange(1, len(all)).Draw(t, "beam")} {
			o.Beam = beam
			got := must.Get(translate.Search(7, o, l.scores))(t)
			require.InDelta(t, l.logProb(got.Words), got.LogProb, 1e-12)
			require.InDelta(t, score(got.Words), got.Score, 1e-12)
			require.Less(t, len(got.Words), o.MaxLen)
			if beam == len(all) {
				require.InDelta(t, best, got.Score, 1e-12)
			}
			require.LessOrEqual(t, got.Score, best+1e-12)
		}
	})
}

func TestBeam(t *testing.T) {
	const x, y = 3, 4
	table := func(rows map[string][]float32) func([]int32) []float32 {
		return func(prefix []int32) []float32 {
			name := ""
			for _, w := range prefix {
				name += []string{"u", "<", ">", "x", "y"}[w]
			}
			if row := rows[name]; row != nil {
				return row
			}
			return []float32{-9, 0, -1, -9, -9}
		}
	}
	equal := func([]int32) []float32 { return []float32{-2, -2, -2, -2, -2} }
	for _, c := range []struct {
		name   string
		o      translate.Options
		scores func([]int32) []float32
		want   []int32
	}{
		{"greedy takes what looks best at first", translate.Options{Beam: 1}, table(map[string][]float32{"": {-9, 0, -9, -1, -2}, "x": {-9, 0, -8, -9, -9}}), []int32{x}},
		{"a beam finds what is best in the end", translate.Options{Beam: 2}, table(map[string][]float32{"": {-9, 0, -9, -1, -2}, "x": {-9, 0, -8, -9, -9}}), []int32{y}},
		{"log p alone likes it short", translate.Options{Beam: 3}, table(map[string][]float32{"": {-9, 0, -1.5, -1, -9}}), nil},
		{"divided by the length, not", translate.Options{Beam: 3, Alpha: 1}, table(map[string][]float32{"": {-9, 0, -1.5, -1, -9}}), []int32{x}},
		{"of equals the lower word", translate.Options{Beam: 1, MaxLen: 3}, equal, []int32{0, 0}},
		{"of equals the first to end", translate.Options{Beam: 40, Alpha: 1, MaxLen: 3}, equal, nil},
		{"2n+10 rows, with the end", translate.Options{Beam: 1}, func([]int32) []float32 { return []float32{-9, 0, -9, -1, -9} }, slices.Repeat([]int32{x}, 2*4+9)},
	} {
		got := must.Get(translate.Search(4, c.o, c.scores))(t)
		require.True(t, slices.Equal(c.want, got.Words), "%s: %v, not %v", c.name, got.Words, c.want)
	}
	_, err := translate.Search(4, translate.Options{Beam: 2}, func([]int32) []float32 { return slices.Repeat([]float32{float32(math.NaN())}, 5) })
	require.ErrorContains(t, err, "not numbers")
}
