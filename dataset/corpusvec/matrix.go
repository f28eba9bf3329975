package corpusvec

import (
	"context"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"imdbexp/internal/guard"
	"imdbexp/internal/simd"
)

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

func (m *matrix) empty() bool {
	for _, b := range m.blocks {
		if len(b.cols) > 0 {
			return false
		}
	}
	return true
}

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
