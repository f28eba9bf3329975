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
	r := applyLSTM([]*Node{x, wx, wh, b}, reverse, 1)
	return r[0], r[1]
}

// LSTMLast is LSTM that also returns the last cell [B, h], from which another LSTM
// can continue.
func LSTMLast(x, wx, wh, b *Node, reverse bool) (states, last, cell *Node) {
	r := applyLSTM([]*Node{x, wx, wh, b}, reverse, 2)
	return r[0], r[1], r[2]
}

// LSTMFrom is LSTMLast, forwards, from a state h0 and a cell c0 [B, h] instead of
// zeros (Sutskever et al. 2014: the encoder's last state and cell).
func LSTMFrom(x, wx, wh, b, h0, c0 *Node) (states, last, cell *Node) {
	r := applyLSTM([]*Node{x, wx, wh, b, h0, c0}, false, 2)
	return r[0], r[1], r[2]
}

// applyLSTM adds the op, with the last cell as a result or without. Its start state and cell, if
// any, are the last inputs.
func applyLSTM(in []*Node, reverse bool, last int) []*Node {
	k := &lstm{newLayer("lstm", in, reverse, 4, "b"), 1 + last}
	return k.add("lstm", k, in, last)
}

type lstm struct {
	layer
	results int // with the last cells or without
}

func (k *lstm) forward(in, out []Mat) error {
	k.wxb = append(append(k.wxb[:0], in[1].Data...), in[3].Data...)
	return k.run(k, in, out)
}

func (k *lstm) exact(in, out []Mat64) error {
	return k.exactly(in, out, func(z []float64, states [][]float64) {
		h := k.h
		old := newWide(1, 4*h)
		exactLinear(old, Mat64{1, h, states[0]}, in[2], z)
		for j := range h {
			i, f, g, o := exactSigmoid(old.Data[j]), exactSigmoid(old.Data[h+j]), math.Tanh(old.Data[2*h+j]), exactSigmoid(old.Data[3*h+j])
			states[1][j] = f*states[1][j] + i*g
			states[0][j] = o * math.Tanh(states[1][j])
		}
	})
}

func (k *lstm) begin(s *layerGroup) {
	s.ct = grown(s.ct, len(s.ht))
	if k.g.training {
		s.c = grown(s.c, s.rows()*k.h)
	}
}

func (k *lstm) step(s *layerGroup, t int, z []float32, old bool, in, out []Mat) {
	h, n := k.h, len(z)/4
	if old {
		simd.NN(n/h, 4*h, h, s.ht, h, in[2].Data, 4*h, z, 4*h, true)
	}
	before, now := s.ct[:n], s.ct[:n]
	if !old {
		before = nil
	}
	if k.g.training {
		if t == 0 && old {
			s.c0 = append(s.c0[:0], s.ct...)
		}
		before, now = s.before(t, n, old), s.c[s.base[t]*h:][:n]
	}
	simd.LSTMForward(z, n/h, h, before, now, s.ht[:n])
	if len(out) > 2 {
		k.storeLast(&s.timeline, t, now, out[2])
	}
}

// before returns the n cells before step t of a pass that keeps them, nil for zeros.
func (s *layerGroup) before(t, n int, old bool) []float32 {
	switch {
	case t > 0:
		return s.c[len(s.ht)/len(s.order)*s.base[t-1]:][:n]
	case old:
		return s.c0[:n]
	}
	return nil
}

func (k *lstm) backward(in, out, dout []Mat, din []Grad) error {
	return k.runBack(k, in, out, dout, din, k.dwxb.total)
}

func (k *lstm) back(s *layerGroup, t int, z []float32, old bool, dout []Mat) {
	h, n := k.h, len(z)/4
	if t == s.steps()-1 {
		clear(s.ct)
		if len(dout) > 2 && dout[2].Data != nil {
			k.collect(&s.timeline, dout[2], s.ct) // each row is used from the end of its review
		}
		k.loadGrad(&s.timeline, t, s.ht, dout, false)
	}
	simd.LSTMBackward(z, n/h, h, s.before(t, n, old), s.c[s.base[t]*h:][:n], s.ht[:n], s.ct[:n], z)
	if t > 0 {
		k.loadGrad(&s.timeline, t-1, s.ht, dout, false)
	}
	if old {
		simd.NN(n/h, h, 4*h, z, 4*h, k.whT, h, s.ht, h, t > 0)
	}
}

// onnx passes the gates in ONNX's order i, o, f, g.
func (k *lstm) onnx(x *Export, in []*Node) ([]string, error) {
	c := cell{"LSTM", []int{0, 3, 1, 2}, k.results, nil}
	return x.recurrent(c, &k.recurrence, in, [2][]float32{in[3].leaf.mat.Data, nil}, in[4:]), nil
}
