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
	x, wx, wh, bx, bh := in[0], in[1], in[2], in[3], in[4]
	g := x.g
	s, ok := x.axis.(*Seq)
	h := wh.axis.Len()
	if !ok || wx.axis.Len() != x.cols || wx.cols != 3*h || wh.cols != 3*h || bx.cols != 3*h || bh.cols != 3*h {
		n := g.fail("gru: x [·, %d], Wx [%d, %d], Wh [%d, %d], bx [1, %d], bh [1, %d]", x.cols, wx.axis.Len(), wx.cols, h, wh.cols, bx.cols, bh.cols)
		return n, n
	}
	if n := s.startsFrom("gru", h, in[5:]); n != nil {
		return n, n
	}
	k := &gru{recurrence: recurrence{g: g, seq: s, reverse: reverse}}
	r := g.apply("gru", k, in, result{s, h}, result{s.reviews, h})
	return r[0], r[1]
}

// A row of gates is [n, r, z, a] with a = hₜ₋₁·U_n + bh_n, so that both products
// fill three neighbours of the four: x·[W_n, W_r, W_z] the first, h·[U_r, U_z, U_n]
// the last. Wx is followed by the biases of n, r and z, as in lstm.
type gru struct {
	recurrence
	groups   []gruGroup
	wxb      []float32 // [d+1, 3h] [W_n, W_r, W_z] and their biases
	wxT, whT []float32
	dwxb     partials
	dwh      partials
	dbn      partials // gradient of bh_n
	dwx      []float32
}

type gruGroup struct {
	group
	z  []float32 // [rows, 4h] n, r, z and a, then their gradients, by time
	h  []float32 // [rows, h]  the state before each step
	ht []float32 // [alive, h] the state now, or its gradient
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
	wx, wh, bx, bh := in[1], in[2], in[3].Data, in[4].Data
	h := wh.Rows
	k.groups = grouped(&k.recurrence, k.groups, h)
	k.wxb = grown(k.wxb, len(wx.Data)+3*h)
	turn(k.wxb, wx.Data, h)
	bias := k.wxb[len(wx.Data):]
	turn(bias, bx, h)
	simd.Add(bias[h:], bh[:2*h])
	if err := k.multiply(in[0], k.wxb, 3*h); err != nil {
		return err
	}
	return k.each(len(k.groups), func(i int) {
		s := &k.groups[i]
		k.plan(&s.group, i, len(k.groups), alike(in[0], in[5:]))
		k.forwardGroup(s, in, out)
	})
}

func (k *gru) exact(in, out []Wide) error {
	gates := newWide(in[0].Rows, in[1].Cols)
	exactLinear(gates, in[0], in[1], in[3].Data)
	k.exactSteps(in[5:], out, func(row int, states [][]float64) {
		states[0] = exactGRU(gates.Row(row), states[0], in[2], in[4].Data)
	})
	return nil
}

// exactGRU returns the state after one step; x holds the products with the input and
// their bias, in the order r, z, n.
func exactGRU(x, state []float64, wh Wide, bh []float64) []float64 {
	h := len(state)
	old, out := newWide(1, 3*h), make([]float64, h)
	exactLinear(old, Wide{1, h, state}, wh, bh)
	for j, before := range state {
		r, z := exactSigmoid(x[j]+old.Data[j]), exactSigmoid(x[h+j]+old.Data[h+j])
		n := math.Tanh(x[2*h+j] + r*old.Data[2*h+j])
		out[j] = (1-z)*n + z*before
	}
	return out
}

func (k *gru) forwardGroup(s *gruGroup, in, out []Mat) {
	x, wh, from := in[0], in[2], len(in) > 5
	h, keep := wh.Rows, k.g.training
	bn := in[4].Data[2*h:]
	s.ht = grown(s.ht, len(s.order)*h)
	if keep {
		s.h, s.z = grown(s.h, s.rows()*h), grown(s.z, s.rows()*4*h)
	}
	if from {
		k.collect(&s.timeline, in[5], s.ht)
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
		k.project(&s.group, t0, t1, x, k.wxb, 3*h, z, 4*h)
		for t := t0; t < t1; t++ {
			alive, lo := s.alive(t), s.base[t]-first
			k.parting(&s.timeline, t, out[0], s.ht)
			zt := z[lo*4*h:][:alive*4*h]
			for r := range alive {
				copy(zt[r*4*h+3*h:][:h], bn)
			}
			before := s.ht[:alive*h]
			if t > 0 || from {
				simd.NN(alive, 3*h, h, before, h, wh.Data, 3*h, zt[h:], 4*h, true)
			} else {
				clear(before)
			}
			if keep {
				copy(s.h[s.base[t]*h:], before)
			}
			simd.GRUForward(zt, alive, h, before, before)
			k.leaving(&s.timeline, t, s.ht, out[0], out[1])
		}
	}
}

func (k *gru) backward(in, out, dout []Mat, din []Grad) error {
	wx, wh := in[1], in[2]
	h := wh.Rows
	k.wxT = transpose(k.wxT, Mat{Rows: wx.Rows, Cols: 3 * h, Data: k.wxb[:len(wx.Data)]})
	k.whT = transpose(k.whT, wh)
	sums := anyWanted(din[1:5])
	if sums {
		k.dwxb.prepare(k.seq.shards(), len(k.wxb))
		k.dwh.prepare(k.seq.shards(), len(wh.Data))
		k.dbn.prepare(k.seq.shards(), h)
	}
	err := k.each(len(k.groups), func(i int) { k.backwardGroup(&k.groups[i], in, out, dout, din) })
	if !sums {
		return err
	}
	dwxb := k.dwxb.total()
	k.dwx = grown(k.dwx, len(dwxb))
	turnBack(k.dwx, dwxb, h)
	dbx := k.dwx[len(wx.Data):]
	din[1].putAll(k.dwx[:len(wx.Data)])
	din[2].putAll(k.dwh.total())
	din[3].putAll(dbx)
	copy(dbx[2*h:], k.dbn.total()) // the biases differ only in n
	din[4].putAll(dbx)
	return err
}

// onnx passes the gates in ONNX's order z, r, n. The reset gate is applied after the product.
func (k *gru) onnx(x *Export, in []*Node) ([]string, error) {
	c := cell{"GRU", []int{1, 0, 2}, 2, []onnx.Attribute{{Name: "linear_before_reset", Value: int64(1)}}}
	return x.recurrent(c, &k.recurrence, in, [2][]float32{in[3].leaf.mat.Data, in[4].leaf.mat.Data}, in[5:]), nil
}

func (k *gru) backwardGroup(s *gruGroup, in, out, dout []Mat, din []Grad) {
	h, from := in[2].Rows, len(in) > 5
	in1 := in[0].Cols + 1
	dh := s.ht
	clear(dh)
	of := summands{x: in[0], states: out[0], before: s.h, dz: s.z, width: 4 * h}
	sums, add := anyWanted(din[1:5]), func(p packed) {
		simd.TN(in1, 3*h, p.n, p.x, in1, p.dz, 4*h, k.dwxb.bufs[p.shard], 3*h, p.add)
		simd.TN(h, 3*h, p.n, p.h, h, p.dz[h:], 4*h, k.dwh.bufs[p.shard], 3*h, p.add)
		simd.ColumnSums(k.dbn.bufs[p.shard], p.dz[3*h:], p.n, 4*h, h, p.add)
	}
	s.restart()
	for t := s.steps() - 1; t >= 0; t-- {
		alive, row := s.alive(t), s.base[t]
		k.arriving(&s.timeline, t, dh, dout, true)
		z, now := s.z[row*4*h:][:alive*4*h], dh[:alive*h]
		simd.GRUBackward(z, alive, h, s.h[row*h:][:alive*h], now, z)
		if t > 0 || from {
			simd.NN(alive, h, 3*h, z[h:], 4*h, k.whT, h, now, h, true)
		}
		if sums {
			k.sum(&s.group, t, of, add)
		}
		k.toInputs(&s.group, t, s.z, 3*h, 4*h, k.wxT, din[0])
	}
	if from {
		k.distribute(&s.timeline, dh, din[5])
	}
}
