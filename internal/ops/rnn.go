package ops

import (
	"math"

	"imdbexp/internal/simd"
)

// RNN runs one layer of Elman's cell over each review (Elman 1990, with the usual tanh
// instead of the logistic function):
//
//	hₜ = tanh(xₜ·Wx + hₜ₋₁·Wh + b)        h₀ = 0
//
// x is [N, d], Wx [d, h], Wh [h, h], b [1, h]. With reverse set it reads each review
// from its end. Results: the states [N, h], each at its own word, and the last state
// read [B, h].
func RNN(x, wx, wh, b *Node, reverse bool) (states, last *Node) {
	g := x.g
	s, ok := x.axis.(*Seq)
	h := wh.axis.Len()
	if !ok || wx.axis.Len() != x.cols || wx.cols != h || wh.cols != h || b.cols != h {
		n := g.fail("rnn: x [·, %d], Wx [%d, %d], Wh [%d, %d], b [1, %d]", x.cols, wx.axis.Len(), wx.cols, h, wh.cols, b.cols)
		return n, n
	}
	r := g.apply("rnn", &rnn{recurrence: recurrence{g: g, seq: s, reverse: reverse}}, []*Node{x, wx, wh, b}, result{s, h}, result{s.reviews, h})
	return r[0], r[1]
}

// rnn computes blocks of steps as lstm does: each input has a one appended, and Wx the
// row b.
type rnn struct {
	recurrence
	stepWeights
	groups []rnnGroup
}

type rnnGroup struct {
	group
	z  []float32 // [rows, h]  the state after each step, then the gradient before the tanh
	ht []float32 // [alive, h] the state now, or its gradient
}

func (k *rnn) forward(in, out []Mat) error {
	k.groups = grouped(&k.recurrence, k.groups, in[2].Rows)
	k.wxb = append(append(k.wxb[:0], in[1].Data...), in[3].Data...)
	if err := k.multiply(in[0], k.wxb, in[2].Rows); err != nil {
		return err
	}
	return k.each(len(k.groups), func(i int) {
		s := &k.groups[i]
		k.plan(&s.group, i, len(k.groups), in[0])
		k.forwardGroup(s, in, out)
	})
}

func (k *rnn) exact(in, out []Wide) error {
	inputs := newWide(in[0].Rows, in[1].Cols)
	exactLinear(inputs, in[0], in[1], in[3].Data)
	k.exactSteps(nil, out, func(row int, states [][]float64) {
		sum := newWide(1, len(states[0]))
		exactLinear(sum, Wide{1, len(states[0]), states[0]}, in[2], inputs.Row(row))
		for j, v := range sum.Data {
			states[0][j] = math.Tanh(v)
		}
	})
	return nil
}

func (k *rnn) forwardGroup(s *rnnGroup, in, out []Mat) {
	x, wh := in[0], in[2]
	h, keep := wh.Rows, k.g.training
	s.ht = grown(s.ht, len(s.order)*h)
	if keep {
		s.z = grown(s.z, s.rows()*h)
	}
	for i, t0 := range s.starts[:len(s.starts)-1] {
		t1 := s.starts[i+1]
		first, n := s.base[t0], s.base[t1]-s.base[t0]
		at := first // row of the buffers where this block starts
		if !keep {
			at = 0
			s.z = grown(s.z, n*h)
		}
		z := s.z[at*h:][:n*h]
		k.project(&s.group, t0, t1, x, k.wxb, h, z, h)
		for t := t0; t < t1; t++ {
			now := s.ht[:s.alive(t)*h]
			k.parting(&s.timeline, t, out[0], s.ht)
			zt := z[(s.base[t]-first)*h:][:len(now)]
			if t > 0 {
				simd.NN(s.alive(t), h, h, now, h, wh.Data, h, zt, h, true)
			}
			simd.Tanh(zt, zt)
			copy(now, zt)
			k.leaving(&s.timeline, t, s.ht, out[0], out[1])
		}
	}
}

func (k *rnn) backward(in, out, dout []Mat, din []Grad) error {
	return k.summed(&k.recurrence, in, din, len(k.groups), func(i int) { k.backwardGroup(&k.groups[i], in, out, dout, din) })
}

func (k *rnn) onnx(x *Export, in []*Node) ([]string, error) {
	c := cell{"RNN", []int{0}, 2, nil} // tanh is its default
	return x.recurrent(c, &k.recurrence, in, [2][]float32{in[3].leaf.mat.Data, nil}, nil), nil
}

func (k *rnn) backwardGroup(s *rnnGroup, in, out, dout []Mat, din []Grad) {
	h, in1 := in[2].Rows, in[0].Cols+1
	dh := s.ht
	clear(dh)
	of := summands{x: in[0], states: out[0], dz: s.z, width: h}
	sums, add := anyWanted(din[1:4]), func(p packed) {
		simd.TN(in1, h, p.n, p.x, in1, p.dz, h, k.dwxb.bufs[p.shard], h, p.add)
		simd.TN(h, h, p.n, p.h, h, p.dz, h, k.dwh.bufs[p.shard], h, p.add)
	}
	s.restart()
	for t := s.steps() - 1; t >= 0; t-- {
		now := dh[:s.alive(t)*h]
		k.arriving(&s.timeline, t, dh, dout, true)
		z := s.z[s.base[t]*h:][:len(now)]
		simd.RNNBackward(z, now, z)
		if t > 0 {
			simd.NN(s.alive(t), h, h, z, h, k.whT, h, now, h, false)
		}
		if sums {
			k.sum(&s.group, t, of, add)
		}
		k.toInputs(&s.group, t, s.z, h, h, k.wxT, din[0])
	}
}
