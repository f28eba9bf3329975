package simd_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/simd"
)

// Ten steps against torch.optim's formulas in float64.
func TestSGDAgainstFloat64(t *testing.T) {
	for _, momentum := range []float64{0, 0.9} {
		w := normals(37, 1)
		ref := make([]float64, len(w))
		buf := make([]float64, len(w))
		for i, x := range w {
			ref[i] = float64(x)
		}
		var v []float32
		if momentum != 0 {
			v = make([]float32, len(w))
		}
		for step := range 10 {
			g := normals(len(w), uint64(10+step))
			simd.SGDStep(w, g, v, 0.05, float32(momentum), 0.01)
			for i := range ref {
				d := float64(g[i]) + 0.01*ref[i]
				if step == 0 {
					buf[i] = d
				} else {
					buf[i] = momentum*buf[i] + d
				}
				ref[i] -= 0.05 * buf[i]
			}
		}
		for i := range ref {
			require.InDelta(t, ref[i], w[i], 2e-6)
		}
	}
}

func TestAdamAgainstFloat64(t *testing.T) {
	const lr, b1, b2, eps, decay = 0.01, 0.9, 0.999, 1e-8, 0.1
	for _, decoupled := range []bool{false, true} {
		w := normals(37, 2)
		m, v := make([]float32, len(w)), make([]float32, len(w))
		ref, rm, rv := make([]float64, len(w)), make([]float64, len(w)), make([]float64, len(w))
		for i, x := range w {
			ref[i] = float64(x)
		}
		for step := 1; step <= 10; step++ {
			g := normals(len(w), uint64(100+step))
			bias1, bias2 := 1-math.Pow(b1, float64(step)), 1-math.Pow(b2, float64(step))
			p := simd.AdamParams{Beta1: b1, Beta2: b2, Eps: eps, StepSize: lr / bias1, SqrtBias2: math.Sqrt(bias2)}
			if decoupled {
				p.Decoupled = lr * decay
			} else {
				p.WeightDecay = decay
			}
			simd.AdamStep(w, g, m, v, p)
			for i := range ref {
				d := float64(g[i])
				if decoupled {
					ref[i] -= lr * decay * ref[i]
				} else {
					d += decay * ref[i]
				}
				rm[i] = b1*rm[i] + (1-b1)*d
				rv[i] = b2*rv[i] + (1-b2)*d*d
				ref[i] -= lr / bias1 * rm[i] / (math.Sqrt(rv[i])/math.Sqrt(bias2) + eps)
			}
		}
		for i := range ref {
			require.InDelta(t, ref[i], w[i], 2e-6)
			require.InDelta(t, rv[i], v[i], 1e-6)
		}
	}
}

var adamParams = simd.AdamParams{Beta1: 0.9, Beta2: 0.999, Eps: 1e-8, StepSize: 0.01,
	SqrtBias2: 0.3, WeightDecay: 0.02, Decoupled: 0.003}

func TestSegmentSumsByHand(t *testing.T) {
	x := []float32{
		1, 10,
		2, 20,
		4, 40,
		1e8, -1e8,
	}
	for _, l := range simd.Levels() {
		useLevel(t, l)
		dst := []float32{9, 9, 9, 9, 9, 9, 9, 9}
		// The first index belongs to no segment; 1e8 + 1 − … shows the order.
		simd.SegmentSums(dst, x, 2, []int32{3, 0, 1, 1, 3, 0, 2, 2}, []int32{1, 4, 4, 6, 8})
		require.Equal(t, []float32{5, 50, 0, 0, 1e8, -1e8 + 10, 8, 80}, dst, "%v", l)
	}
}

// A row's step is AdamStep's, and the rows between keep their numbers.
func TestAdamRowsIsAdamStep(t *testing.T) {
	const d, rows = 50, 7
	for _, l := range simd.Levels() {
		useLevel(t, l)
		w, g, m, v := normals(rows*d, 1), normals(2*d, 2), normals(rows*d, 3), make([]float32, rows*d)
		w2, m2, v2 := normals(rows*d, 1), normals(rows*d, 3), make([]float32, rows*d)
		simd.AdamRows(w, g, m, v, d, []int32{5, 2}, adamParams)
		for k, row := range []int{5, 2} {
			at := row * d
			simd.AdamStep(w2[at:at+d], g[k*d:][:d], m2[at:at+d], v2[at:at+d], adamParams)
		}
		require.Equal(t, [][]float32{w2, m2, v2}, [][]float32{w, m, v}, "%v", l)
	}
}

// Rows are copied and added at every level, to where they belong and nowhere else, whatever is
// asked for ahead.
func TestGatherRows(t *testing.T) {
	rows := []int32{5, 0, 5, 3}
	for _, l := range simd.Levels() {
		useLevel(t, l)
		for d := range 70 {
			x, ld := normals(6*d, 1), d+d%3
			for _, later := range [][]int32{nil, {2}, {1, 0, 5, 4, 3, 2}, {math.MaxInt32, -1}} {
				got, want := normals(4*ld+9, 2), normals(4*ld+9, 2)
				sums, wanted := normals(4*ld+9, 2), normals(4*ld+9, 2)
				for i, row := range rows {
					copy(want[i*ld:][:d], x[int(row)*d:])
					simd.Add(wanted[i*ld:][:d], x[int(row)*d:][:d])
				}
				simd.GatherRows(got, ld, x, d, rows, later)
				simd.GatherAddRows(sums, ld, x, d, rows, later)
				require.Equal(t, want, got, "%v, d = %d", l, d)
				require.Equal(t, wanted, sums, "%v, d = %d", l, d)
			}
		}
	}
}

func TestRowsOutsidePanic(t *testing.T) {
	x := make([]float32, 12)
	sums := func(dst int, index, starts []int32) func() {
		return func() { simd.SegmentSums(x[:dst], x[6:], 2, index, starts) }
	}
	require.NotPanics(t, sums(4, []int32{2, 0}, []int32{0, 1, 2}))
	require.Panics(t, sums(4, []int32{3, 0}, []int32{0, 1, 2}), "row 3 of 3")
	require.Panics(t, sums(4, []int32{-1, 0}, []int32{0, 1, 2}), "row −1")
	require.Panics(t, sums(4, []int32{2, 0}, []int32{0, 1, 3}), "past the index")
	require.Panics(t, sums(4, []int32{2, 0}, []int32{1, 0, 2}), "backwards")
	require.Panics(t, sums(4, []int32{2, 0}, []int32{-1, 0, 2}), "before the index")
	require.Panics(t, sums(2, []int32{2, 0}, []int32{0, 1, 2}), "dst too short")
	require.Panics(t, sums(0, nil, nil))

	gather := func(dst int, rows, later []int32) func() {
		return func() { simd.GatherRows(x[:dst], 3, x[6:], 2, rows, later) }
	}
	require.NotPanics(t, gather(5, []int32{2, 0}, []int32{1, 1}))
	require.NotPanics(t, gather(5, []int32{2, 0}, []int32{1, 1, 9}), "more than are asked for")
	require.Panics(t, gather(4, []int32{2, 0}, nil), "dst too short")
	require.Panics(t, gather(5, []int32{2, 3}, nil), "row 3 of 3")
	require.Panics(t, gather(5, []int32{-1, 0}, nil))
	require.NotPanics(t, gather(5, []int32{2, 0}, []int32{0, 3}), "row 3 is asked for: caches do without")
	require.Panics(t, func() { simd.GatherAddRows(x[:5], 3, x[6:], 2, []int32{2, 3}, nil) })

	adam := func(g int, ids ...int32) func() {
		return func() { simd.AdamRows(x, x[:g], x, x, 2, ids, adamParams) }
	}
	require.Panics(t, adam(2, 6), "row 6 of 6")
	require.Panics(t, adam(2, -1))
	require.Panics(t, adam(4, 1), "two gradients for one row")
}

// BenchmarkRows measures the kernels where their rows lie in the caches: what a
// batch of 64 reviews gives and a table of 72 000 words.
func BenchmarkRows(b *testing.B) {
	const words, rows, d, table = 17_500, 3_500, 50, 72_000
	x, dst := normals(words*d, 1), make([]float32, rows*d)
	index, starts, ids := make([]int32, words), make([]int32, rows+1), make([]int32, rows)
	for i := range index {
		index[i] = int32(i * 7919 % words)
	}
	for u := range ids {
		starts[u+1], ids[u] = int32((u+1)*words/rows), int32(u*table/rows)
	}
	w, m, v := normals(table*d, 2), make([]float32, table*d), make([]float32, table*d)
	b.Run("segment-sums", func(b *testing.B) {
		b.SetBytes(4 * (words + rows) * d)
		for b.Loop() {
			simd.SegmentSums(dst, x, d, index, starts)
		}
	})
	b.Run("adam-rows", func(b *testing.B) {
		b.SetBytes(4 * 7 * rows * d)
		for b.Loop() {
			simd.AdamRows(w, dst, m, v, d, ids, adamParams)
		}
	})
}
