package ops

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/internal/diagram"
	"imdbexp/internal/simd"
)

// recurrence is the common part of the recurrent layers: the order of computation within
// a batch, and the copies between the order of the words and this order.
type recurrence struct {
	onWords
	reverse bool  // from the end of each review
	cost    []int // of each group
	turn    []int // groups, the costliest first
	recurring
}

// timeline is the order of computation of the rows of some shards. Reviews are ordered
// by falling length and rows by time: step t owns the rows base[t] … base[t+1],
// one for each review still alive. So a step is one matrix product of those rows
// without padding.
type timeline struct {
	order []int   // reviews by falling length
	base  []int   // [T+1] first row of each step
	at    []int32 // the row in the batch of each row here; see place
	shared
}

// plan orders the reviews of the shards lo … hi and counts the rows of each step.
func (l *timeline) plan(q *Seq, lo, hi int) {
	l.order, l.parts = l.order[:0], l.parts[:0]
	for b := q.owner[lo]; b < q.owner[hi]; b++ {
		l.order = append(l.order, b)
	}
	slices.SortStableFunc(l.order, func(a, b int) int { return q.length(b) - q.length(a) })
	l.base = append(l.base[:0], 0)
	for t, alive := 0, len(l.order); ; t++ {
		for alive > 0 && q.length(l.order[alive-1]) <= t {
			alive--
		}
		if alive == 0 {
			return
		}
		l.base = append(l.base, l.base[t]+alive)
	}
}

// steps returns T, the length of the longest review.
func (l *timeline) steps() int { return len(l.base) - 1 }

func (l *timeline) rows() int { return l.base[len(l.base)-1] }

// alive returns how many reviews have a word at step t.
func (l *timeline) alive(t int) int {
	if t+1 >= len(l.base) {
		return 0
	}
	return l.base[t+1] - l.base[t]
}

// cut appends the first step of each piece of about maxRows rows, and the number of steps.
func (l *timeline) cut(to []int, maxRows int) []int {
	to = append(to, 0)
	for t := 0; t < l.steps(); to = append(to, t) {
		from := l.base[t]
		for t++; t < l.steps() && l.base[t+1]-from <= maxRows; {
			t++
		}
	}
	return to
}

// row returns the row in the batch of step t of a review.
func (k *recurrence) row(review, t int) int {
	if k.reverse {
		return k.seq.Offsets[review+1] - 1 - t
	}
	return k.seq.Offsets[review] + t
}

// place sets the row in the batch of each row of a timeline.
func (k *recurrence) place(l *timeline) {
	l.at = grown(l.at, l.rows())
	var before []int32
	for t := range l.steps() {
		now := l.at[l.base[t]:l.base[t+1]]
		on := min(len(before), len(now))
		for r, row := range before[:on] {
			now[r] = row + k.step()
		}
		for r := on; r < len(now); r++ {
			now[r] = int32(k.row(l.order[r], t))
		}
		before = now
	}
}

// step returns the distance in the batch from a word to the one read after it.
func (k *recurrence) step() int32 {
	if k.reverse {
		return -1
	}
	return 1
}

// store copies the states after step t to their words, and to the last states
// of the reviews that end there.
func (k *recurrence) store(l *timeline, t int, now []float32, states, last Mat) {
	for r, row := range l.at[l.base[t]:l.base[t+1]] {
		copy(states.Row(int(row)), now[r*states.Cols:])
	}
	k.storeLast(l, t, now, last)
}

// storeLast copies the states or cells after step t to the last ones of the reviews that end there.
func (k *recurrence) storeLast(l *timeline, t int, now []float32, last Mat) {
	for r := l.alive(t + 1); r < l.alive(t); r++ {
		copy(last.Row(l.order[r]), now[r*last.Cols:])
	}
}

// startsFrom returns nil if each of the nodes is a state [B, h] of the axis'
// reviews, and a failed node if one is not.
func (s *Seq) startsFrom(op string, h int, states []*Node) *Node {
	for _, n := range states {
		if n.axis != Axis(s.reviews) || n.cols != h {
			return n.g.fail("%s: starts from [%s, %d], but needs a state [B, %d] for each review", op, kind(n.axis), n.cols, h)
		}
	}
	return nil
}

// collect copies the reviews' rows of from to to, in the order of l.
func (k *recurrence) collect(l *timeline, from Mat, to []float32) {
	for r, b := range l.order {
		copy(to[r*from.Cols:][:from.Cols], from.Row(b))
	}
}

// distribute writes the rows of from, in the order of l, to the gradient of the
// reviews' rows.
func (k *recurrence) distribute(l *timeline, from []float32, to Grad) {
	for r, b := range l.order {
		to.put(b, from[r*to.Cols:][:to.Cols])
	}
}

// loadGrad sets dh [alive, h] to the gradient of the states of step t from outside the
// layer, or adds it.
func (k *recurrence) loadGrad(l *timeline, t int, dh []float32, dout []Mat, add bool) {
	states, last := dout[0], dout[1]
	lo, hi, h := l.base[t], l.base[t+1], len(dh)/len(l.order)
	now := dh[:(hi-lo)*h]
	rows, next := l.at[lo:hi], l.at[l.base[max(t-1, 0)]:lo]
	switch {
	case states.Data != nil && add:
		simd.GatherAddRows(now, h, states.Data, h, rows, next)
	case states.Data != nil:
		simd.GatherRows(now, h, states.Data, h, rows, next)
	case !add:
		clear(now)
	}
	if last.Data == nil {
		return
	}
	for r := l.alive(t + 1); r < hi-lo; r++ {
		simd.Add(now[r*h:][:h], last.Row(l.order[r]))
	}
}

// transpose returns mᵀ in buf, grown as needed.
func transpose(buf []float32, m Mat) []float32 {
	buf = grown(buf, len(m.Data))
	simd.Transpose(buf, m.Rows, m.Data, m.Cols, m.Rows, m.Cols)
	return buf
}

// recurrent reports whether a node is a result of a recurrent layer.
func recurrent(n *Node) bool {
	if n.src == nil {
		return false
	}
	_, ok := n.src.k.(stepper)
	return ok
}

// layer returns the box of the recurrent layer with the result n. opposite is the layer
// that reads in the other direction, if any: narrow pictures have one box for both.
func (s *Sketch) layer(n *Node, opposite ...*Node) *diagram.Vertex {
	if v, ok := s.layers[n.src]; ok {
		return v
	}
	if below := s.below(n.src); below != nil {
		v := s.layer(below)
		count := s.count[v] + 1
		s.count[v], s.layers[n.src] = count, v
		if s.listing {
			v.Lines = append(v.Lines[:1], fmt.Sprintf("%d layers", count))
		} else {
			v.Lines[0] = fmt.Sprintf("%s, %d layers", strings.Split(v.Lines[0], ",")[0], count)
		}
		return v
	}
	if n = n.src.nodes[0]; onTarget(n) {
		return s.writer(n)
	}
	how := "left to right"
	reverse := n.src.k.(interface{ backwards() bool }).backwards()
	if reverse {
		how = "right to left"
	}
	if s.listing {
		x := s.node(n.src.inputs[0])
		v := s.box(diagram.Op(s.recurrence(n, x, reverse, reverse && len(opposite) > 0)))
		s.layers[n.src], s.count[v] = v, 1
		return v
	}
	both := s.narrow && len(opposite) > 0
	if both {
		how = "both ways"
	}
	v := s.box(diagram.Op(strings.ToUpper(n.src.name), how), diagram.Edge{From: s.node(n.src.inputs[0]).vertex})
	s.layers[n.src], s.count[v] = v, 1
	if both {
		s.layers[opposite[0].src] = v
	}
	return v
}

// below returns the states of the layer below, if it is of the same kind and has no other
// reader; otherwise nil.
func (s *Sketch) below(o *op) *Node {
	n := o.inputs[0].shown()
	for n.Op() == "dropout" && s.readers[n] == 1 {
		n = n.src.inputs[0].shown()
	}
	if !recurrent(n) || n.out != 0 || s.readers[n] != 1 || n.src.name != o.name {
		return nil
	}
	return n
}

// states draws a recurrent layer of one direction: its states, or the last one.
func (s *Sketch) states(n *Node) drawn {
	states := n.src.nodes[0]
	layer := diagram.Edge{From: s.layer(n)}
	switch {
	case onTarget(states):
		return drawn{layer.From, "s"}
	case n.out > 0 && s.translates:
		return drawn{layer.From, s.symbol(n, "h")}
	case n.out == 0:
		return drawn{s.box(diagram.Val(s.statesOf()), layer), "h"}
	}
	if s.walked[states] {
		layer.From = s.node(states).vertex
	}
	return s.lastState(n, layer)
}

// statesOf returns the text of the box of a recurrent layer's states.
func (s *Sketch) statesOf() string {
	if s.narrow {
		return "states hᵢ"
	}
	return "states h₁ … hₙ"
}

// lastState draws the box of the last state.
func (s *Sketch) lastState(n *Node, in ...diagram.Edge) drawn {
	name := s.symbol(n, "s")
	lines := []string{name + " = the last state"}
	if name == "s" && !s.listing { // next to the keys, where space is short
		lines = []string{"s = the", "last state"}
	}
	if len(in) > 1 {
		lines = append(lines, "of each direction")
	}
	return s.named(n, name, lines, in...)
}
