package models

import (
	"fmt"

	"imdbexp/internal/diagram"
	"imdbexp/internal/ops"
)

// Drawer is a model whose boxes and arrows do not follow from its graph alone: a
// translator, whose words come in from the side.
type Drawer interface{ Drawing() diagram.Node }

// Watcher is a model that says what to look for in its runs, with the settings
// that it has.
type Watcher interface{ Watch() string }

// Drawing returns a model's drawing, made by walking the graph that it builds for
// training, or its own where the model is a Drawer. It is nil where there is nothing to
// draw.
func (i Info) Drawing(m Model) diagram.Node {
	if m == nil {
		return nil
	}
	if d, ok := m.(Drawer); ok {
		return d.Drawing()
	}
	words, out := plan(m)
	if out.Logits == nil {
		return nil
	}
	if out.Logits.Op() == "linear" {
		out.Logits.Call("z")
	}
	draw := func(narrow bool) diagram.Node {
		sketch := ops.NewSketch(narrow, out.Penalties, out.Logits)
		logits := sketch.Vertex(out.Logits)
		class := &diagram.Vertex{Box: diagram.Val("softmax of z: the class"), In: []diagram.Edge{{From: logits}}}
		return diagram.Layout(sketch.Vertex(words), class)
	}
	node := draw(false)
	if diagram.Width(node) > widest {
		node = draw(true)
	}
	return node
}

// widest is what a drawing may take of 60 columns, behind an indent of two.
const widest = 58

// Watch returns what to look for in a model's runs, "" where it does not say.
func (i Info) Watch(m Model) string {
	if w, ok := m.(Watcher); ok {
		return w.Watch()
	}
	return ""
}

func dropout(share float64) string { return fmt.Sprintf("dropout %g", share) }

// plan builds a model's graph for training without numbers, for who wants to look at it.
// The width of the word vectors is one that most numbers of heads divide, and that no
// setting asks for.
func plan(m Model) (words *ops.Node, out Output) {
	const classes, most = 2, 64
	for d := plannedWidth; d < plannedWidth+most; d++ {
		g := ops.NewPlan(true)
		b := newBuilder(g, &Spec{Model: m, Weights: NewWeights(0), Dim: d, Classes: classes, Training: true})
		b.plan = true
		words = g.Leaf("words", g.Words(), d, false)
		if out = m.Build(b, words); b.err == nil && g.Err() == nil {
			return words, out
		}
	}
	return words, Output{}
}

// plannedWidth is above what settings of widths allow.
const plannedWidth = 5040
