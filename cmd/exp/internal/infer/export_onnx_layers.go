package infer

import (
	"math"

	"imdbexp/internal/onnx"
	"imdbexp/internal/ops"
	"imdbexp/models"
)

// layers is what models with layers of self-attention have in common while they
// are rebuilt.
type layers struct {
	*graph
	x         string   // [B, n, d]
	front     bool     // [CLS] stands before the words
	entropies []string // of each layer's heads [B, 1]
	heads     int      // in all layers
	weights   string   // of the last layer [B, H, n, n]: query, key
}

// prepend puts [CLS] before the words where it is wanted.
func (l *layers) prepend(p models.Pooling) {
	if p.Pool != "cls" {
		return
	}
	l.front = true
	cls := l.Op("Unsqueeze", l.weight("cls"), l.axes(0)) // [1, 1, d]
	l.x = l.concat(1, l.repeat(cls, 3), l.x)
	l.lengthen()
}

// lengthen makes room for one word more in what says which words are there.
func (g *graph) lengthen() {
	one := g.Constant("one", []int64{1})
	g.lengths = g.Op("Add", g.lengths, one)
	g.longest = g.Op("Add", g.longest, one)
	g.measure()
}

// positions adds to each word what tells where it stands.
func (l *layers) positions(p models.Positions, d int) {
	if layout, ok := p.Layout(); ok {
		l.x = l.Op("Add", l.x, l.sinusoid(layout.Waves(d, p.Base), d))
	} else if p.Kind == "learned" { // beyond the last one learned, Gather refuses
		l.x = l.Op("Add", l.x, l.Op("Gather", l.weight("positions"), l.places))
	}
}

// sinusoid computes the encodings of all positions [n, d], as ops.PositionEncoding
// does, in float64: a float32 has too few digits for the angle of a late one.
func (l *layers) sinusoid(waves []ops.Wave, d int) string {
	speeds, phases := make([]float64, d), make([]float64, d)
	for _, w := range waves {
		speeds[w.Sin] = w.Speed
		if w.Cos < d {
			speeds[w.Cos], phases[w.Cos] = w.Speed, math.Pi/2 // cos(x) = sin(x + π/2)
		}
	}
	at := l.Op("Unsqueeze", l.cast(l.places, onnx.Double), l.axes(1)) // [n, 1]
	angles := l.Op("Add", l.Op("Mul", at, l.Constant("positions.speed", speeds, d)), l.Constant("positions.phase", phases, d))
	return l.cast(l.Op("Sin", angles), onnx.Float)
}

// attention is self-attention by heads [B, n, value], and keeps its weights and
// entropies.
func (l *layers) attention(name, x string, heads int, scale float64, overQueries bool) string {
	split := func(part string, bias bool) string { // [B, H, n, width]
		y := l.Op("MatMul", x, l.weight(name+part+".W"))
		if bias {
			y = l.Op("Add", y, l.weight(name+part+".b"))
		}
		_, _, cols := l.find(name + part + ".W")
		return l.transpose(l.reshape(y, 0, 0, heads, cols/heads), 0, 2, 1, 3)
	}
	bias := l.has(name + ".Q.b")
	q, k, v := split(".Q", bias), split(".K", bias), split(".V", bias)
	scores := l.Op("MatMul", q, l.transpose(k, 0, 1, 3, 2)) // [B, H, n, n]
	scores = l.Op("Mul", scores, l.Constant(name+".scale", []float32{float32(scale)}))

	across, queries, keys := int64(3), l.expand(l.mask, 1, 3), l.expand(l.mask, 1, 2) // the masks [B, 1, n, 1], [B, 1, 1, n]
	over := keys
	if overQueries {
		across, over = 2, queries
	}
	scores = l.Op("Where", over, scores, l.Constant("lowest", []float32{lowest}))
	p, logs := l.softmax("Softmax", scores, across), l.softmax("LogSoftmax", scores, across)
	// Of padding as a query, or with overQueries as a key, nothing may come.
	p = l.Op("Mul", l.Op("Mul", p, l.cast(queries, onnx.Float)), l.cast(keys, onnx.Float))
	each := l.sum(l.sum(l.Op("Neg", l.Op("Mul", p, logs)), 3, false), 2, false) // [B, H]
	each = l.Op("Div", each, l.cast(l.lengths, onnx.Float))
	l.entropies = append(l.entropies, l.sum(each, 1, true))
	l.heads += heads
	l.weights = p
	_, _, cols := l.find(name + ".V.W")
	return l.reshape(l.transpose(l.Op("MatMul", p, v), 0, 2, 1, 3), 0, 0, cols)
}

// multihead is attention by heads that share the width d, joined by NAME.O.
func (l *layers) multihead(name, x string, heads, d int) string {
	return l.linear(name+".O", l.attention(name, x, heads, 1/math.Sqrt(float64(d/heads)), false))
}

// norm is the normalisation of that kind.
func (l *layers) norm(kind, name, x string) string {
	switch kind {
	case "layer":
		return l.With("LayerNormalization", []onnx.Attribute{{Name: "axis", Value: int64(-1)}, {Name: "epsilon", Value: float32(models.NormEpsilon)}},
			x, l.row(name+".scale"), l.row(name+".shift"))
	case "batch": // with running statistics a map of each column
		scale, _, d := l.find(name + ".scale")
		shift, mean, variance := l.vector(name+".shift", d), l.vector(name+".mean", d), l.vector(name+".var", d)
		if l.err != nil {
			return x
		}
		times, plus := make([]float32, d), make([]float32, d)
		for j := range d {
			t := float64(scale[j]) / math.Sqrt(float64(variance[j])+models.NormEpsilon)
			times[j], plus[j] = float32(t), float32(float64(shift[j])-float64(float64(mean[j])*t))
		}
		return l.Op("Add", l.Op("Mul", x, l.Constant(name+".times", times, d)), l.Constant(name+".plus", plus, d))
	}
	return x
}

// end pools the words and answers.
func (l *layers) end(p models.Pooling, h models.Head) output {
	var out output
	switch p.Pool {
	case "attention":
		out.attention, out.entropy = l.attend(l.weight("pool.q"), l.x)
		out.logits = l.classify(h, l.weighted(out.attention, l.x))
		return out
	case "cls":
		first := l.Op("Gather", l.transpose(l.x, 1, 0, 2), l.Constant("zero", []int64{0})) // [B, d]
		out.logits = l.classify(h, first)
	default:
		out.logits = l.classify(h, l.mean(l.x))
	}
	out.attention = l.received()
	sum := l.entropies[0]
	for _, e := range l.entropies[1:] {
		sum = l.Op("Add", sum, e)
	}
	mean := l.Op("Div", sum, l.Constant("heads", []float32{float32(l.heads)}))
	out.entropy = l.Op("Squeeze", mean, l.axes(1))
	return out
}

// received is how much each word is looked at in the last layer, by [CLS] where
// there is one, else by all words, on average over heads: it adds up to one.
func (l *layers) received() string {
	sum := l.sum(l.weights, 1, false) // [B, n, n]
	if l.front {
		sum = l.Op("Gather", l.transpose(sum, 1, 0, 2), l.Constant("zero", []int64{0})) // the row of [CLS]
		sum = l.Op("Slice", sum, l.Constant("slice.from", []int64{1}, 1), l.Constant("slice.to", []int64{math.MaxInt64}, 1), l.axes(1))
	} else {
		sum = l.sum(sum, 1, false)
	}
	return l.Op("Div", sum, l.sum(sum, 1, true))
}
