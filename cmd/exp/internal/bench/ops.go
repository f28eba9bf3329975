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

type product func(m, n, k int, a []float32, lda int, b []float32, ldb int, c []float32, ldc int, accumulate bool)

// products are the matrix products of an LSTM with h = d = 50, and attention's.
func products() []kernel {
	random := func(n int) []float32 {
		x := make([]float32, n)
		simd.Uniform(x, simd.Key(1, "bench"), -1, 1)
		return x
	}
	var out []kernel
	add := func(name string, f product, m, k, n int, lda, ldb int) {
		a, b, c := random(m*k), random(k*n), make([]float32, m*n)
		out = append(out, kernel{name, fmt.Sprintf("%d×%d×%d", m, k, n), func() int {
			f(m, n, k, a, lda, b, ldb, c, n, false)
			return 2 * m * n * k
		}})
	}
	add("A·B    inputs to gates", simd.NN, 512, 50, 200, 50, 200)
	add("A·B    states to gates", simd.NN, 32, 50, 200, 50, 200)
	add("A·B    gates to states", simd.NN, 32, 200, 50, 200, 50)
	add("Aᵀ·B   gradient of weights", simd.TN, 50, 512, 200, 50, 200)
	add("A·B    values", simd.NN, 4096, 50, 50, 50, 50)
	add("A·Bᵀ   scores", simd.NT, 256, 50, 256, 50, 50)
	return out
}

// elementwise are the other kernels.
func elementwise() []kernel {
	const n, h = 4096, 50
	x, y := make([]float32, n), make([]float32, n)
	w, m, v := make([]float32, n), make([]float32, n), make([]float32, n)
	simd.Uniform(x, simd.Key(1, "bench"), -4, 4)
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

// benchOps measures the kernels on one core at each level, then the ops made of
// them.
func benchOps(ctx context.Context, a *cli.App) error {
	before := simd.Current()
	defer func() { _ = simd.Use(before) }()
	if err := measureKernels(ctx, a.IO, "matrix products on one core, GFLOP/s", products(), 1e9, 1); err != nil {
		return err
	}
	if err := measureKernels(ctx, a.IO, "other kernels on one core, million elements/s", elementwise(), 1e6, 0); err != nil {
		return err
	}
	if err := simd.Use(before); err != nil {
		return err
	}
	if err := benchGraph(ctx, a); err != nil {
		return err
	}
	if err := benchScores(ctx, a); err != nil {
		return err
	}
	return benchAttention(ctx, a)
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
			cells = append(cells, strconv.FormatFloat(rate(k)/unit, 'f', digits, 64))
		}
		t.Add(cells...)
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	io.Heading(title)
	return t.Text(io, "  ")
}

// rate returns the best rate of several rounds: others only ever take time away.
func rate(k kernel) float64 {
	const rounds, least = 5, 5 * time.Millisecond
	began := time.Now()
	k.run()
	// The clock is read once in a while only: it takes as long as a small kernel.
	batch := 1 + int(least/10/max(1, time.Since(began)))
	best := 0.0
	for range rounds {
		count, began := 0, time.Now()
		for time.Since(began) < least {
			for range batch {
				count += k.run()
			}
		}
		best = max(best, float64(count)/time.Since(began).Seconds())
	}
	return best
}
