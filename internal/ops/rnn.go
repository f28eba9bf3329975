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
	in := []*Node{x, wx, wh, b}
	k := &rnn{newLayer("rnn", in, reverse, 1, "b")}
	r := k.add("rnn", k, in, 1)
	return r[0], r[1]
}

type rnn struct{ layer }

func (k *rnn) forward(in, out []Mat) error {
	k.wxb = append(append(k.wxb[:0], in[1].Data...), in[3].Data...)
	return k.run(k, in, out)
}

func (k *rnn) exact(in, out []Mat64) error {
	return k.exactly(in, out, func(z []float64, states [][]float64) {
		sum := newWide(1, k.h)
		exactLinear(sum, Mat64{1, k.h, states[0]}, in[2], z)
		for j, v := range sum.Data {
			states[0][j] = math.Tanh(v)
		}
	})
}

func (k *rnn) begin(*layerGroup) {}

func (k *rnn) step(s *layerGroup, _ int, z []float32, old bool, in, _ []Mat) {
	h, now := k.h, s.ht[:len(z)]
	if old {
		simd.NN(len(z)/h, h, h, now, h, in[2].Data, h, z, h, true)
	}
	simd.Tanh(z, z)
	copy(now, z)
}

func (k *rnn) backward(in, out, dout []Mat, din []Grad) error {
	return k.runBack(k, in, out, dout, din, k.dwxb.total)
}

func (k *rnn) back(s *layerGroup, t int, z []float32, old bool, dout []Mat) {
	h, now := k.h, s.ht[:len(z)]
	k.loadGrad(&s.timeline, t, s.ht, dout, true)
	simd.RNNBackward(z, now, z)
	if old {
		simd.NN(len(z)/h, h, h, z, h, k.whT, h, now, h, false)
	}
}

func (k *rnn) onnx(x *Export, in []*Node) ([]string, error) {
	c := cell{"RNN", []int{0}, 2, nil} // tanh is its default
	return x.recurrent(c, &k.recurrence, in, [2][]float32{in[3].leaf.mat.Data, nil}, nil), nil
}
