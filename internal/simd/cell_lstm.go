package simd

import "math"

// LSTMForward computes one step of an LSTM cell for each of rows sequences of
// hidden width h (Hochreiter and Schmidhuber 1997, with the forget gate of Gers
// et al. 2000):
//
//	i, f, o = σ(zᵢ), σ(z_f), σ(z_o);  g = tanh(z_g)
//	c = fma(f, cPrev, i·g);           hOut = o·tanh(c)
//
// z [rows, 4h] holds the pre-activations in PyTorch's order i, f, g, o and is
// overwritten by the activations, which LSTMBackward needs. cPrev, c and hOut
// are [rows, h]; cPrev may be nil (zeros) or c itself.
func LSTMForward(z []float32, rows, h int, cPrev, c, hOut []float32) {
	n := checkCell("LSTMForward", len(z), rows, h)
	checkLen("LSTMForward", n, len(c), len(hOut))
	if cPrev != nil {
		checkLen("LSTMForward", n, len(cPrev))
	}
	if level == Portable {
		lstmForwardPortable(z, rows, h, cPrev, c, hOut)
		return
	}
	for r := 0; r < rows && h > 0; r += cellRows {
		lo, n := r*h, min(cellRows, rows-r)*h
		a, cell := z[4*lo:], ptr(c[lo:])
		if cPrev == nil {
			lstmGatesFirstVec(ptr(a), cell, n, h)
		} else {
			lstmGatesVec(ptr(a), ptr(cPrev[lo:]), cell, n, h)
		}
		lstmOutputVec(&a[3*h], cell, ptr(hOut[lo:]), n, h)
	}
}

// cellRows is the number of rows between the two passes of the assembly, few
// enough to stay in the L1 cache. With h = 50, 16 rows fill whole registers.
const cellRows = 16

func lstmForwardPortable(z []float32, rows, h int, cPrev, c, hOut []float32) {
	for r := range rows {
		zr := z[r*4*h:][:4*h]
		for j := range h {
			k := r*h + j
			var cp float32
			if cPrev != nil {
				cp = cPrev[k]
			}
			i, f := Sigmoid1(zr[j]), Sigmoid1(zr[h+j])
			g, o := Tanh1(zr[2*h+j]), Sigmoid1(zr[3*h+j])
			zr[j], zr[h+j], zr[2*h+j], zr[3*h+j] = i, f, g, o
			v := fma(f, cp, float32(i*g))
			c[k] = v
			hOut[k] = o * Tanh1(v)
		}
	}
}

// LSTMBackward is the gradient of LSTMForward. z holds the activations, c and
// cPrev (nil: zeros) the cell states, dh the gradient of hOut. On entry dc holds
// the gradient of c from step t+1, on return the gradient of
// cPrev, for step t−1. dz, which may be z, receives the gradient of the
// pre-activations:
//
//	s  = dc + dh·o·(1 − tanh²c);   dc' = s·f
//	dzᵢ = s·g·i(1−i);              dz_f = s·cPrev·f(1−f)
//	dz_g = s·i·(1−g²);             dz_o = dh·tanh(c)·o(1−o)
//
// tanh(c) is computed again, which costs less than writing and reading it. Results
// below 2⁻¹⁰⁰ are zero: gradients vanish on their way through a long text, and
// arithmetic on subnormal numbers is up to a hundred times slower.
func LSTMBackward(z []float32, rows, h int, cPrev, c, dh, dc, dz []float32) {
	n := checkCell("LSTMBackward", len(z), rows, h)
	checkLen("LSTMBackward", n, len(c), len(dh), len(dc))
	checkLen("LSTMBackward", 4*n, len(dz))
	if cPrev != nil {
		checkLen("LSTMBackward", n, len(cPrev))
	}
	switch {
	case level == Portable:
		lstmBackwardPortable(z, rows, h, cPrev, c, dh, dc, dz)
	case cPrev == nil:
		lstmBackwardFirstVec(ptr(z), ptr(c), ptr(dh), ptr(dc), ptr(dz), n, h)
	default:
		lstmBackwardVec(ptr(z), ptr(cPrev), ptr(c), ptr(dh), ptr(dc), ptr(dz), n, h)
	}
}

func lstmBackwardPortable(z []float32, rows, h int, cPrev, c, dh, dc, dz []float32) {
	for r := range rows {
		zr, dr := z[r*4*h:][:4*h], dz[r*4*h:][:4*h]
		for j := range h {
			k := r*h + j
			var cp float32
			if cPrev != nil {
				cp = cPrev[k]
			}
			i, f, g, o := zr[j], zr[h+j], zr[2*h+j], zr[3*h+j]
			t := Tanh1(c[k])
			s := fma(float32(dh[k]*o), fma(-t, t, 1), dc[k])
			dr[j] = flush(float32(s*g) * float32(i*(1-i)))
			dr[h+j] = flush(float32(s*cp) * float32(f*(1-f)))
			dr[2*h+j] = flush(float32(s*i) * fma(-g, g, 1))
			dr[3*h+j] = flush(float32(dh[k]*t) * float32(o*(1-o)))
			dc[k] = flush(s * f)
		}
	}
}

// checkCell checks the gate matrix [rows, 4·h] and returns rows·h.
func checkCell(kernel string, n, rows, h int) int {
	checkMatrix(kernel, n, rows, 4*h, 4*h)
	checkLen(kernel, rows*h*4, n)
	return rows * h
}

// tiny is the smallest magnitude of a gradient that LSTMBackward keeps.
const tiny = 0x1p-100

// flush compares the magnitude: a branch on the sign would be unpredictable.
func flush(x float32) float32 {
	if math.Float32frombits(math.Float32bits(x)&^signBit) < tiny {
		return 0
	}
	return x
}
