// Package corpusvec trains word vectors on a corpus itself, without labels and
// without any download.
//
// The vectors factorise the corpus's positive pointwise mutual information
// (Levy and Goldberg 2014, Neural Word Embedding as Implicit Matrix
// Factorization; the smoothing and the root of the singular values follow Levy,
// Goldberg and Dagan 2015, Improving Distributional Similarity):
//
//	C[w,c] = Σ over pairs at distance δ ≤ window of (window − δ + 1)
//	M[w,c] = max(0, ln(C[w,c]·Σ_c' n(c')^¾ / (n(w)·n(c)^¾)))
//	M      ≈ U·diag(λ)·Uᵀ                      (the dim largest |λ|)
//	rows   = s·U·diag(√|λ|)                    [V, dim]
//
// where the smoothed M is averaged with its transpose and s brings the rows to
// the spread of GloVe's, so that learning rates carry over from one to the other.
//
// Equal input gives equal bits on every platform and for any number of workers:
// counts are integers, each row of a product is one sum in one order, products
// that feed a sum are rounded first (the compiler may fuse them otherwise), and
// the logarithm is this package's own.
package corpusvec

import (
	"context"
	"errors"
	"fmt"
	"math"
	"runtime"
)

// Options says how vectors are trained. The zero value of each field stands for
// its default.
type Options struct {
	Dim      int    // width of a vector; 50
	Window   int    // words on either side that count as context; 5
	MinCount int    // rarer words keep a zero row and are no context; 1
	Seed     uint64 // of the random start of the factorisation
	Workers  int    // goroutines; GOMAXPROCS. Never changes the result

	// Progress, if set, is called from Train's goroutine after each of its
	// stages with the number of stages done and their total.
	Progress func(done, total int)
}

// Fixed choices; a change of one changes every vector.
const (
	powerIterations = 6   // of the subspace; each multiplies M once
	oversampling    = 10  // more columns than dim, which speeds convergence
	targetSpread    = 0.4 // standard deviation of GloVe 6B's 50-d coordinates
)

// maxDim is the widest vector that Train accepts; the small eigenproblem grows
// with its cube.
const maxDim = 1000

// Train returns one row for each of vocab words, row-major [vocab, Dim]. Text t
// of the corpus is ids[offsets[t]:offsets[t+1]]; context does not cross texts.
// Words that do not occur, or fewer than MinCount times, have a zero row, as
// have coordinates beyond the rank of a very small corpus.
//
// Train fails when offsets or ids are out of range, when no two words occur
// side by side, or when ctx ends.
func Train(ctx context.Context, ids []int32, offsets []int, vocab int, o Options) ([]float32, error) {
	o, err := o.withDefaults()
	if err != nil {
		return nil, err
	}
	if err := checkCorpus(ids, offsets, vocab); err != nil {
		return nil, err
	}
	stage, stages := 0, powerIterations+4
	done := func() {
		stage++
		if o.Progress != nil {
			o.Progress(stage, stages)
		}
	}

	kept, words := keep(ids, vocab, o.MinCount)
	m, err := count(ctx, kept, offsets, len(words), o)
	if err != nil {
		return nil, err
	}
	done()
	if err := weigh(ctx, m, o.Workers); err != nil {
		return nil, err
	}
	if m.empty() {
		return nil, errors.New("corpusvec: no two words of the corpus occur side by side more often than by chance: " +
			"add text, lower the minimum count or use other vectors")
	}
	done()
	u, lambda, err := eigen(ctx, m, o, done)
	if err != nil {
		return nil, err
	}
	done()
	return assemble(u, lambda, words, vocab, o.Dim), nil
}

func (o Options) withDefaults() (Options, error) {
	set := func(v *int, def int) {
		if *v == 0 {
			*v = def
		}
	}
	set(&o.Dim, 50)
	set(&o.Window, 5)
	set(&o.MinCount, 1)
	set(&o.Workers, runtime.GOMAXPROCS(0))
	switch {
	case o.Dim < 1 || o.Dim > maxDim:
		return o, fmt.Errorf("corpusvec: dim is %d, want 1 to %d", o.Dim, maxDim)
	case o.Window < 1 || o.Window > 1000:
		return o, fmt.Errorf("corpusvec: window is %d, want 1 to 1000", o.Window)
	case o.MinCount < 1:
		return o, fmt.Errorf("corpusvec: minimum count is %d, want 1 or more", o.MinCount)
	case o.Workers < 1:
		return o, fmt.Errorf("corpusvec: workers is %d, want 1 or more", o.Workers)
	}
	return o, nil
}

func checkCorpus(ids []int32, offsets []int, vocab int) error {
	if len(ids) > math.MaxInt32 {
		return fmt.Errorf("corpusvec: the corpus has %d words, more than %d", len(ids), math.MaxInt32)
	}
	if len(offsets) == 0 || offsets[0] != 0 || offsets[len(offsets)-1] != len(ids) {
		return fmt.Errorf("corpusvec: the %d offsets do not run from 0 to %d, the number of words", len(offsets), len(ids))
	}
	for t := 1; t < len(offsets); t++ {
		if offsets[t] < offsets[t-1] {
			return fmt.Errorf("corpusvec: offset %d is %d, less than the one before, %d", t, offsets[t], offsets[t-1])
		}
	}
	for i, id := range ids {
		if id < 0 || int(id) >= vocab {
			return fmt.Errorf("corpusvec: word %d has id %d, want 0 to %d", i, id, vocab-1)
		}
	}
	return nil
}

// assemble scatters s·U·|λ|^½ into rows of the whole vocabulary.
func assemble(u []float64, lambda []float64, words []int32, vocab, dim int) []float32 {
	k := len(lambda)
	scale := make([]float64, k)
	for j, l := range lambda {
		scale[j] = math.Sqrt(math.Abs(l))
	}
	rows := make([]float32, vocab*dim)
	var sum, sum2 float64
	for r := range words {
		for j, s := range scale {
			x := float64(u[r*k+j] * s)
			sum += x
			sum2 += float64(x * x)
		}
	}
	n := float64(len(words) * dim)
	mean := sum / n
	spread := math.Sqrt(sum2/n - float64(mean*mean))
	if spread > 0 {
		f := targetSpread / spread
		for j := range scale {
			scale[j] *= f
		}
	}
	for r, w := range words {
		for j, s := range scale {
			rows[int(w)*dim+j] = float32(u[r*k+j] * s)
		}
	}
	return rows
}
