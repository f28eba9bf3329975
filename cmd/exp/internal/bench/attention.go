package bench

import (
	"context"
	"fmt"
	"strconv"
	"time"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/term"
)

// benchAttention measures self-attention with one head of width benchWidth and compares it with the
// matrix kernel that it uses. An element of the n×n scores costs 14 operations a column: two products
// forwards, and backwards four and the scores again.
func benchAttention(ctx context.Context, a *cli.App) error {
	const n, k = 256, benchWidth
	x, y, z := make([]float32, n*k), make([]float32, k*n), make([]float32, n*n)
	simd.Uniform(x, simd.Key(1, "bench"), -1, 1)
	simd.Uniform(y, simd.Key(2, "bench"), -1, 1)
	matrix := func() error {
		simd.NN(n, n, k, x, k, y, n, z, n, false)
		return nil
	}
	t := term.NewTable(term.Column{Head: "reviews × words"}, term.Column{Head: "workers", Right: true},
		term.Column{Head: "GFLOP/s", Right: true}, term.Column{Head: "share", Right: true})
	for _, c := range []struct{ reviews, words, workers int }{
		{4, 64, 1}, {4, 256, 1}, {1, 1024, 1}, {16, 256, a.Workers}, {1, 2048, a.Workers},
	} {
		step, done, err := attentionStep(c.workers, reviewsOf(c.reviews, c.words))
		if err != nil {
			return err
		}
		op, kernel, err := fastest(step, matrix)
		done()
		if err != nil {
			return err
		}
		rate := 14 * float64(c.reviews*c.words*c.words*k) / op.Seconds()
		of := 2 * float64(n*n*k) / kernel.Seconds() * float64(c.workers)
		t.Add(fmt.Sprintf("%d × %d", c.reviews, c.words), strconv.Itoa(c.workers), strconv.FormatFloat(rate/1e9, 'f', 1, 64),
			fmt.Sprintf("%.0f %%", 100*rate/of))
		if err := ctx.Err(); err != nil {
			return err
		}
	}
	a.Heading(fmt.Sprintf("self-attention, forwards and backwards, one head of width %d", benchWidth))
	if err := t.Text(a.IO, "  "); err != nil {
		return err
	}
	a.Printf("  share: of as many cores running A·B %d×%d×%d, measured in turns\n", n, k, n)
	return nil
}

// attentionStep returns a function that runs the op once in each direction, with almost nothing else
// in its graph, and a function that frees it.
func attentionStep(workers int, b *ragged.Batch) (step func() error, done func(), err error) {
	pool := ops.NewPool(workers)
	g := ops.NewGraph(pool, true)
	var in []*ops.Node
	for i, name := range []string{"queries", "keys", "values"} {
		data := make([]float32, b.Words()*benchWidth)
		simd.Uniform(data, simd.Key(uint64(i), name), -1, 1)
		x := g.Leaf(name, g.Words(), benchWidth, true)
		x.Set(ops.Mat{Rows: b.Words(), Cols: benchWidth, Data: data})
		in = append(in, x)
	}
	out, _ := ops.SelfAttend(in[0], in[1], in[2], ops.SelfAttention{Heads: 1, Scale: 0.14})
	w := make([]float32, benchWidth)
	simd.Fill(w, 1)
	cost := ops.Total(ops.Term{Node: ops.Linear(ops.Mean(out), g.Param("w", benchWidth, 1, w), nil), Weight: 1})
	if _, err = g.Grad(cost, in...); err != nil {
		pool.Close()
		return nil, nil, err
	}
	m, err := g.Machine()
	if err != nil {
		pool.Close()
		return nil, nil, err
	}
	return func() error { return m.Run(b, 1) }, func() { m.Close(); pool.Close() }, nil
}

// reviewsOf returns a batch of reviews of equal length.
func reviewsOf(reviews, words int) *ragged.Batch {
	b := &ragged.Batch{IDs: make([]int32, reviews*words), Offsets: []int{0}, Labels: make([]int32, reviews)}
	for i := range reviews {
		b.Offsets = append(b.Offsets, (i+1)*words)
		b.Reviews = append(b.Reviews, int32(i))
	}
	return b
}

// fastest runs f and g in turns and returns the shortest time of each, which other processes disturb
// least.
func fastest(f, g func() error) (a, b time.Duration, err error) {
	const least, rounds = 300 * time.Millisecond, 20
	began := time.Now()
	for i := 0; i < rounds || time.Since(began) < least; i++ {
		for _, r := range []struct {
			run  func() error
			best *time.Duration
		}{{f, &a}, {g, &b}} {
			start := time.Now()
			if err := r.run(); err != nil {
				return 0, 0, err
			}
			if d := time.Since(start); i == 0 || d < *r.best {
				*r.best = d
			}
		}
	}
	return a, b, nil
}
