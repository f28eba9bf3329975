package corpusvec

import (
	"context"
	"math"
	"slices"

	"imdbexp/internal/simd"
	"imdbexp/internal/system"
)

// pairs counts the pairs of words and turns them into M, row by row. Counts are
// whole numbers, hence exact and independent of the order of counting. Each row
// is counted separately, from the positions of its word, and only positive values are
// kept. So memory is the size of the result, and workers share the rows.
//
// Rows are counted in groups of at most half of o.MaxPairs pairs, but at least a block. If
// there are more than o.MaxPairs pairs after a group, the error is errPairs.
func pairs(ctx context.Context, s stream, weight []float64, o Options) (*matrix, error) {
	half := chances(s.total)
	at := positions(s)
	m := newMatrix(s.words)
	const group = 32 // max blocks between two calls of o.report
	for from, total := 0, 0; from < len(m.blocks); {
		to, bound := from+1, at.pairs(from, o.Window)
		for to < len(m.blocks) && to-from < group && bound <= o.MaxPairs/2 {
			bound += at.pairs(to, o.Window)
			to++
		}
		o.report("counting pairs of words", shareOfPairs*float64(at.start[from*blockRows])/float64(max(1, len(at.places))))
		todo := m.blocks[from:to]
		err := parallel(ctx, len(todo), o.Workers, func() func(int) {
			c := counter{stream: s, at: at, window: o.Window, half: half, weight: weight, sums: make([]int64, s.words)}
			return func(i int) { todo[i] = c.block(from + i) }
		})
		for _, b := range todo {
			total += len(b.cols)
		}
		from = to
		if err == nil && total > o.MaxPairs {
			err = errPairs
		}
		if err != nil {
			return nil, err
		}
		system.BoundGarbage()
	}
	return m, nil
}

// counter counts blocks; each worker has its own.
type counter struct {
	stream
	at     index
	window int
	half   []float64 // see chances
	weight []float64 // [words] g
	sums   []int64   // [words] C of the current row; zero between rows
	seen   []int32   // words in it
	cols   []int32
	vals   []float32
}

func (c *counter) block(i int) block {
	first := i * blockRows
	last := min(first+blockRows, c.words)
	b := block{start: make([]int, 1, last-first+1)}
	c.cols, c.vals = c.cols[:0], c.vals[:0]
	for w := first; w < last; w++ {
		c.row(w)
		b.start = append(b.start, len(c.cols))
	}
	b.cols, b.vals = slices.Clone(c.cols), slices.Clone(c.vals)
	return b
}

// row appends the positive entries of row w.
func (c *counter) row(w int) {
	c.seen = c.seen[:0]
	for _, p := range c.at.of(w) {
		around := c.ids[int(p)-c.window : int(p)+c.window+1]
		for i, x := range around {
			if x == none || i == c.window {
				continue
			}
			if c.sums[x] == 0 {
				c.seen = append(c.seen, x)
			}
			c.sums[x] += int64(c.window + 1 - max(i-c.window, c.window-i))
		}
	}
	slices.Sort(c.seen)
	for _, x := range c.seen {
		n := c.sums[x]
		c.sums[x] = 0
		pmi := simd.Log64(float64(n)) - (c.half[w] + c.half[x])
		if pmi > 0 {
			v := pmi * (c.weight[w] * c.weight[x])
			c.cols, c.vals = append(c.cols, x), append(c.vals, float32(v))
		}
	}
}

// chances returns h: h[w] + h[c] is the logarithm of the count that w and c would have by
// chance. With the smoothed p̂(c) ∝ n(c)^¾ the matrix loses its symmetry. The mean of both
// directions restores it, so that eigenvectors can replace singular vectors:
//
//	M[w,c] = g(w)·g(c)·max(0, ln C[w,c] − (h[w] + h[c]))
//	h[w]   = ½(ln n(w) + ln(n(w)^¾ / Σ n^¾))
func chances(total []int64) []float64 {
	var sum float64
	for _, n := range total {
		// x^¾ = √x·√√x, since square roots are exactly rounded everywhere.
		root := math.Sqrt(float64(n))
		sum += float64(root * math.Sqrt(root))
	}
	half := make([]float64, len(total))
	for w, n := range total {
		if n > 0 {
			half[w] = float64(0.875*simd.Log64(float64(n))) - float64(0.5*simd.Log64(sum))
		}
	}
	return half
}

// weights returns g: n^¼ of a word that occurs n times, or 1 in a small corpus.
func weights(counts []int64, size int) []float64 {
	g := make([]float64, len(counts))
	for w, n := range counts {
		g[w] = 1
		if size >= largeCorpus {
			g[w] = math.Sqrt(math.Sqrt(float64(n)))
		}
	}
	return g
}

// index lists the positions of each word in a stream.
type index struct {
	start  []int
	places []int32
}

func (x index) of(w int) []int32 { return x.places[x.start[w]:x.start[w+1]] }

// pairs returns how many different pairs the rows of a block can hold.
func (x index) pairs(block, window int) (bound int) {
	words := len(x.start) - 1
	for w := block * blockRows; w < min((block+1)*blockRows, words); w++ {
		bound += min(words, 2*window*(x.start[w+1]-x.start[w]))
	}
	return bound
}

func positions(s stream) index {
	x := index{start: make([]int, s.words+1)}
	for _, w := range s.ids {
		if w != none {
			x.start[w+1]++
		}
	}
	for w := range s.words {
		x.start[w+1] += x.start[w]
	}
	x.places = make([]int32, x.start[s.words])
	next := slices.Clone(x.start[:s.words])
	for p, w := range s.ids {
		if w != none {
			x.places[next[w]] = int32(p)
			next[w]++
		}
	}
	return x
}

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

// subsample drops rare words and, with the probabilities of stay, some of the frequent ones. A dropped
// word leaves no gap, so the window reaches words further away. Whether a word is kept depends on
// the seed and its position alone.
func subsample(ids []int32, offsets []int, vocab int, words []int32, counts []int64, o Options) stream {
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
