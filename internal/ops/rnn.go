package ops

import (
	"math"

	"imdbexp/internal/simd"
)

// RNN runs one layer of Elman's cell over each review (Elman 1990, with a tanh for the
// logistic function as has become usual):
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
	r := g.apply("rnn", &rnn{recurrence: recurrence{g, s, reverse}}, []*Node{x, wx, wh, b}, result{s, h}, result{s.reviews, h})
	return r[0], r[1]
}

// rnn goes through chunks of steps as lstm does: each input is followed by a one and Wx
// by b.
type rnn struct {
	recurrence
	shards   []rnnShard
	wxb      []float32 // [d+1, h] Wx and b
	wxT, whT []float32
	dwxb     partials
	dwh      partials
}

type rnnShard struct {
	timeline
	x  []float32 // [rows, d+1] inputs and a one, by time
	h  []float32 // [rows, h]  the state before each step
	z  []float32 // [rows, h]  the state after it, then the gradient before the tanh
	ht []float32 // [alive, h] the state now, or its gradient
}

func (k *rnn) forward(in, out []Mat) error {
	for len(k.shards) < k.seq.shards() {
		k.shards = append(k.shards, rnnShard{})
	}
	k.wxb = append(append(k.wxb[:0], in[1].Data...), in[3].Data...)
	return k.g.pool.For(k.seq.shards(), func(shard int) {
		s := &k.shards[shard]
		s.plan(k.seq, shard)
		k.forwardShard(s, in, out)
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

func (k *rnn) forwardShard(s *rnnShard, in, out []Mat) {
	x, wh := in[0], in[2]
	d, h, keep := x.Cols, wh.Rows, k.g.training
	in1 := d + 1 // width of an input and its one
	s.ht = grown(s.ht, len(s.order)*h)
	if keep {
		s.x, s.h, s.z = grown(s.x, s.rows()*in1), grown(s.h, s.rows()*h), grown(s.z, s.rows()*h)
	}
	for t0 := 0; t0 < s.steps(); {
		t1 := s.chunk(t0)
		first, n := s.base[t0], s.base[t1]-s.base[t0]
		at := first // row of the buffers where this chunk starts
		if !keep {
			at = 0
			s.x, s.z = grown(s.x, n*in1), grown(s.z, n*h)
		}
		k.gather(&s.timeline, t0, t1, x, s.x[at*in1:])
		z := s.z[at*h:][:n*h]
		simd.NN(n, h, in1, s.x[at*in1:], in1, k.wxb, h, z, h, false)
		for t := t0; t < t1; t++ {
			now := s.ht[:s.alive(t)*h]
			zt := z[(s.base[t]-first)*h:][:len(now)]
			if t > 0 {
				simd.NN(s.alive(t), h, h, now, h, wh.Data, h, zt, h, true)
			} else {
				clear(now)
			}
			if keep {
				copy(s.h[s.base[t]*h:], now)
			}
			simd.Tanh(zt, zt)
			copy(now, zt)
			k.leaving(&s.timeline, t, s.ht, out[0], out[1])
		}
		t0 = t1
	}
}

func (k *rnn) backward(in, _, dout []Mat, din []Grad) error {
	wx, wh, shards := in[1], in[2], k.seq.shards()
	k.wxT, k.whT = transpose(k.wxT, wx), transpose(k.whT, wh)
	if !anyWanted(din[1:4]) {
		return k.g.pool.For(shards, func(shard int) { k.backwardShard(shard, in, dout, din) })
	}
	k.dwxb.prepare(shards, len(k.wxb))
	k.dwh.prepare(shards, len(wh.Data))
	err := k.g.pool.For(shards, func(shard int) { k.backwardShard(shard, in, dout, din) })
	dwxb := k.dwxb.total()
	din[1].putAll(dwxb[:len(wx.Data)])
	din[3].putAll(dwxb[len(wx.Data):])
	din[2].putAll(k.dwh.total())
	return err
}

func (k *rnn) onnx(x *Export, in []*Node) ([]string, error) {
	c := cell{"RNN", []int{0}, 2, nil} // tanh is its default
	return x.recurrent(c, &k.recurrence, in, [2][]float32{in[3].leaf.mat.Data, nil}, nil), nil
}

func (k *rnn) backwardShard(shard int, in, dout []Mat, din []Grad) {
	s := &k.shards[shard]
	d, h := in[0].Cols, in[2].Rows
	in1 := d + 1
	dh := s.ht
	clear(dh)
	chunks := s.chunks()
	for i := len(chunks) - 2; i >= 0; i-- {
		t0, t1 := chunks[i], chunks[i+1]
		for t := t1 - 1; t >= t0; t-- {
			now := dh[:s.alive(t)*h]
			k.arriving(&s.timeline, t, dh, dout, true)
			z := s.z[s.base[t]*h:][:len(now)]
			simd.RNNBackward(z, now, z)
			if t > 0 {
				simd.NN(s.alive(t), h, h, z, h, k.whT, h, now, h, false)
			}
		}
		row, n, add := s.base[t0], s.base[t1]-s.base[t0], i < len(chunks)-2
		dz := s.z[row*h:][:n*h]
		if anyWanted(din[1:4]) {
			simd.TN(in1, h, n, s.x[row*in1:], in1, dz, h, k.dwxb.bufs[shard], h, add)
			simd.TN(h, h, n, s.h[row*h:], h, dz, h, k.dwh.bufs[shard], h, add)
		}
		if din[0].Wanted() {
			dx := s.x[row*in1:][:n*in1] // the inputs are not needed any more
			simd.NN(n, d, h, dz, h, k.wxT, d, dx, in1, false)
			k.scatter(&s.timeline, t0, t1, dx, din[0])
		}
	}
}
