package ops

// Extent is how large a batch is.
type Extent struct {
	Words, Reviews int
	Longest        int // words of the longest review
	Targets        int // target rows of the pairs
	LongestTarget  int // of the pair with the most
}

// rows returns how many rows an axis has on a batch of that extent.
func (g *Graph) rows(a Axis, e Extent) int {
	switch a := a.(type) {
	case *fixed:
		if a == g.words.reviews {
			return e.Reviews
		}
		return a.Len()
	case *Seq:
		if n := a.extent(g.words, e); n > 0 {
			return n
		}
		if t := g.pairs.targets; t != nil {
			e.Words, e.Longest = e.Targets, e.LongestTarget
			return a.extent(t, e)
		}
	}
	return 0
}

// extent returns how many rows s has, which is base or was derived from it.
func (s *Seq) extent(base *Seq, e Extent) int {
	if s == base {
		return e.Words
	}
	for _, d := range []*derived{base.fronted, base.padded} {
		if d == nil {
			continue
		}
		next := e
		if d.pad {
			next.Words = e.Longest * e.Reviews
		}
		next.Words, next.Longest = next.Words+d.seq.front*e.Reviews, next.Longest+d.seq.front
		if n := s.extent(d.seq, next); n > 0 {
			return n
		}
	}
	return 0
}

// Floats returns about how many float32 the graph's buffers hold once it has run
// on a batch of that extent: the results of every op, in training their gradients,
// and what the larger kernels keep between the two passes.
func (g *Graph) Floats(e Extent) int {
	n := 0
	for _, o := range g.ops {
		n += o.floats(e)
	}
	for _, l := range g.leaves {
		if _, weights := l.axis.(*fixed); weights || !l.leaf.used { // weights are counted by who owns them
			continue
		}
		byReview := l.leaf.read&byReview != 0
		switch {
		case l.leaf.copied() || l.grad || byReview && g.training:
			n += g.rows(l.axis, e) * l.cols
		case byReview:
			n += g.Shards(e) * e.Longest * l.cols
		}
	}
	return n
}

func (o *op) floats(e Extent) int {
	n := 0
	for i, r := range o.results {
		size := o.g.rows(r.axis, e) * r.cols
		n += size
		if o.g.training && o.nodes[i].grad {
			n += size // its gradient
		}
	}
	if !o.g.training {
		return n
	}
	switch k := o.k.(type) {
	case keeper:
		n += k.keeps(e)
	case *lstm, *gru: // four gates, and cells or the states before each step
		n += o.g.rows(o.inputs[0].axis, e) * 5 * o.results[0].cols
	case *rnn: // states
		n += o.g.rows(o.inputs[0].axis, e) * o.results[0].cols
	case *layerNorm, *batchNorm, *slotNorm, *elements, *dropout:
		n += o.g.rows(o.results[0].axis, e) * o.results[0].cols
	}
	return n
}

// keeper is a kernel that knows how many float32 it keeps between the two passes.
type keeper interface{ keeps(e Extent) int }

// Shards returns into how many shards a batch of that extent is cut, each of which
// has gradients of the weights of its own; for pairs the more of the two sides.
func (g *Graph) Shards(e Extent) int {
	n := g.words.grain.shards(e.Words, e.Reviews)
	if t := g.pairs.targets; t != nil {
		n = max(n, t.grain.shards(e.Targets, e.Reviews))
	}
	return n
}
