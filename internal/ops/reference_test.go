package ops_test

import (
	"math"
	"slices"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
)

// The formulas of the ops in float64, written down a second time as plainly as
// possible: the tests compare values and gradients with them.

// mat64 is a row-major matrix of float64.
type mat64 struct {
	rows, cols int
	at         []float64
}

func newMat64(rows, cols int) mat64 { return mat64{rows, cols, make([]float64, rows*cols)} }

func (m mat64) row(i int) []float64 { return m.at[i*m.cols : (i+1)*m.cols] }

func refMap(x mat64, f func(float64) float64) mat64 {
	y := newMat64(x.rows, x.cols)
	for i, v := range x.at {
		y.at[i] = f(v)
	}
	return y
}

func refReLU(v float64) float64    { return max(v, 0) }
func refSigmoid(v float64) float64 { return 1 / (1 + math.Exp(-v)) }

func refLinear(x, w mat64, b []float64) mat64 {
	y := newMat64(x.rows, w.cols)
	for i := range x.rows {
		to := y.row(i)
		copy(to, b)
		for k, v := range x.row(i) {
			for j, wkj := range w.row(k) {
				to[j] += v * wkj
			}
		}
	}
	return y
}

func refMul(a, b mat64) mat64 {
	y := newMat64(a.rows, a.cols)
	for i, v := range a.at {
		y.at[i] = v * b.at[i]
	}
	return y
}

func refConcat(a, b mat64) mat64 {
	y := newMat64(a.rows, a.cols+b.cols)
	for i := range y.rows {
		copy(y.row(i), a.row(i))
		copy(y.row(i)[a.cols:], b.row(i))
	}
	return y
}

func refMean(b *ragged.Batch, x mat64) mat64 {
	y := newMat64(b.Len(), x.cols)
	for r := range b.Len() {
		lo, hi := b.Offsets[r], b.Offsets[r+1]
		for i := lo; i < hi; i++ {
			for j, v := range x.row(i) {
				y.row(r)[j] += v / float64(hi-lo)
			}
		}
	}
	return y
}

func refMax(b *ragged.Batch, x mat64) mat64 {
	y := newMat64(b.Len(), x.cols)
	for r := range b.Len() {
		copy(y.row(r), x.row(b.Offsets[r]))
		for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
			for j, v := range x.row(i) {
				y.row(r)[j] = max(y.row(r)[j], v)
			}
		}
	}
	return y
}

// refSoftmax returns the softmax and the logarithm of its sum.
func refSoftmax(s []float64) (p []float64, lse float64) {
	top := math.Inf(-1)
	for _, v := range s {
		top = max(top, v)
	}
	var sum float64
	p = make([]float64, len(s))
	for i, v := range s {
		if v > math.Inf(-1) { // a masked word costs nothing
			p[i] = math.Exp(v - top)
			sum += p[i]
		}
	}
	for i := range p {
		p[i] /= sum
	}
	return p, top + math.Log(sum)
}

// refEntmax returns the weights of a normaliser other than softmax; τ by bisection.
func refEntmax(s []float64, by ops.Normaliser) []float64 {
	p, alpha := make([]float64, len(s)), map[ops.Normaliser]float64{ops.Entmax15: 1.5, ops.Sparsemax: 2}[by]
	low, high := (alpha-1)*slices.Max(s)-1, (alpha-1)*slices.Max(s)
	for range 100 {
		tau, sum := (low+high)/2, 0.0
		for i, v := range s {
			p[i] = math.Pow(max((alpha-1)*v-tau, 0), 1/(alpha-1))
			sum += p[i]
		}
		if sum > 1 {
			low = tau
		} else {
			high = tau
		}
	}
	return p
}

func refAttend(b *ragged.Batch, query, keys mat64, scale float64, by ops.Normaliser) (alpha, entropy mat64) {
	alpha, entropy = newMat64(keys.rows, 1), newMat64(b.Len(), 1)
	for r := range b.Len() {
		q := query.row(min(r, query.rows-1))
		lo, hi := b.Offsets[r], b.Offsets[r+1]
		s := make([]float64, hi-lo)
		for i := range s {
			for j, v := range keys.row(lo + i) {
				s[i] += scale * q[j] * v
			}
		}
		p, lse := refSoftmax(s)
		if by != ops.Softmax {
			p = refEntmax(s, by)
		}
		for i, a := range p {
			alpha.at[lo+i] = a
			if by == ops.Softmax {
				entropy.at[r] -= a * (s[i] - lse)
			} else if a > 0 {
				entropy.at[r] -= a * math.Log(a)
			}
		}
	}
	return alpha, entropy
}

func refWeightedSum(b *ragged.Batch, weights, values mat64) mat64 {
	y := newMat64(b.Len(), values.cols)
	for r := range b.Len() {
		for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
			for j, v := range values.row(i) {
				y.row(r)[j] += weights.at[i] * v
			}
		}
	}
	return y
}

func refLSTM(b *ragged.Batch, x, wx, wh, bias mat64, reverse bool) (states, last mat64) {
	zeros := newMat64(b.Len(), wh.rows)
	states, last, _ = refLSTMFrom(b, x, wx, wh, bias, zeros, zeros, reverse)
	return states, last
}

func refLSTMFrom(b *ragged.Batch, x, wx, wh, bias, h0, c0 mat64, reverse bool) (states, last, cells mat64) {
	h := wh.rows
	states, last, cells = newMat64(x.rows, h), newMat64(b.Len(), h), newMat64(b.Len(), h)
	for r := range b.Len() {
		state, cell := slices.Clone(h0.row(r)), cells.row(r)
		copy(cell, c0.row(r))
		lo, hi := b.Offsets[r], b.Offsets[r+1]
		for t := range hi - lo {
			i := lo + t
			if reverse {
				i = hi - 1 - t
			}
			zx := refLinear(mat64{1, x.cols, x.row(i)}, wx, bias.at).at
			zh := refLinear(mat64{1, h, state}, wh, nil).at
			for j := range h {
				gate := func(k int) float64 { return zx[k*h+j] + zh[k*h+j] }
				cell[j] = refSigmoid(gate(1))*cell[j] + refSigmoid(gate(0))*math.Tanh(gate(2))
				state[j] = refSigmoid(gate(3)) * math.Tanh(cell[j])
			}
			copy(states.row(i), state)
		}
		copy(last.row(r), state)
	}
	return states, last, cells
}

func refRNN(b *ragged.Batch, x, wx, wh, bias mat64, reverse bool) (states, last mat64) {
	states, last = newMat64(x.rows, wh.rows), newMat64(b.Len(), wh.rows)
	for row := range b.Len() {
		lo, hi := b.Offsets[row], b.Offsets[row+1]
		for t := range hi - lo {
			i := lo + t
			if reverse {
				i = hi - 1 - t
			}
			zx := refLinear(mat64{1, x.cols, x.row(i)}, wx, bias.at).at
			zh := refLinear(mat64{1, wh.rows, last.row(row)}, wh, nil).at
			for j := range zx {
				last.row(row)[j] = math.Tanh(zx[j] + zh[j])
			}
			copy(states.row(i), last.row(row))
		}
	}
	return states, last
}

func refGRU(b *ragged.Batch, x, wx, wh, bx, bh mat64, reverse bool) (states, last mat64) {
	return refGRUFrom(b, x, wx, wh, bx, bh, newMat64(b.Len(), wh.rows), reverse)
}

func refGRUFrom(b *ragged.Batch, x, wx, wh, bx, bh, h0 mat64, reverse bool) (states, last mat64) {
	h := wh.rows
	states, last = newMat64(x.rows, h), newMat64(b.Len(), h)
	for row := range b.Len() {
		state := slices.Clone(h0.row(row))
		lo, hi := b.Offsets[row], b.Offsets[row+1]
		for t := range hi - lo {
			i := lo + t
			if reverse {
				i = hi - 1 - t
			}
			zx := refLinear(mat64{1, x.cols, x.row(i)}, wx, bx.at).at
			zh := refLinear(mat64{1, h, state}, wh, bh.at).at
			for j := range h {
				r, z := refSigmoid(zx[j]+zh[j]), refSigmoid(zx[h+j]+zh[h+j])
				n := math.Tanh(zx[2*h+j] + r*zh[2*h+j])
				state[j] = (1-z)*n + z*state[j]
			}
			copy(states.row(i), state)
		}
		copy(last.row(row), state)
	}
	return states, last
}

func refCrossEntropy(b *ragged.Batch, z mat64) (mean, each, scores mat64) {
	mean, each, scores = newMat64(1, 1), newMat64(z.rows, 1), newMat64(z.rows, z.cols)
	for r := range z.rows {
		p, lse := refSoftmax(z.row(r))
		copy(scores.row(r), p)
		if y := b.Labels[r]; y >= 0 {
			each.at[r] = lse - z.row(r)[y]
		}
		mean.at[0] += each.at[r] / float64(z.rows)
	}
	return mean, each, scores
}

// refMargin uses the mean over all logits instead of the mean over the others.
func refMargin(b *ragged.Batch, z mat64) mat64 {
	out := newMat64(z.rows, 1)
	for r := range z.rows {
		if y := b.Labels[r]; y >= 0 {
			sum := 0.0
			for _, v := range z.row(r) {
				sum += v
			}
			n := float64(z.cols)
			out.at[r] = (z.row(r)[y] - sum/n) * n / (n - 1)
		}
	}
	return out
}

// refDropout computes the mask of each element from its key.
func refDropout(b *ragged.Batch, x mat64, name string, p float32, words bool) mat64 {
	y := newMat64(x.rows, x.cols)
	stream := simd.Key(seed, "dropout/"+name)
	mask := make([]float32, x.cols)
	drop := func(row int, key uint64) {
		simd.Fill(mask, 1)
		simd.Dropout(mask, mask, key, p)
		for j, v := range x.row(row) {
			y.row(row)[j] = v * float64(mask[j])
		}
	}
	for r, review := range b.Reviews {
		if !words {
			drop(r, simd.Hash2(stream, step, uint64(review)))
			continue
		}
		for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
			drop(i, simd.Hash3(stream, step, uint64(review), uint64(i-b.Offsets[r])))
		}
	}
	return y
}
