package infer

import (
	"errors"

	"imdbexp/models"
)

// self is models.Self.
func (g *graph) self(m *models.Self) (output, error) {
	if m.BatchDependent() {
		return output{}, errors.New("with slip.pad what the model says of a text depends on the others of its batch: it has no graph; without --onnx it can be exported")
	}
	d := g.trained.Table.Dim
	l := &layers{graph: g, x: g.words}
	l.prepend(m.Pooling)
	l.positions(m.Positions, d)
	for i := range m.Layers {
		name, x := models.LayerName(i), l.x
		if m.NormAt == "before" {
			x = l.norm(m.Norm, name+".norm", x)
		}
		f := l.attention(name, x, m.Heads, m.ScoreScale(d), m.SoftmaxQueries)
		if m.HasResidual() {
			f = l.Op("Add", l.x, f)
		}
		l.x = l.activate(m.Activation, l.linear(name+".g", f))
		if m.NormAt == "after" {
			l.x = l.norm(m.Norm, name+".norm", l.x)
		}
	}
	out := l.end(m.Pooling, m.Head)
	if m.SigmoidLogits {
		out.logits = l.Op("Sigmoid", out.logits)
	}
	return out, nil
}

// multiHead is models.MultiHead.
func (g *graph) multiHead(m *models.MultiHead) output {
	d := g.trained.Table.Dim
	l := &layers{graph: g, x: g.words}
	l.prepend(m.Pooling)
	l.positions(m.Positions, d)
	for i := range m.Layers {
		name := models.LayerName(i)
		l.x = l.Op("Add", l.x, l.multihead(name, l.norm(m.Norm, name+".norm", l.x), m.Heads, d))
	}
	return l.end(m.Pooling, m.Head)
}

// transformer is models.Transformer.
func (g *graph) transformer(m *models.Transformer) output {
	d := g.trained.Table.Dim
	l := &layers{graph: g, x: g.words}
	if m.Width > 0 {
		d, l.x = m.Width, l.linear("input", l.x)
	}
	l.prepend(m.Pooling)
	l.positions(m.Positions, d)
	sublayer := func(name string, f func(string) string) {
		if m.NormAt == "before" {
			l.x = l.Op("Add", l.x, f(l.norm("layer", name+".norm", l.x)))
			return
		}
		l.x = l.norm("layer", name+".norm", l.Op("Add", l.x, f(l.x)))
	}
	for i := range m.Layers {
		name := models.LayerName(i)
		sublayer(name+".attention", func(x string) string { return l.multihead(name, x, m.Heads, d) })
		sublayer(name+".ffn", func(x string) string {
			return l.linear(name+".ffn2", l.activate(m.Activation, l.linear(name+".ffn1", x)))
		})
	}
	if m.NormAt == "before" {
		l.x = l.norm("layer", "norm", l.x)
	}
	return l.end(m.Pooling, m.Head)
}
