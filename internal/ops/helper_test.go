package ops_test

import (
	"os"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"
)

const (
	seed = 7 // of the graphs
	step = 5 // of the runs
)

// vocabulary is how many words the batches of the tests know, on both sides.
const vocabulary = 11

// batch has reviews of the given lengths, labelled 0, 1, 2, 0, … Each has a target of
// another length, one row in eight without a label, and a past of one to three rows.
// They were drawn in another order: the first at the second place, the last at the first.
func batch(lengths ...int) *ragged.Batch {
	b := &ragged.Batch{Offsets: []int{0}, TargetOffsets: []int{0}, PastOffsets: []int{0}}
	word := func(side uint64, at int) int32 { return int32(simd.Hash2(3, side, uint64(at)) % vocabulary) }
	for i, n := range lengths {
		for range n {
			b.IDs = append(b.IDs, word(0, len(b.IDs)))
		}
		for range 1 + (2*n+i)/3 {
			label := word(2, len(b.TargetOut))
			if len(b.TargetOut)%8 == 7 {
				label = -1
			}
			b.TargetIn, b.TargetOut = append(b.TargetIn, word(1, len(b.TargetIn))), append(b.TargetOut, label)
		}
		b.Offsets = append(b.Offsets, len(b.IDs))
		b.TargetOffsets = append(b.TargetOffsets, len(b.TargetIn))
		b.PastOffsets = append(b.PastOffsets, b.PastOffsets[i]+1+i%3)
		b.Reviews = append(b.Reviews, int32(i))
		b.Order = append(b.Order, int32((i+1)%len(lengths)))
		b.Labels = append(b.Labels, int32(i%3))
	}
	return b
}

// only is the batch of review r of b alone.
func only(b *ragged.Batch, r int) *ragged.Batch {
	lo, hi, from, to := b.Offsets[r], b.Offsets[r+1], b.TargetOffsets[r], b.TargetOffsets[r+1]
	return &ragged.Batch{
		IDs: b.IDs[lo:hi], Offsets: []int{0, hi - lo}, Reviews: b.Reviews[r : r+1], Labels: b.Labels[r : r+1],
		TargetIn: b.TargetIn[from:to], TargetOut: b.TargetOut[from:to], TargetOffsets: []int{0, to - from},
		PastOffsets: []int{0, b.PastOffsets[r+1] - b.PastOffsets[r]},
	}
}

// sentences is a batch of n pairs as short as sentences are.
func sentences(n int) *ragged.Batch {
	lengths := make([]int, n)
	for i := range lengths {
		lengths[i] = 3 + int(simd.Hash1(5, uint64(i))%23)
	}
	return batch(lengths...)
}

// longest returns the length of the longest review.
func longest(b *ragged.Batch) (n int) {
	for r := range b.Len() {
		n = max(n, b.Offsets[r+1]-b.Offsets[r])
	}
	return n
}

// longTail is a batch of about n words whose lengths fall from 3 000, or half of the words, to 1.
func longTail(n int) *ragged.Batch {
	lengths := []int{min(3000, n/2)}
	for left := n - lengths[0]; left > 0; {
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

// machine returns the machine of a graph, which is closed when the test ends.
func machine(t testing.TB, g *ops.Graph) *ops.Machine {
	m := must.Get(g.Machine())(t)
	t.Cleanup(func() { m.Close() })
	return m
}

func newPool(t testing.TB, workers int) *ops.Pool {
	pool := ops.NewPool(workers)
	t.Cleanup(pool.Close)
	return pool
}

// long reports whether there is time for what takes long, as in .ci/run.
func long() bool { return os.Getenv("EXP_CI") == "1" && !testing.Short() }

// sizes returns the size of a test: the full one where there is time, a smaller one
// elsewhere, and the least for -short (under an emulator).
func sizes(full, plain, short int) int {
	switch {
	case testing.Short():
		return short
	case long():
		return full
	}
	return plain
}
