package simd_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/simd"
)

// cell64 is one step of one unit in float64.
func cell64(i, f, g, o, cPrev float64) (c, h float64) {
	c = sigmoid64(f)*cPrev + sigmoid64(i)*math.Tanh(g)
	return c, sigmoid64(o) * math.Tanh(c)
}

func TestLSTMForwardAgainstFloat64(t *testing.T) {
	const rows, h = 7, 50
	z, prev := normals(rows*4*h, 1), normals(rows*h, 2)
	in := append([]float32(nil), z...)
	c, out := make([]float32, rows*h), make([]float32, rows*h)
	simd.LSTMForward(z, rows, h, prev, c, out)
	for k := range c {
		r, j := k/h, k%h
		at := func(gate int) float64 { return float64(in[r*4*h+gate*h+j]) }
		wc, wh := cell64(at(0), at(1), at(2), at(3), float64(prev[k]))
		require.InDelta(t, wc, c[k], 1e-6)
		require.InDelta(t, wh, out[k], 1e-6)
		require.Equal(t, simd.Sigmoid1(in[r*4*h+j]), z[r*4*h+j])
		require.Equal(t, simd.Tanh1(in[r*4*h+2*h+j]), z[r*4*h+2*h+j])
	}
}

// The gradient is compared with central differences of the float64 cell, for the
// loss Σ dh·h + dc·c.
func TestLSTMBackwardAgainstDifferences(t *testing.T) {
	const rows, h = 5, 13
	const eps = 1e-5
	for _, first := range []bool{false, true} {
		z, prev := normals(rows*4*h, 3), normals(rows*h, 4)
		dh, dc := normals(rows*h, 5), normals(rows*h, 6)
		p := prev
		if first {
			p = nil
			clear(prev)
		}
		act := append([]float32(nil), z...)
		c, out := make([]float32, rows*h), make([]float32, rows*h)
		simd.LSTMForward(act, rows, h, p, c, out)
		dcIn, dz := append([]float32(nil), dc...), make([]float32, len(z))
		simd.LSTMBackward(act, rows, h, p, c, dh, dc, dz)
		for k := range c {
			r, j := k/h, k%h
			var v [5]float64
			for g := range 4 {
				v[g] = float64(z[r*4*h+g*h+j])
			}
			v[4] = float64(prev[k])
			loss := func(v [5]float64) float64 {
				c, h := cell64(v[0], v[1], v[2], v[3], v[4])
				return float64(dh[k])*h + float64(dcIn[k])*c
			}
			for g := range v {
				up, down := v, v
				up[g] += eps
				down[g] -= eps
				want := (loss(up) - loss(down)) / (2 * eps)
				got := dc[k]
				if g < 4 {
					got = dz[r*4*h+g*h+j]
				}
				require.InDelta(t, want, got, 2e-6, "row %d unit %d input %d", r, j, g)
			}
		}
	}
}
