package simd_test

import (
	"math"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/simd"
)

// gru64 is the cell in float64.
func gru64(zn, zr, zu, a, hPrev float64) float64 {
	r, u := 1/(1+math.Exp(-zr)), 1/(1+math.Exp(-zu))
	return (1-u)*math.Tanh(zn+r*a) + u*hPrev
}

func TestGRUForward(t *testing.T) {
	for _, h := range []int{1, 13, 50, 300} { // more than a block of gruState
		for _, first := range []bool{false, true} {
			const rows = 7
			z, prev := normals(rows*4*h, 1), normals(rows*h, 2)
			in, p := append([]float32(nil), z...), prev
			if first {
				p = nil
				clear(prev)
			}
			out := make([]float32, rows*h)
			simd.GRUForward(z, rows, h, p, out)
			for k, got := range out {
				row, j := in[k/h*4*h:], k%h
				want := gru64(float64(row[j]), float64(row[h+j]), float64(row[2*h+j]), float64(row[3*h+j]), float64(prev[k]))
				require.InDelta(t, want, got, 5e-7)
				gates := z[k/h*4*h:]
				require.Equal(t, simd.Sigmoid1(row[h+j]), gates[h+j])
				require.Equal(t, simd.Sigmoid1(row[2*h+j]), gates[2*h+j])
				require.Equal(t, row[3*h+j], gates[3*h+j])
			}
		}
	}
}

// The gradient is compared with central differences of the float64 cell, for the
// loss Σ dh·h.
func TestGRUBackwardAgainstDifferences(t *testing.T) {
	const rows, h, eps = 5, 13, 1e-5
	for _, first := range []bool{false, true} {
		z, prev, dh := normals(rows*4*h, 3), normals(rows*h, 4), normals(rows*h, 5)
		p := prev
		if first {
			p = nil
			clear(prev)
		}
		act, out := append([]float32(nil), z...), make([]float32, rows*h)
		simd.GRUForward(act, rows, h, p, out)
		dPrev, dz := append([]float32(nil), dh...), make([]float32, len(z))
		simd.GRUBackward(act, rows, h, p, dPrev, dz)
		for k := range out {
			r, j := k/h, k%h
			var v [5]float64
			for g := range 4 {
				v[g] = float64(z[r*4*h+g*h+j])
			}
			v[4] = float64(prev[k])
			loss := func(v [5]float64) float64 { return float64(dh[k]) * gru64(v[0], v[1], v[2], v[3], v[4]) }
			for g := range v {
				up, down := v, v
				up[g] += eps
				down[g] -= eps
				got := dPrev[k]
				if g < 4 {
					got = dz[r*4*h+g*h+j]
				}
				require.InDelta(t, (loss(up)-loss(down))/(2*eps), got, 2e-6, "row %d unit %d input %d", r, j, g)
			}
		}
	}
}

// What vanishes on the way through a long text becomes zero, not subnormal.
func TestGRUBackwardFlushes(t *testing.T) {
	const h = 3
	z := make([]float32, 4*h)
	simd.Fill(z, 0.5)
	dh := []float32{1e-31, -1e-31, 1}
	simd.GRUBackward(z, 1, h, nil, dh, z)
	require.Equal(t, []float32{0, 0, 0.5}, dh)
	for g := range 4 {
		require.Equal(t, []float32{0, 0}, z[g*h:][:2])
		require.NotZero(t, z[g*h+2])
	}
}

// What vanishes on the way through a long text becomes zero, not subnormal.
func TestRNNBackward(t *testing.T) {
	h := []float32{0.5, 0.5, 1, 0}
	simd.RNNBackward(h, []float32{2, 1e-31, 3, -4}, h)
	require.Equal(t, []float32{1.5, 0, 0, -4}, h)
}

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
