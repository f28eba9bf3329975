package ops

import (
	"slices"

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
	g := x.g
	s, ok := x.axis.(*Seq)
	h := wh.axis.Len()
	if !ok || wx.axis.Len() != x.cols || wx.cols != 4*h || wh.cols != 4*h || b.cols != 4*h {
		n := g.fail("lstm: x [·, %d], Wx [%d, %d], Wh [%d, %d], b [1, %d]", x.cols, wx.axis.Len(), wx.cols, h, wh.cols, b.cols)
		return n, n
	}
	k := &lstm{g: g, seq: s, reverse: reverse}
	r := g.apply("lstm", k, []*Node{x, wx, wh, b}, result{s, h}, result{s.Reviews(), h})
	return r[0], r[1]
}

// Inside a shard the reviews are ordered by falling length and the rows by time:
// step t owns the rows base[t] … base[t+1], one for each review still alive, so
// that a step is one matrix product of the rows at hand and no padding. The
// product with Wx, which needs no state, is done for a chunk of steps at once,
// small enough for its gates to stay in the cache. Each input is followed by a
// one and Wx by b, so that the same products add the bias and sum its gradient.
type lstm struct {
	g        *Graph
	seq      *Seq
	reverse  bool
	shards   []lstmShard
	wxb      []float32 // [d+1, 4h] Wx and b
	wxT, whT []float32
	dwxb     partials
	dwh      partials
}

const chunkRows = 512

type lstmShard struct {
	order []int // reviews by falling length
	base  []int // [T+1] first row of each step

	x  []float32 // [rows, d+1] inputs and a one, by time
	h  []float32 // [rows, h]  the state before each step
	z  []float32 // [rows, 4h] activations of the gates, then their gradients
	c  []float32 // [rows, h]  cell states
	ht []float32 // [alive, h] the state now, or its gradient
	ct []float32 // [alive, h] the cell now, or its gradient
}

// alive returns how many reviews have a word at step t.
func (s *lstmShard) alive(t int) int {
	if t+1 >= len(s.base) {
		return 0
	}
	return s.base[t+1] - s.base[t]
}

// plan orders the reviews of a shard and counts the rows of each step.
func (k *lstm) plan(shard int) *lstmShard {
	s, q := &k.shards[shard], k.seq
	s.order = s.order[:0]
	for b := q.owner[shard]; b < q.owner[shard+1]; b++ {
		s.order = append(s.order, b)
	}
	slices.SortStableFunc(s.order, func(a, b int) int { return q.length(b) - q.length(a) })
	s.base = append(s.base[:0], 0)
	for t, alive := 0, len(s.order); ; t++ {
		for alive > 0 && q.length(s.order[alive-1]) <= t {
			alive--
		}
		if alive == 0 {
			return s
		}
		s.base = append(s.base, s.base[t]+alive)
	}
}

// row returns the row in the batch of step t of a review.
func (k *lstm) row(review, t int) int {
	if k.reverse {
		return k.seq.Offsets[review+1] - 1 - t
	}
	return k.seq.Offsets[review] + t
}

// chunk returns the end of the chunk of steps that starts at t.
func (s *lstmShard) chunk(t int) int {
	end := t + 1
	for end+1 < len(s.base) && s.base[end+1]-s.base[t] <= chunkRows {
		end++
	}
	return end
}

func (k *lstm) forward(in, out []Mat) error {
	for len(k.shards) < k.seq.shards() {
		k.shards = append(k.shards, lstmShard{})
	}
	k.wxb = append(append(k.wxb[:0], in[1].Data...), in[3].Data...)
	return k.g.pool.For(k.seq.shards(), func(shard int) { k.forwardShard(k.plan(shard), in, out) })
}

func (k *lstm) forwardShard(s *lstmShard, in, out []Mat) {
	x, wh := in[0], in[2]
	states, last := out[0], out[1]
	d, h, keep := x.Cols, states.Cols, k.g.training
	in1 := d + 1 // width of an input and its one
	rows, steps := s.base[len(s.base)-1], len(s.base)-1
	s.ht, s.ct = grown(s.ht, len(s.order)*h), grown(s.ct, len(s.order)*h)
	if keep {
		s.x, s.h = grown(s.x, rows*in1), grown(s.h, rows*h)
		s.z, s.c = grown(s.z, rows*4*h), grown(s.c, rows*h)
	}
	for t0 := 0; t0 < steps; {
		t1 := s.chunk(t0)
		first, n := s.base[t0], s.base[t1]-s.base[t0]
		at := first // row of the buffers where this chunk starts
		if !keep {
			at = 0
			s.x, s.z = grown(s.x, n*in1), grown(s.z, n*4*h)
		}
		for t := t0; t < t1; t++ {
			for r := range s.alive(t) {
				to := s.x[(at+s.base[t]-first+r)*in1:][:in1]
				copy(to, x.Row(k.row(s.order[r], t)))
				to[d] = 1
			}
		}
		z := s.z[at*4*h:][:n*4*h]
		simd.NN(n, 4*h, in1, s.x[at*in1:], in1, k.wxb, 4*h, z, 4*h, false)
		for t := t0; t < t1; t++ {
			alive, lo := s.alive(t), s.base[t]-first
			zt := z[lo*4*h:][:alive*4*h]
			if t > 0 {
				simd.NN(alive, 4*h, h, s.ht, h, wh.Data, 4*h, zt, 4*h, true)
			}
			before, now := s.ct[:alive*h], s.ct[:alive*h]
			if keep {
				row := s.base[t] * h
				now = s.c[row:][:alive*h]
				if t > 0 {
					before = s.c[s.base[t-1]*h:][:alive*h]
					copy(s.h[row:], s.ht[:alive*h])
				} else {
					clear(s.h[row:][:alive*h])
				}
			}
			if t == 0 {
				before = nil
			}
			simd.LSTMForward(zt, alive, h, before, now, s.ht[:alive*h])
			ends := s.alive(t + 1)
			for r := range alive {
				state := s.ht[r*h:][:h]
				copy(states.Row(k.row(s.order[r], t)), state)
				if r >= ends {
					copy(last.Row(s.order[r]), state)
				}
			}
		}
		t0 = t1
	}
}

func (k *lstm) backward(in, out, dout []Mat, din []Grad) error {
	wx, wh := in[1], in[2]
	shards := k.seq.shards()
	k.wxT, k.whT = transpose(k.wxT, wx), transpose(k.whT, wh)
	k.dwxb.prepare(shards, len(k.wxb))
	k.dwh.prepare(shards, len(wh.Data))
	err := k.g.pool.For(shards, func(shard int) { k.backwardShard(shard, in, dout, din) })
	dwxb := k.dwxb.total()
	din[1].putAll(dwxb[:len(wx.Data)])
	din[3].putAll(dwxb[len(wx.Data):])
	din[2].putAll(k.dwh.total())
	return err
}

func (k *lstm) backwardShard(shard int, in, dout []Mat, din []Grad) {
	s := &k.shards[shard]
	d, h := in[0].Cols, in[2].Rows
	in1 := d + 1
	dh, dc := s.ht, s.ct
	clear(dc)
	k.arriving(s, len(s.base)-2, dh, dout)
	chunks := s.chunks()
	for i := len(chunks) - 2; i >= 0; i-- {
		t0, t1 := chunks[i], chunks[i+1]
		for t := t1 - 1; t >= t0; t-- {
			alive, row := s.alive(t), s.base[t]
			var before []float32
			if t > 0 {
				before = s.c[s.base[t-1]*h:][:alive*h]
			}
			z := s.z[row*4*h:][:alive*4*h]
			simd.LSTMBackward(z, alive, h, before, s.c[row*h:][:alive*h], dh[:alive*h], dc[:alive*h], z)
			if t > 0 {
				k.arriving(s, t-1, dh, dout)
				simd.NN(alive, h, 4*h, z, 4*h, k.whT, h, dh, h, true)
			}
		}
		row, n, add := s.base[t0], s.base[t1]-s.base[t0], i < len(chunks)-2
		dz := s.z[row*4*h:][:n*4*h]
		simd.TN(in1, 4*h, n, s.x[row*in1:], in1, dz, 4*h, k.dwxb.bufs[shard], 4*h, add)
		simd.TN(h, 4*h, n, s.h[row*h:], h, dz, 4*h, k.dwh.bufs[shard], 4*h, add)
		if din[0].Wanted() {
			dx := s.x[row*in1:][:n*in1] // the inputs are not needed any more
			simd.NN(n, d, 4*h, dz, 4*h, k.wxT, d, dx, in1, false)
			k.scatter(s, t0, t1, dx, din[0])
		}
	}
}

// arriving leaves in dh the gradient that reaches the states of step t from
// outside the layer.
func (k *lstm) arriving(s *lstmShard, t int, dh []float32, dout []Mat) {
	states, last := dout[0], dout[1]
	ends, h := s.alive(t+1), len(s.ht)/len(s.order)
	for r := range s.alive(t) {
		to := dh[r*h:][:h]
		if states.Data != nil {
			copy(to, states.Row(k.row(s.order[r], t)))
		} else {
			clear(to)
		}
		if r >= ends && last.Data != nil {
			simd.Add(to, last.Row(s.order[r]))
		}
	}
}

// scatter brings the gradients of the inputs of steps t0 … t1 to their words.
func (k *lstm) scatter(s *lstmShard, t0, t1 int, dx []float32, to Grad) {
	d := to.Cols
	for t := t0; t < t1; t++ {
		for r := range s.alive(t) {
			from := dx[(s.base[t]-s.base[t0]+r)*(d+1):][:d]
			to.put(k.row(s.order[r], t), from)
		}
	}
}

// chunks returns the first step of each chunk, and the number of steps.
func (s *lstmShard) chunks() []int {
	out := []int{0}
	for t := 0; t < len(s.base)-1; {
		t = s.chunk(t)
		out = append(out, t)
	}
	return out
}

// transpose leaves mᵀ in buf, grown as needed.
func transpose(buf []float32, m Mat) []float32 {
	buf = grown(buf, len(m.Data))
	for i := range m.Rows {
		for j, v := range m.Row(i) {
			buf[j*m.Rows+i] = v
		}
	}
	return buf
}
