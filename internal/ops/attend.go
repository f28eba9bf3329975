package ops

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/internal/diagram"
	"imdbexp/internal/simd"
)

// Attend scores every word against a query and normalises within each review:
//
//	sᵢ = scale · q·kᵢ    α = softmax(s)    H = −Σᵢ αᵢ log αᵢ
//
// or another Normaliser in place of softmax, where 0·log 0 = 0. The query is one row for all reviews [1, d] or one for each [B, d]; the keys
// are [N, d]. Results: the attention α [N, 1] and its entropy H [B, 1] in nats,
// from 0 (one word) to log n (uniform).
func Attend(query, keys *Node, scale float32) (attention, entropy *Node) {
	g := keys.g
	s, ok := keys.axis.(*Seq)
	if !ok || query.cols != keys.cols {
		n := g.fail("attend: query [·, %d], keys [·, %d]", query.cols, keys.cols)
		return n, n
	}
	shared := query.axis != s.Reviews()
	if _, weights := query.axis.(*fixed); shared && (!weights || query.axis.Len() != 1) {
		n := g.fail("attend: the query needs one row, or one for each review")
		return n, n
	}
	k := &attend{onWords: onWords{g, s}, shared: shared, scale: scale}
	r := g.apply("attend", k, []*Node{query, keys}, result{s, 1}, result{s.Reviews(), 1})
	return r[0], r[1]
}

type attend struct {
	onWords
	shared   bool // one query for all reviews
	scale    float32
	by       Normaliser
	sorted   []float64 // [N] scores by size; empty for softmax
	logs     []float32 // [N] log α, kept for the backward pass
	ds       []float32 // [N] gradient of the scores
	dq       partials
	pairs    partials
	words    wordRows
	fused    *weightedSum  // weighted sum of the same words, computed along with the weights
	deferred *deferredGrad // gradient of α, if another op left it to this one
}

// compute reports whether the op will compute the deferred gradient of its weights itself; w is
// nil if the gradient is not deferred. The op also writes a deferred gradient of its keys together
// with its own.
func (k *attend) compute(w *deferredGrad) bool {
	if k.deferred = nil; w.ofWeights() {
		k.deferred = w
	}
	return k.deferred != nil
}

func (k *attend) query(q Mat, review int) []float32 {
	if k.shared {
		return q.Data
	}
	return q.Row(review)
}

func (k *attend) forward(in, out []Mat) error {
	q, keys := in[0], in[1]
	alpha, entropy := out[0], out[1]
	k.logs = grown(k.logs, keys.Rows)
	if k.by != Softmax {
		k.sorted = grown(k.sorted, keys.Rows)
	}
	k.words.prepare(k.seq, keys, k.g.training)
	k.fused.prepare(keys.Cols)
	return k.each(func(shard, b, lo, hi int) {
		s, a := k.logs[lo:hi], alpha.Data[lo:hi]
		rows := k.words.read(keys, shard, lo, hi)
		simd.DotRows(s, rows, keys.Cols, keys.Cols, k.query(q, b))
		if k.scale != 1 {
			simd.Scale(s, k.scale)
		}
		entropy.Data[b] = k.by.weigh(a, s, k.sorted[min(lo, len(k.sorted)):])
		k.fused.sumReview(b, a, rows)
	})
}

func (k *attend) weighing(in []Mat64, review, _ int) Weighing {
	query := in[0]
	if !k.shared {
		query = query.Range(review, review+1)
	}
	w := weighRows(query, k.seq.of(in[1], review), float64(k.scale), false, false, exactDot)
	w.By = k.by
	return w
}

func (k *attend) exact(in, out []Mat64) error {
	for b := range k.seq.reviews.Len() {
		w := k.weighing(in, b, 0).filled()
		copy(k.seq.of(out[0], b).Data, w.Weights.Data)
		out[1].Data[b] = w.entropy()
	}
	return nil
}

// backward computes, with g the gradient of α and h the gradient of H,
//
//	∂sᵢ = αᵢ (gᵢ − Σⱼ αⱼ gⱼ) − h αᵢ (log αᵢ + H)
//
// for softmax. See Normaliser for the others, which take g − h log α in place of g.
func (k *attend) backward(in, out, dout []Mat, din []Grad) error {
	q, keys := in[0], k.words.kept(in[1])
	alpha, entropy := out[0], out[1]
	dq, dk := din[0], din[1]
	k.ds = grown(k.ds, keys.Rows)
	d := keys.Cols
	if k.shared && dq.Wanted() {
		k.dq.prepare(k.seq.shards(), d)
	}
	deferred := dk.deferred // the part of ∂keys that another op left to this one
	din[1].deferred = nil
	if deferred != nil {
		k.pairs.prepare(k.seq.shards(), 0)
	}
	err := k.each(func(shard, b, lo, hi int) {
		ds := k.ds[lo:hi]
		k.scoreGrad(ds, alpha.Data[lo:hi], entropy.Data[b], dout, b, lo, hi)
		if dq.Wanted() {
			k.queryGrad(dq, ds, keys.Range(lo, hi), shard, b)
		}
		if deferred != nil {
			k.pairs.bufs[shard] = deferred.with(k.pairs.bufs[shard], ds, k.query(q, b), dk.Mat, b, lo, hi)
		} else if dk.Wanted() {
			simd.NN(hi-lo, d, 1, ds, 1, k.query(q, b), d, dk.Range(lo, hi), d, dk.Add)
		}
	})
	if k.shared && dq.Wanted() {
		dq.putAll(k.dq.total())
	}
	return err
}

// queryGrad adds the keys of review b, weighted by the gradient ds of its scores, to the gradient
// of its query or to the shard's part of a shared query.
func (k *attend) queryGrad(dq Grad, ds, keys []float32, shard, b int) {
	row, add, d := k.query(dq.Mat, b), dq.Add, dq.Cols
	if k.shared {
		row, add = k.dq.bufs[shard], b > k.seq.owner[shard]
	}
	simd.NN(1, d, len(ds), ds, len(ds), keys, d, row, d, add)
}

// scoreGrad sets ds to the gradient of the scores q·k of review b, which has the words lo … hi,
// the weights a and the entropy h.
func (k *attend) scoreGrad(ds, a []float32, h float32, dout []Mat, b, lo, hi int) {
	var g []float32
	var inner, dh float32
	if dout[0].Data != nil {
		g = dout[0].Data[lo:hi]
		if k.deferred != nil {
			k.deferred.dots(g, b, lo, hi)
		}
		inner = simd.Dot(a, g)
	}
	if dout[1].Data != nil {
		dh = dout[1].Data[b]
	}
	if k.by == Softmax {
		softmaxGrad(ds, a, g, inner, k.logs[lo:hi], h, dh)
	} else {
		k.by.grad(ds, a, g, k.logs[lo:hi], dh)
	}
	if k.scale != 1 {
		simd.Scale(ds, k.scale)
	}
}

func (k *attend) onnx(x *Export, in []*Node) ([]string, error) {
	column := x.expand(x.Name(in[0]), 2) // [1 or B, d, 1]
	scores := x.Op("MatMul", x.Name(in[1]), column)
	if k.scale != 1 {
		scores = x.Op("Mul", scores, x.number(fmt.Sprintf("scale.%g", k.scale), float64(k.scale)))
	}
	p, plogp := x.normalised(k.by, x.onlyIn(x.expand(x.places(k.seq).mask, 2), scores))
	return []string{p, x.Op("Relu", x.sum(plogp, 1, false))}, nil
}

// softmaxEntropy sets alpha to the softmax of the scores, replaces the scores by log alpha,
// and returns the entropy in nats.
func softmaxEntropy(alpha, scores []float32) float32 {
	// With the largest score at 0 nothing cancels in the entropy of a sharp
	// distribution: both terms below are small.
	shift(scores, -simd.Max(scores))
	z := simd.SoftmaxLSE(alpha, scores)
	entropy := max(z-simd.Dot(alpha, scores), 0)
	shift(scores, -z)
	return entropy
}

func shift(x []float32, by float32) {
	for i := range x {
		x[i] += by
	}
}

// softmaxGrad sets ds to the gradient of the scores. g is the gradient of the attention,
// nil if it has none, and inner its product with α; dh is the gradient of the entropy h.
func softmaxGrad(ds, alpha, g []float32, inner float32, logs []float32, h, dh float32) {
	for i, a := range alpha {
		var d float32
		if g != nil {
			d = g[i] - inner
		}
		if dh != 0 {
			d -= float32(dh * (logs[i] + h))
		}
		ds[i] = a * d
	}
}

func (k *attend) picture(s *Sketch, n *Node) drawn {
	query, keys := n.src.inputs[0].shown(), n.src.inputs[1].shown()
	e := &equation{s: s}
	of := e.of(keys, "tanh", "linear", "add review", "concat", "mul")
	if e.rich && keys.src.name == "mul" {
		of = "(" + of + ")"
	}
	right, keyed := e.edges, e.rich
	e.edges = nil
	var score string
	if query.IsWeight() && !keyed { // the query has a box
		d := s.node(query)
		e.arrow(d, "")
		score = d.symbol + "·" + of
	} else {
		score = e.asks(query) + "·" + of
	}
	if !keyed {
		right = []diagram.Edge{{From: s.node(keys).vertex, Label: "keys " + of}}
	} else {
		slices.Reverse(right) // the query is on the left, also inside the keys
		from, symbol := s.madeOf(keys)
		for i := range right {
			if right[i].From == from {
				right[i].Label = "keys " + symbol
			}
		}
	}
	e.edges = append(e.edges, right...)
	if k.scale != 1 {
		score += " / " + root(k.scale)
	}
	weigh := "αᵢ = " + k.by.String() + "ᵢ("
	lines := []string{weigh + score + ")"}
	if len([]rune(weigh+score)) > 25 && !s.listing {
		lines = append(strings.SplitAfter("eᵢ = "+score, " ⊙ "), weigh+"eᵢ)")
	}
	if n.by == "attention=frozen" {
		lines = append(lines, "never trained")
	}
	v := s.box(diagram.Op(append(lines, s.notes[k]...)...), e.edges...)
	return drawn{v, "α"}
}

// asks formats a query in an equation: s, or s·W if it is a linear map of s.
func (e *equation) asks(query *Node) string {
	if in := projected(query); in != query && e.s.readers[query] == 1 && len(query.src.inputs) == 2 {
		return e.refer(in) + "·" + e.s.symbol(query.src.inputs[1], "W")
	}
	e.s.call(query, "q")
	return e.refer(query)
}

// madeOf returns the box of the words at the start of an equation of keys, and their
// symbol.
func (s *Sketch) madeOf(n *Node) (*diagram.Vertex, string) {
	for n = n.shown(); n.src != nil; n = n.src.inputs[0].shown() {
		if d, ok := s.done[n]; ok {
			return d.vertex, s.each(n, d.symbol)
		}
	}
	d := s.node(n)
	return d.vertex, s.each(n, d.symbol)
}

// cost returns how the entropy enters the cost.
func (k *attend) cost(t Term) []string {
	if t.Sum {
		return []string{fmt.Sprintf("loss + %g·Σ H(α)", t.Weight), "over the batch, a slip"}
	}
	return []string{fmt.Sprintf("loss + %g·H(α)", t.Weight)}
}

// root formats 1/scale as a square root.
func root(scale float32) string {
	return fmt.Sprintf("√%.0f", 1/(float64(scale)*float64(scale)))
}
