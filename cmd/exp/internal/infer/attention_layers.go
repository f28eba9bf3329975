package infer

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/internal/ops"
	"imdbexp/models"
)

// layers is self-attention: the models self, multihead and transformer.
func (x *exact) layers(s *Steps, words [][]float64, b *Batch, e Encoded, o Look) error {
	heads := b.Layers()
	layer, err := choose("layer", o.Layer, len(heads))
	if err != nil {
		return err
	}
	if layer < 0 {
		layer = len(heads) - 1
	}
	head, err := choose("head", max(o.Head, 1), heads[layer])
	if err != nil {
		return fmt.Errorf("in layer %d: %w", layer+1, err)
	}
	if o.Word == "" && b.front == 0 {
		o.Word = "1"
	} else if o.Word == "" {
		o.Word = CLS
	}
	name := ""
	if s.Place, name, err = b.query(0, e, o.Word); err != nil {
		return err
	}
	s.From = fmt.Sprintf("the query of %s in layer %d of %d, head %d of %d", name, layer+1, len(heads), head+1, heads[layer])
	l := &layered{exact: x, steps: s, layer: layer, head: head}
	switch m := x.model.(type) {
	case *models.Self:
		if m.BatchSlotNorm {
			return notStepped("with slip.batch_slot_norm the model depends on the other reviews of a batch")
		}
		l.self(m, words)
	case *models.MultiHead:
		l.multihead(m, words)
	case *models.Transformer:
		l.transformer(m, words)
	default:
		return notStepped("not of this model")
	}
	return x.err
}

// layered computes layers of self-attention and keeps the steps of one head.
type layered struct {
	*exact
	steps       *Steps
	layer, head int
}

func (l *layered) self(m *models.Self, rows [][]float64) {
	rows = l.begin(m.Positions, m.Pooling, rows)
	scale := m.ScoreScale(len(rows[0]))
	for i := range m.Layers {
		name := models.LayerName(i)
		in := rows
		if m.NormAt == "before" {
			in = l.norm(m.Norm, name+".norm", rows)
		}
		f := l.attention(i, in, m.Heads, scale, m.SoftmaxQueries)
		if m.HasResidual() {
			add(f, rows)
		}
		rows = activate(m.Activation, l.linear(name+".g", f))
		if m.NormAt == "after" {
			rows = l.norm(m.Norm, name+".norm", rows)
		}
	}
	l.end(m.Head, m.Pooling, rows)
	if m.SigmoidLogits && l.err == nil {
		l.steps.Slip = strings.TrimPrefix(l.steps.Slip+", then a sigmoid (slip.sigmoid_logits)", ", then ")
		for i, z := range l.steps.Logits {
			l.steps.Logits[i] = sigmoid(z)
		}
	}
}

func (l *layered) multihead(m *models.MultiHead, rows [][]float64) {
	rows = l.begin(m.Positions, m.Pooling, rows)
	for i := range m.Layers {
		name := models.LayerName(i)
		f := l.joined(i, l.norm(m.Norm, name+".norm", rows), m.Heads)
		add(f, rows)
		rows = f
	}
	l.end(m.Head, m.Pooling, rows)
}

func (l *layered) transformer(m *models.Transformer, rows [][]float64) {
	if m.Width > 0 {
		rows = l.linear("input", rows)
	}
	rows = l.begin(m.Positions, m.Pooling, rows)
	sublayer := func(name string, rows [][]float64, f func([][]float64) [][]float64) [][]float64 {
		in := rows
		if m.NormAt == "before" {
			in = l.norm("layer", name+".norm", rows)
		}
		y := f(in)
		add(y, rows)
		if m.NormAt == "after" {
			y = l.norm("layer", name+".norm", y)
		}
		return y
	}
	for i := range m.Layers {
		name := models.LayerName(i)
		rows = sublayer(name+".attention", rows, func(in [][]float64) [][]float64 { return l.joined(i, in, m.Heads) })
		rows = sublayer(name+".ffn", rows, func(in [][]float64) [][]float64 {
			return l.linear(name+".ffn2", activate(m.Activation, l.linear(name+".ffn1", in)))
		})
	}
	if m.NormAt == "before" {
		rows = l.norm("layer", "norm", rows)
	}
	l.end(m.Head, m.Pooling, rows)
}

// begin puts [CLS] before the words and adds positions.
func (l *layered) begin(p models.Positions, pool models.Pooling, rows [][]float64) [][]float64 {
	if pool.Pool == "cls" {
		rows = append([][]float64{slices.Clone(l.vector("cls"))}, rows...)
	}
	for i, row := range rows {
		if layout, ok := p.Layout(); ok {
			encoding := make([]float32, len(row))
			ops.PositionEncoding(encoding, i, len(row), p.Base, layout)
			plus(row, wide(encoding))
		} else if p.Kind == "learned" {
			if table := l.matrix("positions"); i < len(table) {
				plus(row, table[i])
			}
		}
	}
	return rows
}

// end pools the words and classifies.
func (l *layered) end(head models.Head, pool models.Pooling, rows [][]float64) {
	if l.err != nil {
		return
	}
	var t []float64
	switch pool.Pool {
	case "cls":
		t = rows[0]
	case "attention":
		var p Steps
		p.attend(l.vector("pool.q"), rows, rows, 1)
		t = p.Sum
	default:
		t = mean(rows)
	}
	l.classify(l.steps, head, t)
}
