package ops

import "imdbexp/internal/simd"

// AdditiveAttention lets each target row of a pair attend to the pair's source words
// (Bahdanau et al. 2015, A.1.2, for queries that are known in advance):
//
//	sᵢⱼ = v·tanh(qᵢ + kⱼ)    αᵢ = softmaxⱼ(sᵢⱼ)    cᵢ = Σⱼ αᵢⱼ hⱼ    Hᵢ = −Σⱼ αᵢⱼ log αᵢⱼ
//
// The queries q are [M, a] on one axis, the keys k [N, a] and the values h [N, d] on
// another axis of the same reviews, v is [1, a]. Results: the contexts c [M, d], and
// the entropies [B, 1] in nats, the mean of Hᵢ over the pair's target rows, from 0 to
// log n.
//
// The weights of the last run, m·n for a pair, are kept with their logarithms (see
// Alignment). tanh(qᵢ + kⱼ) takes a times as much memory; the backward pass recomputes it.
func AdditiveAttention(q, k, v, values *Node) (context, entropy *Node) {
	g := k.g
	fail := func(format string, args ...any) (_, _ *Node) {
		n := g.fail("additive attention: "+format, args...)
		return n, n
	}
	a, err := align(q.axis, k.axis)
	switch {
	case g.err != nil:
		return fail("")
	case err != nil:
		return fail("%v", err)
	case values.axis != k.axis:
		return fail("keys and values lie on different axes")
	case q.cols != k.cols || !rowVector(v, k.cols):
		return fail("q [·, %d], k [·, %d], v [%d, %d]: v needs one row, as wide as q and k", q.cols, k.cols, v.axis.Len(), v.cols)
	}
	op := &additive{g: g, alignment: a}
	r := g.apply("additive attention", op, []*Node{q, k, v, values}, result{a.queries, values.cols}, result{a.queries.reviews, 1})
	return r[0], r[1]
}

type additive struct {
	g *Graph
	alignment
	shards []additiveShard
	dv     partials
}

type additiveShard struct {
	scores additiveScores
	dalpha []float32 // [m, n] gradient of a pair's weights
	dq     []float32 // [a] of a query
	dk     []float32 // [n, a] of a pair's keys
}

func (k *additive) picture(s *Sketch, n *Node) drawn {
	in := n.src.inputs
	query := projected(in[0])
	e := &equation{s: s}
	return s.align(n, s.additive(in[2], in[1], e.refer(query), in[0].shown().src.inputs[1]), query, in[1], in[3])
}

func (k *additive) forward(in, out []Mat) error {
	q, keys, v, values := in[0], in[1], in[2].Data, in[3]
	context, entropy := out[0], out[1]
	k.lay()
	k.shards = resized(k.shards, k.queries.shards())
	return k.g.pool.reviews(k.queries, func(shard, b, lo, hi int) {
		first, last := k.words(b)
		for i := lo; i < hi; i++ {
			from, to := k.span(b, i-lo)
			k.entropy[i] = k.shards[shard].scores.attend(k.alpha[from:to], k.logs[from:to], q.Row(i), keys.Range(first, last), v)
		}
		entropy.Data[b] = k.meanEntropy(b)
		n, d := last-first, values.Cols
		simd.NN(hi-lo, d, n, k.weights(b), n, values.Range(first, last), d, context.Range(lo, hi), d, false)
	})
}

func (k *additive) weighing(in []Mat64, review, _ int) Weighing {
	w := exactAdditive(k.queries.of(in[0], review), k.keys.of(in[1], review), in[2].Data)
	w.Values = k.keys.of(in[3], review)
	return w
}

func (k *additive) exact(in, out []Mat64) error {
	for b := range k.queries.reviews.Len() {
		w := k.weighing(in, b, 0).filled()
		exactLinear(k.queries.of(out[0], b), w.Weights, w.Values, nil)
		out[1].Data[b] = w.entropy()
	}
	return nil
}

func (k *additive) backward(in, _, dout []Mat, din []Grad) error {
	v := in[2].Data
	k.dv.prepare(k.queries.shards(), len(v))
	err := k.g.pool.For(k.queries.shards(), func(shard int) {
		clear(k.dv.bufs[shard])
		k.queries.each(shard, func(b, lo, hi int) { k.backwardPair(shard, b, lo, hi, in, dout, din) })
	})
	din[2].putAll(k.dv.total())
	return err
}

func (k *additive) onnx(x *Export, in []*Node) ([]string, error) {
	q, keys := x.expand(x.Name(in[0]), 2), x.expand(x.Name(in[1]), 1) // [B, m, 1, a], [B, 1, n, a]
	scores := x.Op("MatMul", x.Op("Tanh", x.Op("Add", q, keys)), x.expand(x.row(in[2]), 1))
	p, plogp := x.attend(x.onlyIn(x.expand(x.places(k.keys).mask, 1), x.Op("Squeeze", scores, x.axis(3))), 2) // [B, m, n]
	x.weights[k] = x.expand(p, 1)
	return []string{x.Op("MatMul", p, x.Name(in[3])), x.meanOfRows(x.sum(plogp, 2, true), k.queries)}, nil
}

// backwardPair computes the gradients of a pair with the target rows lo … hi.
func (k *additive) backwardPair(shard, b, lo, hi int, in, dout []Mat, din []Grad) {
	s, dv := &k.shards[shard], k.dv.bufs[shard]
	q, keys, v, values := in[0], in[1], in[2].Data, in[3]
	first, last := k.words(b)
	m, n, a, d := hi-lo, last-first, len(v), values.Cols
	s.dalpha, s.dq, s.dk = grown(s.dalpha, m*n), grown(s.dq, a), grown(s.dk, n*a)
	clear(s.dk)
	if dc := dout[0]; dc.Data != nil {
		simd.NT(m, n, d, dc.Range(lo, hi), d, values.Range(first, last), d, s.dalpha, n, false)
	} else {
		clear(s.dalpha)
	}
	k.gradOfValues(b, dout[0], din[3])
	var h float32 // the gradient of a row's entropy
	if dout[1].Data != nil {
		h = dout[1].Data[b] / float32(m)
	}
	for i := range m {
		from, to := k.span(b, i)
		ds := softmaxGradOf(s.dalpha[i*n:][:n], k.alpha[from:to], k.logs[from:to], k.entropy[lo+i], h)
		s.scores.backward(ds, q.Row(lo+i), keys.Range(first, last), v, s.dq, s.dk, dv)
		din[0].put(lo+i, s.dq)
	}
	din[1].putRange(first, last, s.dk)
}

// gradOfValues sets the gradient of a pair's values, Σᵢ αᵢⱼ ∂cᵢ; dc [M, d] has no
// data if it has no gradient.
func (a *alignment) gradOfValues(pair int, dc Mat, dh Grad) {
	first, last := a.words(pair)
	lo, hi := a.queries.Offsets[pair], a.queries.Offsets[pair+1]
	switch n, d := last-first, dh.Cols; {
	case !dh.Wanted():
	case dc.Data != nil:
		simd.TN(n, d, hi-lo, a.weights(pair), n, dc.Range(lo, hi), d, dh.Range(first, last), d, dh.Add)
	case !dh.Add:
		clear(dh.Range(first, last))
	}
}

// additiveScores scores the keys of a pair against one query at a time,
// sⱼ = v·tanh(q + kⱼ), forwards and backwards. Every pass is one kernel call
// over the n·a elements, which stay in the first-level cache. The zero value is ready.
type additiveScores struct {
	tanh []float32 // [n, a] tanh(q + kⱼ)
	sum  []float32 // [n, a] gradient of q + kⱼ
}

// between computes tanh(q + kⱼ) for all keys.
func (s *additiveScores) between(q, keys []float32) []float32 {
	a := len(q)
	s.tanh = grown(s.tanh, len(keys))
	copy(s.tanh, keys)
	simd.AddBias(s.tanh, len(keys)/a, a, a, q)
	simd.Tanh(s.tanh, s.tanh)
	return s.tanh
}

// attend sets alpha [n] to the softmax of the scores and logs to its logarithm, and
// returns its entropy.
func (s *additiveScores) attend(alpha, logs, q, keys, v []float32) (entropy float32) {
	simd.DotRows(logs, s.between(q, keys), len(v), len(v), v)
	return softmaxEntropy(alpha, logs)
}

// backward computes the gradients from ds [n], the gradient of one query's scores. It adds
// to dk [n, a] and dv [a] and sets dq [a], which may be the same slice as q.
// With tⱼ = tanh(q + kⱼ):
//
//	∂v = Σⱼ ∂sⱼ tⱼ    ∂kⱼ = ∂sⱼ v⊙(1 − tⱼ²)    ∂q = Σⱼ ∂kⱼ
func (s *additiveScores) backward(ds, q, keys, v, dq, dk, dv []float32) {
	n, a := len(ds), len(v)
	t := s.between(q, keys)
	simd.NN(1, a, n, ds, n, t, a, dv, a, true)
	s.sum = grown(s.sum, n*a)
	outer(s.sum, ds, v, false)
	simd.Mul(t, t, t)
	simd.Mul(t, t, s.sum)
	simd.Axpy(s.sum, -1, t)
	simd.ColumnSums(dq, s.sum, n, a, a, false)
	simd.Add(dk, s.sum)
}

// softmaxGradOf turns g [n], the gradient of one row's weights, into the gradient of the
// scores, in place. h is the gradient of the entropy.
func softmaxGradOf(g, alpha, logs []float32, entropy, h float32) []float32 {
	softmaxGrad(g, alpha, g, simd.Dot(alpha, g), logs, entropy, h)
	return g
}
