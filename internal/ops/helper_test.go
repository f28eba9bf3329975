package ops_test

import (
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
)

const (
	seed = 7 // of the graphs
	step = 5 // of the runs
)

// batch has reviews of the given lengths, labelled 0, 1, 2, 0, …
func batch(lengths ...int) *ragged.Batch {
	b := &ragged.Batch{Offsets: []int{0}}
	for i, n := range lengths {
		for range n {
			b.IDs = append(b.IDs, int32(len(b.IDs)))
		}
		b.Offsets = append(b.Offsets, len(b.IDs))
		b.Reviews = append(b.Reviews, int32(i))
		b.Labels = append(b.Labels, int32(i%3))
	}
	return b
}

// longest returns the length of the longest review.
func longest(b *ragged.Batch) (n int) {
	for r := range b.Len() {
		n = max(n, b.Offsets[r+1]-b.Offsets[r])
	}
	return n
}

// longTail is a batch of about n words whose lengths fall from 3 000 to 1.
func longTail(n int) *ragged.Batch {
	lengths := []int{3000}
	for left := n - 3000; left > 0; {
		next := min(left, max(1, lengths[len(lengths)-1]*4/5))
		lengths = append(lengths, next)
		if left -= next; next == 1 {
			lengths, left = append(lengths, left), 0 // the order of lengths must not matter
		}
	}
	return batch(append(lengths, 1, 1, 1)...)
}

// random returns n numbers in ±0.8 that follow from the name; the first of them
// do not depend on n.
func random(name string, n int) []float32 {
	x := make([]float32, n)
	simd.Uniform(x, simd.Key(3, name), -0.8, 0.8)
	return x
}

func newPool(t testing.TB, workers int) *ops.Pool {
	pool := ops.NewPool(workers)
	t.Cleanup(pool.Close)
	return pool
}

// sizes returns the size of a test: the full one, or a small one for -short
// (under an emulator).
func sizes(full, short int) int {
	if testing.Short() {
		return short
	}
	return full
}
