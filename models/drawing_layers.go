package models

import (
	"fmt"

	"imdbexp/internal/diagram"
)

// The drawings of layers of self-attention, and what to look for.

// Drawing implements Drawer.
func (m *Self) Drawing() diagram.Node {
	out := append(diagram.Stack{words()}, m.Pooling.drawingBegin()...)
	if m.Pad {
		out = append(out, diagram.Op("zero vectors up to the longest", "review of the batch, a slip"))
	}
	out = append(out, m.Positions.drawing()...)
	out = append(out, diagram.Frame{Title: times(m.Layers, "layer"), Body: m.drawLayer()}, m.Pooling.drawingEnd())
	if m.SigmoidLogits {
		return append(out, m.Head.drawing("sigmoid of z, a slip")...)
	}
	return append(out, m.Head.drawing()...)
}

// drawLayer is one layer.
func (m *Self) drawLayer() diagram.Stack {
	norm := m.drawNorm()
	x, f := "x", diagram.Stack{}
	if m.NormAt == "before" && norm != nil {
		x, f = "x̃", diagram.Stack{diagram.Op(norm...)}
	}
	scale, over := fmt.Sprintf("/√%d", m.Key), "ⱼ"
	switch {
	case m.ScaleD:
		scale = "/√d"
	case m.Scale == "none":
		scale = ""
	}
	var notes []string
	if m.ScaleD {
		notes = append(notes, "√d, not √k, a slip")
	}
	if m.SoftmaxQueries {
		over = "ᵢ"
		notes = append(notes, "over the queries, a slip")
	}
	f = append(f, heads(m.Heads, attentionBoxes(x, "softmax"+over+"(qᵢ·kⱼ"+scale+")", m.AttendDrop, notes)))
	g := map[string]string{"relu": "ReLU(W·x + b)", "gelu": "GELU(W·x + b)", "tanh": "tanh(W·x + b)"}[m.Activation]
	if g == "" {
		g = "W·x + b"
	}
	after := []string{g}
	if m.NormAt == "after" {
		after = append(after, norm...)
	}
	if m.LayerDrop > 0 {
		after = append(after, dropout(m.LayerDrop))
	}
	if !m.HasResidual() {
		return append(f, diagram.Op(after...))
	}
	return diagram.Stack{diagram.Fork{f, diagram.Stack{}}, diagram.Op("x + f(" + x + ")"), diagram.Op(after...)}
}

// drawNorm is the normalisation in words, nil for none.
func (m *Self) drawNorm() []string {
	switch {
	case m.BatchSlotNorm:
		return []string{"norm across the reviews", "of the batch, a slip"}
	case m.Norm == "none":
		return nil
	}
	return []string{norms[m.Norm]}
}

var norms = map[string]string{"batch": "batch norm", "layer": "layer norm"}

// Watch implements Watcher.
func (m *Self) Watch() string {
	text := "Every word looks at every other before they are averaged; without positions it cannot know where they stand. " +
		"Watch how far the test accuracy jumps from epoch to epoch, and compare it with that of a single query for all words."
	switch {
	case m.Pool == "cls" && m.Kind != "none":
		text = "[CLS] collects what the classifier reads, and positions tell where each word stands. " +
			"Watch whether the test accuracy holds with both at once: compare it with each alone."
	case m.Pool == "cls":
		text = "A learned word before the review collects what the classifier reads. " +
			"Watch the gap between train and test accuracy, and how even the curve is."
	case m.Kind != "none":
		text = "Positions let a word be looked at for where it stands. " +
			"Watch whether the curves become even, and the gap between train and test accuracy, with SGD above all."
	}
	return text + " The entropy of each head shows whether it chooses words or averages."
}

// Drawing implements Drawer.
func (m *MultiHead) Drawing() diagram.Node {
	var notes []string
	if m.Different > 0 {
		notes = []string{fmt.Sprintf("loss + %g·Σ cos²(Wᵢ, Wⱼ)", m.Different)}
	}
	x, f := "x", diagram.Stack{}
	if m.Norm != "none" {
		x, f = "x̃", diagram.Stack{diagram.Op(norms[m.Norm])}
	}
	f = append(f, multiheadBoxes(m.Heads, x, m.AttendDrop, notes...)...)
	layer := diagram.Stack{diagram.Fork{f, diagram.Stack{}}, diagram.Op("x + f(" + x + ")")}
	out := append(diagram.Stack{words()}, m.Pooling.drawingBegin()...)
	out = append(out, m.Positions.drawing()...)
	out = append(out, diagram.Frame{Title: times(m.Layers, "layer"), Body: layer}, m.Pooling.drawingEnd())
	return append(out, m.Head.drawing()...)
}

// Watch implements Watcher.
func (m *MultiHead) Watch() string {
	return "Several heads see more than one, if they differ. " +
		"Watch the likeness of their weights (head_similarity in metrics.jsonl: 0 where they are at right angles) and each head's entropy; heads.penalty presses the first down, heads=1 is the control for test accuracy."
}

// Drawing implements Drawer.
func (m *Transformer) Drawing() diagram.Node {
	out := diagram.Stack{words()}
	if m.Width > 0 {
		out = append(out, diagram.Op(fmt.Sprintf("W·x + b, %d wide", m.Width)))
	}
	out = append(out, m.Pooling.drawingBegin()...)
	out = append(out, m.Positions.drawing()...)
	if m.InputDrop > 0 {
		out = append(out, diagram.Op(dropout(m.InputDrop)))
	}
	act := map[string]string{"relu": "ReLU", "gelu": "GELU"}[m.Activation]
	ffn := diagram.Stack{diagram.Op(act+"(W₁·a + b₁)", fmt.Sprintf("%d wide", m.Inner)), diagram.Op("W₂·… + b₂")}
	block := append(m.block().draw(multiheadBoxes(m.Heads, "x", m.AttendDrop)), m.block().draw(ffn)...)
	out = append(out, diagram.Frame{Title: times(m.Layers, "block"), Body: block})
	if m.NormAt == "before" {
		out = append(out, diagram.Op("layer norm"))
	}
	out = append(out, m.Pooling.drawingEnd())
	return append(out, m.Head.drawing()...)
}

// draw wraps a sublayer into its residual and norm.
func (k block) draw(f diagram.Stack) diagram.Stack {
	if k.drop > 0 {
		f = append(f, diagram.Op(dropout(k.drop)))
	}
	if k.place == "before" {
		f = append(diagram.Stack{diagram.Op("layer norm")}, f...)
		return diagram.Stack{diagram.Fork{f, diagram.Stack{}}, diagram.Op("add")}
	}
	return diagram.Stack{diagram.Fork{f, diagram.Stack{}}, diagram.Op("add", "layer norm")}
}

// Watch implements Watcher.
func (m *Transformer) Watch() string {
	text := "The encoder block of the Transformer, which needs more than one trick to train: with norm.place=after a warm-up (schedule.warmup), with norm.place=before none. "
	if m.Kind == "none" {
		text = "The encoder block of the Transformer without positions: a review is a bag of words to it. "
	}
	return text + "Watch the train loss of the first epochs, whether it falls at all, then the gap between train and test accuracy; heads=1 and layers=1 show what the size is worth."
}
