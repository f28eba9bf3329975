package ops

import (
	"math"

	"imdbexp/internal/simd"
)

// LSTM runs one layer over each review (Hochreiter and Schmidhuber 1997, with
// the forget gate of Gers et al. 2000):
//
//	i, f, g, o = σ, σ, tanh, σ (xₜ·Wx + hₜ₋₁·Wh + b)
//	cₜ = f⊙cₜ₋₁ + i⊙g        hₜ = o⊙tanh(cₜ)        h₀ = c₀ = 0
//
// x is [N, d], Wx [d, 4h], Wh [h, 4h], b [1, 4h]; the gates lie in the order
// i, f, g, o. With reverse set it reads each review from its end. Results: the
// states [N, h], each at its own word, and the last state read [B, h].
func LSTM(x, wx, wh, b *Node, reverse bool) (states, last *Node) {
	r := applyLSTM([]*Node{x, wx, wh, b}, reverse, false)
	return r[0], r[1]
}

// LSTMLast is LSTM that also returns the last cell [B, h], from which another LSTM
// can continue.
func LSTMLast(x, wx, wh, b *Node, reverse bool) (states, last, cell *Node) {
	r := applyLSTM([]*Node{x, wx, wh, b}, reverse, true)
	return r[0], r[1], r[2]
}

// LSTMFrom is LSTMLast, forwards, from a state h0 and a cell c0 [B, h] instead of
// zeros (Sutskever et al. 2014: the encoder's last state and cell).
func LSTMFrom(x, wx, wh, b, h0, c0 *Node) (states, last, cell *Node) {
	r := applyLSTM([]*Node{x, wx, wh, b, h0, c0}, false, true)
	return r[0], r[1], r[2]
}

// applyLSTM adds the op, with or without the last cell as a result. Its start state and cell,
// if any, are the last inputs.
func applyLSTM(in []*Node, reverse, cell bool) []*Node {
	x, wx, wh, b := in[0], in[1], in[2], in[3]
	g := x.g
	s, ok := x.axis.(*Seq)
	h := wh.axis.Len()
	if !ok || wx.axis.Len() != x.cols || wx.cols != 4*h || wh.cols != 4*h || b.cols != 4*h {
		n := g.fail("lstm: x [·, %d], Wx [%d, %d], Wh [%d, %d], b [1, %d]", x.cols, wx.axis.Len(), wx.cols, h, wh.cols, b.cols)
		return []*Node{n, n, n}
	}
	if n := s.startsFrom("lstm", h, in[4:]); n != nil {
		return []*Node{n, n, n}
	}
	results := []result{{s, h}, {s.reviews, h}, {s.reviews, h}}
	if !cell {
		results = results[:2]
	}
	k := &lstm{recurrence: recurrence{g: g, seq: s, reverse: reverse}, results: len(results)}
	return g.apply("lstm", k, in, results...)
}

// lstm computes the product with Wx, which needs no state, for a block of steps at once,
// small enough for its gates to stay in the cache. Each input has a one appended, and Wx
// the row b: so the same products add the bias and sum its gradient.
type lstm struct {
	recurrence
	stepWeights
	results int // with the last cells or without
	groups  []lstmGroup
}

type lstmGroup struct {
	group
	z  []float32 // [rows, 4h] activations of the gates, then their gradients, by time
	c  []float32 // [rows, h]  cell states
	ht []float32 // [alive, h] the state now, or its gradient
	ct []float32 // [alive, h] the cell now, or its gradient
	c0 []float32 // [alive, h] the first cell, if given
}

func (k *lstm) forward(in, out []Mat) error {
	k.groups = grouped(&k.recurrence, k.groups, in[2].Rows)
	k.wxb = append(append(k.wxb[:0], in[1].Data...), in[3].Data...)
	if err := k.multiply(in[0], k.wxb, 4*in[2].Rows); err != nil {
		return err
	}
	return k.each(len(k.groups), func(i int) {
		s := &k.groups[i]
		k.plan(&s.group, i, len(k.groups), alike(in[0], in[4:]))
		k.forwardGroup(s, in, out)
	})
}

func (k *lstm) exact(in, out []Wide) error {
	gates := newWide(in[0].Rows, in[1].Cols)
	exactLinear(gates, in[0], in[1], in[3].Data)
	k.exactSteps(in[4:], out, func(row int, states [][]float64) {
		h, z := len(states[0]), gates.Row(row)
		old := newWide(1, 4*h)
		exactLinear(old, Wide{1, h, states[0]}, in[2], z)
		for j := range h {
			i, f, g, o := exactSigmoid(old.Data[j]), exactSigmoid(old.Data[h+j]), math.Tanh(old.Data[2*h+j]), exactSigmoid(old.Data[3*h+j])
			states[1][j] = f*states[1][j] + i*g
			states[0][j] = o * math.Tanh(states[1][j])
		}
	})
	return nil
}

func (k *lstm) forwardGroup(s *lstmGroup, in, out []Mat) {
	x, wh, from := in[0], in[2], len(in) > 4
	states, last := out[0], out[1]
	h, keep := states.Cols, k.g.training
	s.ht, s.ct = grown(s.ht, len(s.order)*h), grown(s.ct, len(s.order)*h)
	if keep {
		s.z, s.c = grown(s.z, s.rows()*4*h), grown(s.c, s.rows()*h)
	}
	if from {
		s.c0 = grown(s.c0, len(s.ct))
		k.collect(&s.timeline, in[4], s.ht)
		k.collect(&s.timeline, in[5], s.ct)
		copy(s.c0, s.ct)
	}
	for i, t0 := range s.starts[:len(s.starts)-1] {
		t1 := s.starts[i+1]
		first, n := s.base[t0], s.base[t1]-s.base[t0]
		at := first // row of the buffers where this block starts
		if !keep {
			at = 0
			s.z = grown(s.z, n*4*h)
		}
		z := s.z[at*4*h:][:n*4*h]
		k.project(&s.group, t0, t1, x, k.wxb, 4*h, z, 4*h)
		for t := t0; t < t1; t++ {
			alive, lo := s.alive(t), s.base[t]-first
			zt := z[lo*4*h:][:alive*4*h]
			k.parting(&s.timeline, t, states, s.ht, s.ct)
			old := t > 0 || from // there is a state before this step
			if old {
				simd.NN(alive, 4*h, h, s.ht, h, wh.Data, 4*h, zt, 4*h, true)
			}
			before, now := s.ct[:alive*h], s.ct[:alive*h]
			if keep {
				now, before = s.c[s.base[t]*h:][:alive*h], s.before(t, h, from)
			} else if !old {
				before = nil
			}
			simd.LSTMForward(zt, alive, h, before, now, s.ht[:alive*h])
			k.leaving(&s.timeline, t, s.ht, states, last)
			if len(out) > 2 {
				k.ending(&s.timeline, t, now, out[2])
			}
		}
	}
}

// before returns the cells before step t of a pass that keeps them, nil for zeros.
func (s *lstmGroup) before(t, h int, from bool) []float32 {
	switch n := s.alive(t) * h; {
	case t > 0:
		return s.c[s.base[t-1]*h:][:n]
	case from:
		return s.c0[:n]
	}
	return nil
}

func (k *lstm) backward(in, out, dout []Mat, din []Grad) error {
	return k.summed(&k.recurrence, in, din, len(k.groups), func(i int) { k.backwardGroup(&k.groups[i], in, out, dout, din) })
}

// onnx passes the gates in ONNX's order i, o, f, g.
func (k *lstm) onnx(x *Export, in []*Node) ([]string, error) {
	c := cell{"LSTM", []int{0, 3, 1, 2}, k.results, nil}
	return x.recurrent(c, &k.recurrence, in, [2][]float32{in[3].leaf.mat.Data, nil}, in[4:]), nil
}

func (k *lstm) backwardGroup(s *lstmGroup, in, out, dout []Mat, din []Grad) {
	h, from := in[2].Rows, len(in) > 4
	in1 := in[0].Cols + 1
	dh, dc := s.ht, s.ct
	clear(dc)
	if len(dout) > 2 && dout[2].Data != nil {
		k.collect(&s.timeline, dout[2], dc) // each row is used from the end of its review
	}
	of := summands{x: in[0], states: out[0], dz: s.z, width: 4 * h}
	if from {
		of.start = in[4]
	}
	sums, add := anyWanted(din[1:4]), func(p packed) {
		simd.TN(in1, 4*h, p.n, p.x, in1, p.dz, 4*h, k.dwxb.bufs[p.shard], 4*h, p.add)
		simd.TN(h, 4*h, p.n, p.h, h, p.dz, 4*h, k.dwh.bufs[p.shard], 4*h, p.add)
	}
	s.restart()
	k.arriving(&s.timeline, s.steps()-1, dh, dout, false)
	for t := s.steps() - 1; t >= 0; t-- {
		alive, row := s.alive(t), s.base[t]
		z := s.z[row*4*h:][:alive*4*h]
		simd.LSTMBackward(z, alive, h, s.before(t, h, from), s.c[row*h:][:alive*h], dh[:alive*h], dc[:alive*h], z)
		if t > 0 {
			k.arriving(&s.timeline, t-1, dh, dout, false)
		}
		if t > 0 || from {
			simd.NN(alive, h, 4*h, z, 4*h, k.whT, h, dh, h, t > 0)
		}
		if sums {
			k.sum(&s.group, t, of, add)
		}
		k.toInputs(&s.group, t, s.z, 4*h, 4*h, k.wxT, din[0])
	}
	if from {
		k.distribute(&s.timeline, dh, din[4])
		k.distribute(&s.timeline, dc, din[5])
	}
}
