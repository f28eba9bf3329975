package bench

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/simd"
	"imdbexp/internal/term"
)

// kernel is one thing to measure; run does it once and returns how many
// operations, or elements, that was.
type kernel struct {
	name string
	size string
	run  func() (count int)
}

// random returns n values between -most and most.
func random(n int, stream uint64, most float32) []float32 {
	x := make([]float32, n)
	simd.Uniform(x, simd.Key(stream, "bench"), -most, most)
	return x
}

type product func(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, accumulate bool)

// kernel returns the product of m×k and k×n values, with rows of lda and ldb.
func (f product) kernel(name string, m, k, n, lda, ldb int) kernel {
	a, b, c := random(m*k, 1, 1), random(k*n, 2, 1), make([]float32, m*n)
	return kernel{name, fmt.Sprintf("%d×%d×%d", m, k, n), func() int {
		f(m, n, k, a, lda, b, ldb, c, n, false)
		return 2 * m * n * k
	}}
}

// products are the matrix products of an LSTM with h = d = 50, and attention's.
func products() []kernel {
	nn, nt, tn := product(simd.NN), product(simd.NT), product(simd.TN)
	return []kernel{
		nn.kernel("A·B    inputs to gates", 512, 50, 200, 50, 200),
		nn.kernel("A·B    states to gates", 32, 50, 200, 50, 200),
		nn.kernel("A·B    gates to states", 32, 200, 50, 200, 50),
		tn.kernel("Aᵀ·B   gradient of weights", 50, 512, 200, 50, 200),
		nn.kernel("A·B    values", 4096, 50, 50, 50, 50),
		nt.kernel("A·Bᵀ   scores", 256, 50, 256, 50, 50),
	}
}

// elementwise are the other kernels.
func elementwise() []kernel {
	const n, h = 4096, 50
	x, y := random(n, 1, 4), make([]float32, n)
	w, m, v := make([]float32, n), make([]float32, n), make([]float32, n)
	z, c, out := make([]float32, 32*4*h), make([]float32, 32*h), make([]float32, 32*h)
	unary := func(name string, f func(dst, x []float32)) kernel {
		return kernel{name, "4096", func() int { f(y, x); return n }}
	}
	return []kernel{
		unary("exp", simd.Exp), unary("log", simd.Log), unary("sigmoid", simd.Sigmoid), unary("tanh", simd.Tanh),
		{"softmax", "4096", func() int { simd.SoftmaxLSE(y, x); return n }},
		{"dot", "4096", func() int { simd.Dot(x, y); return n }},
		{"LSTM gates", "32×50", func() int {
			simd.Uniform(z[:1], 1, -1, 1) // the gates are overwritten: keep them from settling
			simd.LSTMForward(z, 32, h, nil, c, out)
			return len(out)
		}},
		{"Adam", "4096", func() int {
			simd.AdamStep(w, x, m, v, simd.AdamParams{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, SqrtBias2: 1})
			return n
		}},
	}
}

// benchKernels measures the kernels on one core at each level.
func benchKernels(ctx context.Context, a *cli.App) error {
	before := simd.Current()
	defer func() { _ = simd.Use(before) }()
	if err := measureKernels(ctx, a.IO, "matrix products on one core, GFLOP/s", products(), 1e9, 1); err != nil {
		return err
	}
	return measureKernels(ctx, a.IO, "other kernels on one core, million elements/s", elementwise(), 1e6, 0)
}

// measureKernels prints a table of rates in a unit.
func measureKernels(ctx context.Context, io *term.IO, title string, list []kernel, unit float64, digits int) error {
	cols := []term.Column{{Head: "kernel"}, {Head: "size", Optional: 1}}
	for _, l := range cli.Levels() {
		cols = append(cols, term.Column{Head: l, Right: true})
	}
	t := term.NewTable(cols...)
	for _, k := range list {
		cells := []string{k.name, k.size}
		for _, l := range slices.Backward(simd.Levels()) {
			if err := simd.Use(l); err != nil {
				return err
			}
			cells = append(cells, strconv.FormatFloat(rates(5*time.Millisecond, k.run)[0]/unit, 'f', digits, 64))
		}
		t.Add(cells...)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	io.Heading(title)
	return t.Text(io, "  ")
}

// rates runs functions in turns and returns how much each does in a second. A turn takes at least min.
// Each rate is the best of several turns, which other processes disturb least.
func rates(min time.Duration, runs ...func() (count int)) []float64 {
	const rounds = 5
	best, batches := make([]float64, len(runs)), make([]int, len(runs))
	for i, run := range runs {
		began := time.Now()
		run()
		// Reading the clock takes as long as a small kernel, so it is read once in a batch of runs.
		batches[i] = 1 + int(min/10/max(1, time.Since(began)))
	}
	for range rounds {
		for i, run := range runs {
			count, began := 0, time.Now()
			for time.Since(began) < min {
				for range batches[i] {
					count += run()
				}
			}
			best[i] = max(best[i], float64(count)/time.Since(began).Seconds())
		}
	}
	return best
}
