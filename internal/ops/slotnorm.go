package ops

import (
	"fmt"
	"math"

	"imdbexp/internal/simd"
)

// SlotNorm normalises across the reviews of the batch, as the published TME 10
// code does by a LayerNorm over the wrong dimension: for each position i and
// column j separately,
//
//	y_b,i,j = scale_s · (x_b,i,j − μ_i,j)/√(σ²_i,j + ε) + shift_s
//
// with μ and σ² the mean and the biased variance over the B reviews, and s the slot
// of review b: its position in the sampled batch, which is random. A prediction then
// depends on the other reviews of the batch and on the slot. The position in the packed
// batch would be wrong: it depends on the length and, because equal lengths are sorted by index
// and data sets by label, on the label.
//
// x is [B·L, d] on a padded axis, scale and shift [slots, 1]; a batch of more
// than slots reviews is an error when the graph runs. The original has 16 slots
// and ε = 50.
func SlotNorm(x, scale, shift *Node, eps float64) *Node {
	s, ok := x.axis.(*Seq)
	if !ok || !s.even {
		return x.g.fail("slot norm: needs one row a word on a padded axis")
	}
	if scale.cols != 1 || shift.cols != 1 || scale.axis.Len() != shift.axis.Len() {
		return x.g.fail("slot norm: scale [%d, %d] and shift [%d, %d] need one column and as many rows",
			scale.axis.Len(), scale.cols, shift.axis.Len(), shift.cols)
	}
	k := &slotNorm{g: x.g, seq: s, eps: eps}
	return x.g.apply("slot norm", k, []*Node{x, scale, shift}, result{s, x.cols})[0]
}

// slotNorm reads x as [B, L·d], a row a review: the columns are independent. Sums over
// the reviews are in slot order, so their bits do not depend on the packing.
type slotNorm struct {
	g      *Graph
	seq    *Seq
	eps    float64
	unit   []float32 // [B, L·d] (x − μ)/√(σ² + ε), kept for the backward pass
	rstd   []float32 // [L·d] 1/√(σ² + ε)
	work   scratch
	dscale partials // one number a slot
	dshift partials
}

// slotBlock is the number of columns of a task.
const slotBlock = 1024

// columns calls f for each block of columns lo … hi, with buffers u and v of the size of one
// row of the block.
func (k *slotNorm) columns(m Mat, f func(block, lo, hi int, u, v []float32)) error {
	width := len(m.Data) / k.seq.reviews.Len()
	return k.g.pool.For(slotBlocks(width), func(block int) {
		lo := block * slotBlock
		hi := min(lo+slotBlock, width)
		take := k.work.of(block)
		f(block, lo, hi, take(hi-lo), take(hi-lo))
	})
}

func slotBlocks(width int) int { return (width + slotBlock - 1) / slotBlock }

func (k *slotNorm) forward(in, out []Mat) error {
	x, scale, shift, y := in[0].Data, in[1], in[2], out[0].Data
	n := k.seq.reviews.Len()
	if n > scale.Rows {
		return fmt.Errorf("%d reviews in a batch, but the scale has %d slots: set batch=%d", n, scale.Rows, scale.Rows)
	}
	width := len(x) / n
	k.unit, k.rstd = grown(k.unit, len(x)), grown(k.rstd, width)
	k.work.prepare(slotBlocks(width), 2*slotBlock)
	return k.columns(in[0], func(_, lo, hi int, u, v []float32) {
		mean, squares, rstd := u, v, k.rstd[lo:hi]
		clear(mean)
		clear(rstd)
		for _, b := range k.g.slots {
			simd.Add(mean, x[b*width:][lo:hi])
		}
		simd.Scale(mean, -1/float32(n))
		for _, b := range k.g.slots {
			unit := k.unit[b*width:][lo:hi]
			copy(unit, x[b*width:][lo:hi])
			simd.Add(unit, mean)
			simd.Mul(squares, unit, unit)
			simd.Add(rstd, squares)
		}
		for j, sum := range rstd {
			rstd[j] = float32(1 / math.Sqrt(float64(sum)/float64(n)+k.eps))
		}
		for s, b := range k.g.slots {
			unit, to := k.unit[b*width:][lo:hi], y[b*width:][lo:hi]
			simd.Mul(unit, unit, rstd)
			simd.Fill(to, shift.Data[s])
			simd.Axpy(to, scale.Data[s], unit)
		}
	})
}

func (k *slotNorm) exact(in, out []Mat64) error {
	n := k.seq.reviews.Len()
	width := len(in[0].Data) / n
	columns, y := transposed(Mat64{n, width, in[0].Data}), newWide(width, n)
	for j := range width {
		mean, variance := exactMoments(columns.Row(j))
		exactNormal(y.Row(j), columns.Row(j), mean, variance, k.eps)
		for slot, b := range k.g.slots {
			out[0].Data[b*width+j] = y.Row(j)[b]*in[1].Data[slot] + in[2].Data[slot]
		}
	}
	return nil
}

// backward computes, with u = (x − μ)/√(σ² + ε) and v_b = scale_s·∂y_b, means over the B reviews,
//
//	∂x = (v − mean(v) − u·mean(v·u))/√(σ² + ε)    ∂scale_s = Σ ∂y_b·u_b    ∂shift_s = Σ ∂y_b
func (k *slotNorm) backward(in, _, dout []Mat, din []Grad) error {
	scale, dy, dx := in[1], dout[0].Data, din[0]
	n := k.seq.reviews.Len()
	width := len(dy) / n
	tasks := slotBlocks(width)
	k.work.prepare(tasks, 4*slotBlock)
	k.dscale.prepare(tasks, scale.Rows)
	k.dshift.prepare(tasks, scale.Rows)
	err := k.columns(dout[0], func(block, lo, hi int, u, v []float32) {
		dscale, dshift := k.dscale.bufs[block], k.dshift.bufs[block]
		clear(dscale)
		clear(dshift)
		for s, b := range k.g.slots {
			g := dy[b*width:][lo:hi]
			dscale[s], dshift[s] = simd.Dot(g, k.unit[b*width:][lo:hi]), simd.Sum(g)
		}
		if dx.Wanted() {
			k.gradX(block, lo, hi, u, v, scale.Data, dy, dx)
		}
	})
	din[1].putAll(k.dscale.total())
	din[2].putAll(k.dshift.total())
	return err
}

func (k *slotNorm) onnx(x *Export, in []*Node) ([]string, error) {
	x.Name(in[0]) // report padding first
	return nil, errDepends
}

func (k *slotNorm) gradX(block, lo, hi int, meanV, meanVU, scale, dy []float32, dx Grad) {
	n := k.seq.reviews.Len()
	width := len(dy) / n
	take := k.work.of(block)
	take(2 * (hi - lo)) // meanV and meanVU
	to, term := take(hi-lo), take(hi-lo)
	clear(meanV)
	clear(meanVU)
	for s, b := range k.g.slots {
		g := dy[b*width:][lo:hi]
		simd.Mul(term, g, k.unit[b*width:][lo:hi])
		simd.Axpy(meanV, scale[s]/float32(n), g)
		simd.Axpy(meanVU, scale[s]/float32(n), term)
	}
	for s, b := range k.g.slots {
		clear(to)
		simd.Axpy(to, scale[s], dy[b*width:][lo:hi])
		simd.Axpy(to, -1, meanV)
		simd.Mul(term, k.unit[b*width:][lo:hi], meanVU)
		simd.Axpy(to, -1, term)
		simd.Mul(to, to, k.rstd[lo:hi])
		// As rows of d numbers again, whatever the block.
		at := Grad{Mat{Rows: 1, Cols: hi - lo, Data: dx.Data[b*width:][lo:hi]}, dx.Add, nil}
		at.put(0, to)
	}
}

func (k *slotNorm) picture(s *Sketch, n *Node) drawn {
	return s.modify(n, n.src.inputs[0], "norm across the reviews", "of the batch"+slip(n))
}
