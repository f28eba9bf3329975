// Package corpusvec trains word vectors on a corpus itself, without labels and
// without any download.
//
// The vectors factorise the corpus's positive pointwise mutual information
// (Levy and Goldberg 2014, Neural Word Embedding as Implicit Matrix
// Factorization; the smoothing, the thinning and the root of the singular values
// follow Levy, Goldberg and Dagan 2015, Improving Distributional Similarity):
//
//	C[w,c] = Σ over pairs at distance δ ≤ window of (window − δ + 1)
//	P[w,c] = max(0, ln(C[w,c]·Σ_c' n(c')^¾ / (n(w)·n(c)^¾)))
//	M[w,c] = g(w)·g(c)·P[w,c] ≈ U·diag(λ)·Uᵀ   (the dim largest |λ|)
//	row w  = s·√dim · r/‖r‖,  r = U[w]·diag(√|λ|)
//
// where the smoothed P is averaged with its transpose. Frequent words are subsampled before pairs
// are counted, so a window reaches further. The weights g make the factorisation fit P better for
// frequent words, as skip-gram does because it sees them more often. docs/vectors.md has the measurements
// behind each choice.
//
// Equal input gives equal bits on every platform and for any number of workers: counts are
// integers, each row of a product is one sum in one order, products that feed a sum are rounded
// first (the compiler may fuse them otherwise), and kernels and logarithm are package simd's.
package corpusvec

import (
	"cmp"
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"imdbexp/internal/guard"
	"imdbexp/internal/simd"
)

// Options configures Train. A zero field means its default.
type Options struct {
	Dim      int    // width of a vector; 50
	Window   int    // words on either side that count as context; 10, in a small corpus 5
	MinCount int    // rarer words keep a zero row and are not used as context; 5, in a small corpus 1
	Seed     uint64 // of the thinning and of the start of the factorisation
	Workers  int    // goroutines; GOMAXPROCS. Never changes the result

	// MaxPairs bounds the distinct pairs of words in memory, 8 bytes each; MaxPairs. If there
	// are more, MinCount is doubled until they fit, and Dropped, if set, is called with it.
	MaxPairs int
	Dropped  func(minCount int)

	// Progress, if set, is called from Train's goroutine with the current stage and the
	// finished share of the work, from 0 to 1.
	Progress func(stage string, fraction float64)
}

// Fixed choices; a change of one changes every vector.
const (
	spread      = 0.4       // s, the root mean square of a coordinate, as in GloVe 6B with 50 dimensions
	largeCorpus = 1_000_000 // words; a smaller corpus keeps all its words
	dropUnder   = 1e-6      // a smaller |λ|, relative to the largest, is rounding error
)

// MaxPairs is the default of Options.MaxPairs; IMDB has 36 million.
const MaxPairs = 64 << 20

// shareOfPairs is the share of counting in the time that training takes.
const shareOfPairs = 0.5

// Train returns one row for each of vocab words, row-major [vocab, Dim]. Text t
// of the corpus is ids[offsets[t]:offsets[t+1]]; context does not cross texts.
// Words that occur fewer than MinCount times, or next to no word more often than by
// chance, have a zero row; coordinates beyond the rank of a very
// small corpus are zero.
//
// Train fails when no two words are neighbours, or when ctx ends.
func Train(ctx context.Context, ids []int32, offsets []int, vocab int, o Options) ([]float32, error) {
	o = o.withDefaults(len(ids))
	m, words, err := count(ctx, ids, offsets, vocab, o)
	for asked := o.MinCount; errors.Is(err, errPairs); {
		o.MinCount *= 2
		m, words, err = count(ctx, ids, offsets, vocab, o)
		if err == nil && o.MinCount > asked && o.Dropped != nil {
			o.Dropped(o.MinCount)
		}
	}
	if err != nil {
		return nil, err
	}
	if !slices.ContainsFunc(m.blocks, func(b block) bool { return len(b.cols) > 0 }) {
		return nil, errors.New("corpusvec: no two words of the corpus occur side by side more often than by chance: " +
			"add text, lower the minimum count or use other vectors")
	}
	u, lambda, err := eigen(ctx, m, o)
	if err != nil {
		return nil, err
	}
	rows := assemble(u, lambda, words, vocab, o.Dim)
	o.report("done", 1)
	return rows, nil
}

// errPairs says that there are more than MaxPairs pairs.
var errPairs = errors.New("corpusvec: too many pairs of words")

// count returns the matrix to factorise, and the words of its rows.
func count(ctx context.Context, ids []int32, offsets []int, vocab int, o Options) (*matrix, []int32, error) {
	words, counts := keep(ids, vocab, o.MinCount)
	m, err := pairs(ctx, subsample(ids, offsets, vocab, words, counts, o), weights(counts, len(ids)), o)
	return m, words, err
}

func (o Options) withDefaults(size int) Options {
	window, minCount := 5, 1
	if size >= largeCorpus {
		window, minCount = 10, 5
	}
	o.Dim, o.Window, o.MinCount = cmp.Or(o.Dim, 50), cmp.Or(o.Window, window), cmp.Or(o.MinCount, minCount)
	o.Workers, o.MaxPairs = cmp.Or(o.Workers, runtime.GOMAXPROCS(0)), cmp.Or(o.MaxPairs, MaxPairs)
	return o
}

func (o Options) report(stage string, fraction float64) {
	if o.Progress != nil {
		o.Progress(stage, fraction)
	}
}

// assemble returns a row for each word of the vocabulary: the word's row of U·|λ|^½, scaled to the
// length s·√dim.
func assemble(u []float32, lambda []float64, words []int32, vocab, dim int) []float32 {
	root := make([]float64, len(lambda))
	for j, l := range lambda {
		if math.Abs(l) > dropUnder*math.Abs(lambda[0]) {
			root[j] = math.Sqrt(math.Abs(l))
		}
	}
	length := spread * math.Sqrt(float64(dim))
	rows := make([]float32, vocab*dim)
	row := make([]float64, dim)
	for r, w := range words {
		var sum float64
		for j, s := range root {
			row[j] = float64(u[r*dim+j]) * s
			sum += float64(row[j] * row[j])
		}
		if sum == 0 {
			continue
		}
		scale := length / math.Sqrt(sum)
		for j, x := range row {
			rows[int(w)*dim+j] = float32(x * scale)
		}
	}
	return rows
}

// matrix is a square sparse matrix [n, n] in blocks of blockRows rows; it grows by blocks without
// being copied.
type matrix struct {
	n      int
	blocks []block
}

// block holds consecutive rows: row i of the block has the columns
// cols[start[i]:start[i+1]], rising, and their values.
type block struct {
	start []int
	cols  []int32
	vals  []float32
}

const blockRows = 64 // small enough that a heavy block leaves no worker idle for long

func newMatrix(n int) *matrix { return &matrix{n, make([]block, blocksOf(n))} }

func blocksOf(n int) int { return (n + blockRows - 1) / blockRows }

// multiply sets y = m·q, both row-major [n, k]. A row of y is one sum in the
// order of the columns.
func (m *matrix) multiply(ctx context.Context, y, q []float32, k, workers int) error {
	return parallel(ctx, len(m.blocks), workers, func() func(int) {
		return func(i int) {
			b := &m.blocks[i]
			for r := range len(b.start) - 1 {
				at := (i*blockRows + r) * k
				sum := y[at : at+k]
				clear(sum)
				for e := b.start[r]; e < b.start[r+1]; e++ {
					c := int(b.cols[e]) * k
					simd.Axpy(sum, b.vals[e], q[c:c+k])
				}
			}
		}
	})
}

// parallel runs the tasks 0 … n−1 on several goroutines. Each worker calls setup once for its
// scratch space. Tasks go to any free worker, so two tasks must not write to the same place.
func parallel(ctx context.Context, n, workers int, setup func() func(task int)) error {
	var next atomic.Int64
	g, ctx := errgroup.WithContext(ctx)
	for range min(workers, n) {
		g.Go(guard.Func(func() error {
			work := setup()
			for task := int(next.Add(1)) - 1; task < n; task = int(next.Add(1)) - 1 {
				if ctx.Err() != nil {
					return ctx.Err()
				}
				work(task)
			}
			return nil
		}))
	}
	return g.Wait()
}
