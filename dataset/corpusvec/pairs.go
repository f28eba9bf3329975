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
		to, most := from+1, at.pairs(from, o.Window)
		for to < len(m.blocks) && to-from < group && most <= o.MaxPairs/2 {
			most += at.pairs(to, o.Window)
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
func (x index) pairs(block, window int) (most int) {
	words := len(x.start) - 1
	for w := block * blockRows; w < min((block+1)*blockRows, words); w++ {
		most += min(words, 2*window*(x.start[w+1]-x.start[w]))
	}
	return most
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
