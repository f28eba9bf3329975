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
