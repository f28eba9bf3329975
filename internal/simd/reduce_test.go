package simd_test

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/simd"
	"imdbexp/internal/simd/selftest"
)

func normals(n int, seed uint64) []float32 {
	rng := rand.New(rand.NewPCG(seed, 99))
	x := make([]float32, n)
	for i := range x {
		x[i] = float32(rng.NormFloat64())
	}
	return x
}

// The order of a sum is part of the promise: these are its rules, spelled out.
func TestSumIsLanesAndTree(t *testing.T) {
	for _, n := range []int{0, 1, 15, 16, 17, 50, 333} {
		x := normals(n, uint64(n))
		var lane [16]float32
		for i, v := range x {
			lane[i%16] += v
		}
		for _, h := range []int{8, 4, 2, 1} {
			for l := range h {
				lane[l] += lane[l+h]
			}
		}
		require.Equal(t, lane[0], simd.Sum(x), "n = %d", n)
	}
}

func TestReductionsAgainstFloat64(t *testing.T) {
	for _, n := range []int{1, 7, 50, 230, 5000} {
		x, y := normals(n, 1), normals(n, 2)
		var dot, abs, sum, sq float64
		largest := math.Inf(-1)
		for i := range x {
			dot += float64(x[i]) * float64(y[i])
			abs += math.Abs(float64(x[i])*float64(y[i])) + math.Abs(float64(x[i]))
			sum += float64(x[i])
			sq += float64(x[i]) * float64(x[i])
			largest = math.Max(largest, float64(x[i]))
		}
		require.InDelta(t, dot, simd.Dot(x, y), 1e-6*abs)
		require.InDelta(t, sum, simd.Sum(x), 1e-6*abs)
		require.InEpsilon(t, sq, simd.SumSquares(x), 1e-13)
		require.EqualValues(t, largest, simd.Max(x))
	}
	require.True(t, math.IsInf(float64(simd.Max(nil)), -1))
	m := simd.Max([]float32{1, float32(math.NaN()), 3})
	require.True(t, m != m)
}

func TestDotRowsIsDot(t *testing.T) {
	const rows, ld, d = 37, 55, 50
	x, q, dst := normals(rows*ld, 3), normals(d, 4), make([]float32, rows)
	simd.DotRows(dst, x, ld, d, q)
	for i, v := range dst {
		require.Equal(t, simd.Dot(x[i*ld:][:d], q), v)
	}
}

func TestSoftmaxLSE(t *testing.T) {
	for _, shift := range []float32{0, 1e4, -1e4} {
		s := normals(230, 5)
		var sum float64
		for i := range s {
			s[i] = s[i]*3 + shift
			sum += math.Exp(float64(s[i]) - float64(shift))
		}
		want := math.Log(sum) + float64(shift)
		p := make([]float32, len(s))
		lse := simd.SoftmaxLSE(p, s)
		require.InDelta(t, want, lse, 2e-7*math.Max(1, math.Abs(want)))
		require.InDelta(t, 1, simd.Sum(p), 1e-6)
		for i, v := range p {
			require.InEpsilon(t, math.Exp(float64(s[i])-want), v, 3e-6)
		}
	}
	one := []float32{-7}
	require.EqualValues(t, -7, simd.SoftmaxLSE(one, one))
	require.EqualValues(t, 1, one[0])
	require.True(t, math.IsInf(float64(simd.SoftmaxLSE(nil, nil)), -1))
	none := []float32{float32(math.Inf(-1)), float32(math.Inf(-1))}
	lse := simd.SoftmaxLSE(none, none)
	require.True(t, lse != lse && none[0] != none[0])
}

func TestColumnSumsAndBias(t *testing.T) {
	const rows, ld, d = 9, 70, 67
	x := normals(rows*ld, 6)
	dst := normals(d, 7)
	want := make([]float32, d)
	copy(want, dst)
	for i := range rows {
		for j := range want {
			want[j] += x[i*ld+j]
		}
	}
	simd.ColumnSums(dst, x, rows, ld, d, true)
	require.Equal(t, want, dst)
	simd.ColumnSums(dst, x, 0, ld, d, false)
	require.Equal(t, make([]float32, d), dst)

	before := append([]float32(nil), x...)
	simd.AddBias(x, rows, ld, d, want)
	for k := range x {
		w := before[k]
		if k%ld < d {
			w += want[k%ld]
		}
		require.Equal(t, w, x[k])
	}
}

func TestWrongLengthsPanic(t *testing.T) {
	x := make([]float32, 8)
	require.Panics(t, func() { simd.Exp(x, x[:7]) })
	require.Panics(t, func() { simd.DotRows(x[:3], x, 3, 3, x[:3]) })
	require.Panics(t, func() { simd.ColumnSums(x[:4], x, 2, 3, 4, false) })
	require.Panics(t, func() { simd.LSTMForward(x, 1, 2, nil, x[:2], x[:1]) })
	require.Panics(t, func() { simd.Dropout(x, x, 1, 1) })
}

// TestSoftmaxColumns checks one tile, and two tiles with a maximum that moves,
// against float64.
func TestSoftmaxColumns(t *testing.T) {
	const rows, d, scale = 7, 21, 0.5
	r := rand.New(rand.NewPCG(1, 2))
	x := make([]float32, rows*d)
	for i := range x {
		x[i] = float32(r.NormFloat64()) * 6
	}
	m, sum, dot := make([]float32, d), make([]float32, d), make([]float32, d)
	simd.Fill(m, float32(math.Inf(-1)))
	y := append([]float32(nil), x...)
	simd.ColumnMax(m, y, rows, d, d)
	simd.Scale(m, scale)
	simd.SoftmaxColumns(y, rows, d, d, scale, m, sum, dot)
	for j := range d {
		var s, u float64
		for i := range rows {
			at := scale*float64(x[i*d+j]) - float64(m[j])
			require.LessOrEqual(t, at, 0.0)
			s += math.Exp(at)
			u += at * math.Exp(at)
			require.InDelta(t, math.Exp(at), y[i*d+j], 1e-6)
		}
		require.InDelta(t, s, sum[j], 1e-6)
		require.InDelta(t, u, dot[j], 1e-6)
	}
}

// A score of −Inf, which a mask leaves, counts for nothing; nor does one far below
// the largest.
func TestMaskedScores(t *testing.T) {
	for _, far := range []float32{simd.SoftmaxMin, -90, -1e30} {
		x, sum, dot := []float32{far, -39.9}, []float32{0, 0}, []float32{0, 0}
		simd.SoftmaxColumns(x, 1, 2, 2, 1, []float32{0, 0}, sum, dot)
		require.Equal(t, []float32{0, simd.Exp1(-39.9)}, x)
		require.Equal(t, x, sum)
		require.Zero(t, dot[0])
	}
	inf := float32(math.Inf(-1))
	x := []float32{0, inf, inf, 0}
	sum, dot := make([]float32, 2), make([]float32, 2)
	simd.SoftmaxColumns(x, 2, 2, 2, 1, []float32{0, 0}, sum, dot)
	require.Equal(t, []float32{1, 0, 0, 1}, x)
	require.Equal(t, []float32{1, 1}, sum)
	require.Equal(t, []float32{0, 0}, dot)
	x, dy := []float32{inf, 0}, []float32{3, 5}
	simd.SoftmaxGradRows(x, dy, 1, 2, 2, 1, []float32{0}, []float32{5}, 2)
	require.Equal(t, []float32{0, 1}, x)
	require.Equal(t, []float32{0, 0}, dy)
}

// The rows and columns of a mask are dropped as often as any element, and one
// element tells nothing about the next.
func TestDropoutGridIsUniform(t *testing.T) {
	const n, p = 512, 0.3
	e := selftest.New(3, selftest.Plain)
	x := make([]float32, n*n)
	simd.Fill(x, 1)
	rowKeys, colKeys := e.Keys(n), e.Keys(n)
	simd.DropoutGrid(x, n, n, n, rowKeys, colKeys, p)
	rows, cols, pairs := make([]float64, n), make([]float64, n), 0.0
	for i := range n {
		for j := range n {
			if x[i*n+j] == 0 {
				rows[i]++
				cols[j]++
				if j > 0 && x[i*n+j-1] == 0 {
					pairs++
				}
			}
		}
	}
	sd := math.Sqrt(n * p * (1 - p))
	var all float64
	for i := range n {
		require.InDelta(t, n*p, rows[i], 5*sd)
		require.InDelta(t, n*p, cols[i], 5*sd)
		all += rows[i]
	}
	require.InDelta(t, n*n*p, all, 4*sd*math.Sqrt(n))
	require.InDelta(t, n*n*p*p, pairs, 0.02*n*n*p*p)

	y := make([]float32, n*n)
	simd.Fill(y, 1)
	simd.DropoutGrid(y, n, n, n, colKeys, rowKeys, p)
	for i := range n {
		for j := range n {
			require.Equal(t, x[i*n+j], y[j*n+i])
		}
	}
}

// Every element is where it belongs, and nothing else is written.
func TestTranspose(t *testing.T) {
	for _, l := range simd.Levels() {
		useLevel(t, l)
		for _, s := range [][2]int{{1, 1}, {3, 20}, {20, 3}, {8, 8}, {9, 10}, {15, 16}, {128, 10}, {10, 128}, {21, 50}} {
			rows, cols := s[0], s[1]
			lds, ldd := cols+3, rows+5
			src, dst := normals(rows*lds, 1), normals(cols*ldd, 2)
			want := slices.Clone(dst)
			for i := range rows {
				for j := range cols {
					want[j*ldd+i] = src[i*lds+j]
				}
			}
			simd.Transpose(dst, ldd, src, lds, rows, cols)
			require.Equal(t, want, dst, "%v %v", l, s)
		}
	}
}
