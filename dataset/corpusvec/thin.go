package corpusvec

import (
	"math"

	"imdbexp/internal/simd"
)

// keep returns the words that occur at least minCount times, and how often.
func keep(ids []int32, vocab, minCount int) (words []int32, counts []int64) {
	all := make([]int64, vocab)
	for _, id := range ids {
		all[id]++
	}
	for w, n := range all {
		if n > 0 && n >= int64(minCount) {
			words = append(words, int32(w))
			counts = append(counts, n)
		}
	}
	return words, counts
}

// frequent is how many times as often as the mean word a word occurs before it
// is thinned out. On IMDB, with 48 145 words, that is a share of 2·10⁻⁴ of the
// text; word2vec has 10⁻³ to 10⁻⁵ for texts of any size (Mikolov et al. 2013,
// Distributed Representations of Words and Phrases). Tied to the number of words,
// the threshold fits small corpora, too.
const frequent = 10

// stream is a corpus ready for counting: the kept words in order, renumbered, with a window of
// none before, between and after the texts.
type stream struct {
	ids   []int32
	words int     // number of different words
	total []int64 // [words] sum of the weights of a word's pairs, its row of C
}

const none int32 = -1

// thin drops rare words and, with the probabilities of stay, some of the frequent ones. A dropped
// word leaves no gap, so the window reaches words further away. Whether a word is kept depends on
// the seed and its position alone.
func thin(ids []int32, offsets []int, vocab int, words []int32, counts []int64, o Options) stream {
	s := stream{words: len(words), total: make([]int64, len(words))}
	fresh := make([]int32, vocab)
	for w := range fresh {
		fresh[w] = none
	}
	chance := stay(counts)
	size := 0.0 // about the number of words that are kept
	for i, w := range words {
		fresh[w] = int32(i)
		size += float64(min(1, chance[i]) * float64(counts[i]))
	}
	// reach[i] is the weight of all pairs with the i words on one side.
	reach := make([]int64, o.Window+1)
	gap := make([]int32, o.Window)
	for i := range gap {
		reach[i+1] = reach[i] + int64(o.Window-i)
		gap[i] = none
	}
	key := simd.Key(o.Seed, "corpusvec thin")
	s.ids = make([]int32, 0, int(size)+len(offsets)*o.Window)
	s.ids = append(s.ids, gap...)
	for t := range len(offsets) - 1 {
		first := len(s.ids)
		for p := offsets[t]; p < offsets[t+1]; p++ {
			w := fresh[ids[p]]
			if w != none && (chance[w] >= 1 || simd.Float64(key, uint64(p)) < chance[w]) {
				s.ids = append(s.ids, w)
			}
		}
		text := s.ids[first:]
		for i, w := range text {
			s.total[w] += reach[min(i, o.Window)] + reach[min(len(text)-1-i, o.Window)]
		}
		s.ids = append(s.ids, gap...)
	}
	return s
}

// stay returns the probability with which an occurrence of each word is kept, as
// in word2vec: √(t/f) + t/f, where f is the word's share of the text and t the
// share of a frequent word; 1 and more is always.
func stay(counts []int64) []float64 {
	var all float64
	for _, n := range counts {
		all += float64(n) // whole numbers: exact in any order
	}
	chance := make([]float64, len(counts))
	for w, n := range counts {
		r := frequent * all / (float64(len(counts)) * float64(n)) // t/f
		chance[w] = math.Sqrt(r) + r
	}
	return chance
}
