package ops

import (
	"math"

	"imdbexp/internal/onnx"
	"imdbexp/internal/simd"
)

// GRU runs one layer over each review (Cho et al. 2014, in PyTorch's form):
//
//	r, z = σ (xₜ·W_r,z + bx_r,z + hₜ₋₁·U_r,z + bh_r,z)
//	n = tanh(xₜ·W_n + bx_n + r⊙(hₜ₋₁·U_n + bh_n))
//	hₜ = (1−z)⊙n + z⊙hₜ₋₁        h₀ = 0
//
// x is [N, d], Wx = [W_r, W_z, W_n] [d, 3h], Wh = [U_r, U_z, U_n] [h, 3h], bx and
// bh [1, 3h] in the same order. With reverse set it reads each review from its
// end. Results: the states [N, h], each at its own word, and the last state read
// [B, h].
func GRU(x, wx, wh, bx, bh *Node, reverse bool) (states, last *Node) {
	return applyGRU([]*Node{x, wx, wh, bx, bh}, reverse)
}

// GRUFrom is GRU, forwards, from a state h0 [B, h] instead of zeros.
func GRUFrom(x, wx, wh, bx, bh, h0 *Node) (states, last *Node) {
	return applyGRU([]*Node{x, wx, wh, bx, bh, h0}, false)
}

// applyGRU adds the op. Its start state, if any, is the last input.
func applyGRU(in []*Node, reverse bool) (states, last *Node) {
	k := &gru{layer: newLayer("gru", in, reverse, 3, "bx", "bh")}
	k.ld += k.h
	r := k.add("gru", k, in, 1)
	return r[0], r[1]
}

// A row of gates is [n, r, z, a] with a = hₜ₋₁·U_n + bh_n, so that both products
// fill three neighbours of the four: x·[W_n, W_r, W_z] the first, h·[U_r, U_z, U_n]
// the last. wxb is [W_n, W_r, W_z] and their biases.
type gru struct {
	layer
	dwx []float32
}

// turn copies the columns [r, z, n] of each row of from to [n, r, z] of to.
func turn(to, from []float32, h int) {
	for i := 0; i < len(from); i += 3 * h {
		copy(to[i:i+h], from[i+2*h:])
		copy(to[i+h:i+3*h], from[i:])
	}
}

// turnBack is the inverse of turn.
func turnBack(to, from []float32, h int) {
	for i := 0; i < len(from); i += 3 * h {
		copy(to[i:i+2*h], from[i+h:])
		copy(to[i+2*h:i+3*h], from[i:])
	}
}

func (k *gru) forward(in, out []Mat) error {
	wx, bh, h := in[1].Data, in[4].Data, k.h
	k.wxb = grown(k.wxb, len(wx)+3*h)
	turn(k.wxb, wx, h)
	bias := k.wxb[len(wx):]
	turn(bias, in[3].Data, h)
	simd.Add(bias[h:], bh[:2*h])
	return k.run(k, in, out)
}

func (k *gru) exact(in, out []Mat64) error {
	return k.exactly(in, out, func(gates []float64, states [][]float64) {
		states[0] = exactGRU(gates, states[0], in[2], in[4].Data)
	})
}

// exactGRU returns the state after one step; x holds the products with the input and
// their bias, in the order r, z, n.
func exactGRU(x, state []float64, wh Mat64, bh []float64) []float64 {
	h := len(state)
	old, out := newWide(1, 3*h), make([]float64, h)
	exactLinear(old, Mat64{1, h, state}, wh, bh)
	for j, before := range state {
		r, z := exactSigmoid(x[j]+old.Data[j]), exactSigmoid(x[h+j]+old.Data[h+j])
		n := math.Tanh(x[2*h+j] + r*old.Data[2*h+j])
		out[j] = (1-z)*n + z*before
	}
	return out
}

func (k *gru) begin(s *layerGroup) {
	if k.g.training {
		s.prev = grown(s.prev, s.rows()*k.h)
	}
}

func (k *gru) step(s *layerGroup, t int, z []float32, old bool, in, _ []Mat) {
	h, rows := k.h, len(z)/k.ld
	for r := range rows {
		copy(z[r*4*h+3*h:][:h], in[4].Data[2*h:])
	}
	state := s.ht[:rows*h]
	if old {
		simd.NN(rows, 3*h, h, state, h, in[2].Data, 3*h, z[h:], 4*h, true)
	} else {
		clear(state)
	}
	if k.g.training {
		copy(s.prev[s.base[t]*h:], state)
	}
	simd.GRUForward(z, rows, h, state, state)
}

func (k *gru) backward(in, out, dout []Mat, din []Grad) error {
	err := k.runBack(k, in, out, dout, din, func() []float32 {
		dwxb := k.dwxb.total()
		k.dwx = grown(k.dwx, len(dwxb))
		turnBack(k.dwx, dwxb, k.h)
		return k.dwx
	})
	if anyWanted(din[1:5]) {
		dbh := k.dwx[len(in[1].Data):]
		copy(dbh[2*k.h:], k.drest.total()) // the biases differ only in n
		din[4].putAll(dbh)
	}
	return err
}

func (k *gru) back(s *layerGroup, t int, z []float32, old bool, dout []Mat) {
	h, rows := k.h, len(z)/k.ld
	k.loadGrad(&s.timeline, t, s.ht, dout, true)
	dh := s.ht[:rows*h]
	simd.GRUBackward(z, rows, h, s.prev[s.base[t]*h:][:rows*h], dh, z)
	if old {
		simd.NN(rows, h, 3*h, z[h:], 4*h, k.whT, h, dh, h, true)
	}
}

// onnx passes the gates in ONNX's order z, r, n. The reset gate is applied after the product.
func (k *gru) onnx(x *Export, in []*Node) ([]string, error) {
	c := cell{"GRU", []int{1, 0, 2}, 2, []onnx.Attribute{{Name: "linear_before_reset", Value: int64(1)}}}
	return x.recurrent(c, &k.recurrence, in, [2][]float32{in[3].leaf.mat.Data, in[4].leaf.mat.Data}, in[5:]), nil
}
