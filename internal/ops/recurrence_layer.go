package ops

import (
	"fmt"

	"imdbexp/internal/simd"
)

// layer is the common part of the kernels of recurrent layers. It computes the product with Wx,
// which needs no state, for a block of steps at once, small enough for its gates to stay in the
// cache. Each input has a one appended, and Wx the row b: so the same products add the bias and
// sum its gradient.
type layer struct {
	recurrence
	h        int // width of the states
	width    int // columns of the products with Wx and Wh
	ld       int // columns of a row of gates; the product with Wh fills the last ones
	starts   int // index of the start states in the inputs, after x, Wx, Wh and the biases
	groups   []layerGroup
	wxb      []float32 // [d+1, width] Wx and b
	wxT, whT []float32
	dwxb     partials
	dwh      partials
	drest    partials // sums of the gradients of the gates after the product with Wx
}

type layerGroup struct {
	group
	z    []float32 // [rows, ld] activations of the gates, then their gradients, by time
	ht   []float32 // [alive, h] the state now, or its gradient
	prev []float32 // [rows, h] the state before each step; gru keeps it
	ct   []float32 // [alive, h] in lstm, the cell now, or its gradient
	c    []float32 // [rows, h] in lstm, the cell states
	c0   []float32 // [alive, h] in lstm, the first cell, if given
}

// stepper is the cell of a recurrent layer.
type stepper interface {
	// begin allocates the buffers of a forward pass of a group.
	begin(s *layerGroup)
	// step computes the states s.ht after step t from its gates z, which hold the products with
	// the inputs. old reports whether there are states before it.
	step(s *layerGroup, t int, z []float32, old bool, in, out []Mat)
	// back turns the activations z of step t into their gradients, and s.ht from the gradient of
	// the states after it into that of the states before it.
	back(s *layerGroup, t int, z []float32, old bool, dout []Mat)
}

// newLayer returns a layer with the given number of gates and the names of its biases, and checks its inputs.
func newLayer(name string, in []*Node, reverse bool, gates int, biases ...string) layer {
	x, wx, wh, h := in[0], in[1], in[2], in[2].axis.Len()
	k := layer{recurrence: recurrence{onWords: x.words(name), reverse: reverse}, h: h, width: gates * h, ld: gates * h, starts: 3 + len(biases)}
	fits := wx.axis.Len() == x.cols && wx.cols == k.width && wh.cols == k.width
	shapes := fmt.Sprintf("x [·, %d], Wx [%d, %d], Wh [%d, %d]", x.cols, wx.axis.Len(), wx.cols, h, wh.cols)
	for i, b := range in[3:k.starts] {
		fits = fits && b.cols == k.width
		shapes += fmt.Sprintf(", %s [1, %d]", biases[i], b.cols)
	}
	if !fits {
		x.g.fail("%s: %s", name, shapes)
	}
	k.seq.startsFrom(name, h, in[k.starts:])
	return k
}

// add adds the op, with the states [N, h] and the last states [B, h] as results.
func (k *layer) add(name string, op kernel, in []*Node, last int) []*Node {
	end := result{k.seq.reviews, k.h}
	return k.g.apply(name, op, in, []result{{k.seq, k.h}, end, end}[:1+last]...)
}

func (k *layer) backwards() bool { return k.reverse }

func (k *layer) picture(s *Sketch, n *Node) drawn { return s.states(n) }

// run computes the steps of a cell, with the weights in wxb.
func (k *layer) run(c stepper, in, out []Mat) error {
	n := k.seq.shards()
	if k.h >= wideStates {
		n = min(n, k.g.pool.Workers())
	}
	k.groups = resized(k.groups, n)
	if err := k.multiply(in[0], k.wxb, k.width); err != nil {
		return err
	}
	return k.groupwise(n, func(i int) {
		s := &k.groups[i]
		k.plan(&s.group, i, n, sharable(in[0], in[k.starts:]))
		k.runGroup(c, s, in, out)
	})
}

func (k *layer) runGroup(c stepper, s *layerGroup, in, out []Mat) {
	keep := k.g.training
	s.ht = grown(s.ht, len(s.order)*k.h)
	if keep {
		s.z = grown(s.z, s.rows()*k.ld)
	}
	c.begin(s)
	for i, state := range in[k.starts:] {
		k.collect(&s.timeline, state, s.now(i))
	}
	for i, t0 := range s.starts[:len(s.starts)-1] {
		t1 := s.starts[i+1]
		first, n := s.base[t0], s.base[t1]-s.base[t0]
		at := first // row of the buffers where this block starts
		if !keep {
			at = 0
			s.z = grown(s.z, n*k.ld)
		}
		z := s.z[at*k.ld:][:n*k.ld]
		k.project(&s.group, t0, t1, in[0], k.wxb, k.width, z, k.ld)
		for t := t0; t < t1; t++ {
			k.fork(&s.timeline, t, out[0], s.ht, s.ct)
			zt := z[(s.base[t]-first)*k.ld:][:s.alive(t)*k.ld]
			c.step(s, t, zt, t > 0 || len(in) > k.starts, in, out)
			k.store(&s.timeline, t, s.ht, out[0], out[1])
		}
	}
}

// now returns the current states, or in lstm the cells at 1.
func (s *layerGroup) now(i int) []float32 {
	if i == 1 {
		return s.ct
	}
	return s.ht
}

// exactly computes the steps from the products with the inputs. step advances the states (in
// an LSTM also the cells) by a row.
func (k *layer) exactly(in, out []Mat64, step func(gates []float64, states [][]float64)) error {
	gates := newWide(in[0].Rows, k.width)
	exactLinear(gates, in[0], in[1], in[3].Data)
	for b := range k.seq.reviews.Len() {
		states := [][]float64{make([]float64, k.h), make([]float64, k.h)}
		for i, s := range in[k.starts:] {
			copy(states[i], s.Row(b))
		}
		for t := range k.seq.length(b) {
			row := k.row(b, t)
			step(gates.Row(row), states)
			copy(out[0].Row(row), states[0])
		}
		for i, last := range out[1:] {
			copy(last.Row(b), states[i])
		}
	}
	return nil
}

// runBack computes the gradients. total returns the sum of dwxb with its columns as in Wx.
func (k *layer) runBack(c stepper, in, out, dout []Mat, din []Grad, total func() []float32) error {
	n := len(in[1].Data)
	k.wxT = transpose(k.wxT, Mat{Rows: in[1].Rows, Cols: k.width, Data: k.wxb[:n]})
	k.whT = transpose(k.whT, in[2])
	sums := anyWanted(din[1:k.starts])
	if sums {
		shards := k.seq.shards()
		k.dwxb.prepare(shards, len(k.wxb))
		k.dwh.prepare(shards, len(in[2].Data))
		k.drest.prepare(shards, k.ld-k.width)
	}
	err := k.groupwise(len(k.groups), func(i int) { k.runGroupBack(c, &k.groups[i], in, out, dout, din, sums) })
	if sums {
		dwxb := total()
		din[1].putAll(dwxb[:n])
		din[2].putAll(k.dwh.total())
		din[3].putAll(dwxb[n:])
	}
	return err
}

func (k *layer) runGroupBack(c stepper, s *layerGroup, in, out, dout []Mat, din []Grad, sums bool) {
	in1 := in[0].Cols + 1
	of := summands{x: in[0], states: out[0], before: s.prev, dz: s.z, width: k.ld}
	if len(in) > k.starts {
		of.start = in[k.starts]
	}
	add := func(p packed) {
		simd.TN(in1, k.width, p.n, p.x, in1, p.dz, k.ld, k.dwxb.bufs[p.shard], k.width, p.add)
		simd.TN(k.h, k.width, p.n, p.h, k.h, p.dz[k.ld-k.width:], k.ld, k.dwh.bufs[p.shard], k.width, p.add)
		simd.ColumnSums(k.drest.bufs[p.shard], p.dz[k.width:], p.n, k.ld, k.ld-k.width, p.add)
	}
	clear(s.ht)
	s.restart()
	for t := s.steps() - 1; t >= 0; t-- {
		z := s.z[s.base[t]*k.ld:][:s.alive(t)*k.ld]
		c.back(s, t, z, t > 0 || len(in) > k.starts, dout)
		if sums {
			k.sum(&s.group, t, of, add)
		}
		k.toInputs(&s.group, t, s.z, k.width, k.ld, k.wxT, din[0])
	}
	for i := range in[k.starts:] {
		k.distribute(&s.timeline, s.now(i), din[k.starts+i])
	}
}
