package models

import (
	"fmt"

	"imdbexp/internal/diagram"
	"imdbexp/internal/ops"
)

// Watcher is a model that says what to look for in its runs, with the settings
// that it has.
type Watcher interface{ Watch() string }

// Drawing returns a model's drawing, made by walking the graph that it builds for
// training. It is nil where there is nothing to draw.
func (i Info) Drawing(m Model) diagram.Node {
	if m == nil {
		return nil
	}
	if c, is := m.(Counting); is {
		return c.drawing()
	}
	out := plan(m)
	last, answer := out.Logits, "softmax of z: the class"
	if out.Rows.Mean != nil {
		last, answer = out.Rows.Mean, "softmax of zₜ: the word yₜ"
	}
	if last == nil {
		return nil
	}
	if last.Op() == "linear" {
		last.Call("z")
	}
	draw := func(narrow bool) diagram.Node {
		sketch := ops.NewSketch(narrow, out.Penalties, last)
		end := &diagram.Vertex{Box: diagram.Val(answer), In: []diagram.Edge{{From: sketch.Vertex(last)}}}
		return diagram.Layout(sketch.Root(), end)
	}
	node := draw(false)
	if diagram.Width(node) > diagram.Widest {
		node = draw(true)
	}
	return node
}

// Watch returns what to look for in a model's runs, "" where it does not say.
func (i Info) Watch(m Model) string {
	if w, ok := m.(Watcher); ok {
		return w.Watch()
	}
	return ""
}

// plan builds a model's graph for training without numbers, for who wants to look at it.
// The width of the word vectors is one that most numbers of heads divide, and that no
// setting asks for.
func plan(m Model) Output {
	const classes, vocabulary, most = 2, 64, 64
	for d := plannedWidth; d < plannedWidth+most; d++ {
		g := ops.NewPlan(true)
		b := newBuilder(g, &Spec{Model: m, Weights: NewWeights(0), Dim: d, Classes: classes, Source: vocabulary, Target: vocabulary, Training: true})
		b.plan = true
		if out := m.Build(b, g.Leaf("words", g.Words(), d, false)); b.err == nil && g.Err() == nil {
			return out
		}
	}
	return Output{}
}

// plannedWidth is above what settings of widths allow.
const plannedWidth = 5040

func times(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}
