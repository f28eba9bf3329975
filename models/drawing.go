package models

import (
	"fmt"
	"strings"

	"imdbexp/internal/diagram"
	"imdbexp/internal/ops"
)

// Drawing returns a picture of a model's graph; nil where the graph cannot be built.
func (i Info) Drawing(m Model) diagram.Node {
	if c, is := m.(Counting); is {
		return drawCounts(c)
	}
	out, last, answer := planned(m)
	if last == nil {
		return nil
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

// Equations returns the equations of a model with its settings, as its graph has them; none
// where the graph cannot be built.
func (i Info) Equations(m Model) []string {
	if c, is := m.(Counting); is {
		return c.Equations()
	}
	out, last, _ := planned(m)
	if last == nil {
		return nil
	}
	lines := ops.Equations(out.Penalties, last)
	if c, is := out.Objective.(*Classes); is && c.Adversary != nil {
		lines = append(lines, fmt.Sprintf("cost = TVD(softmax(z), p_base) − %g·KL(α ‖ α_base)", c.Adversary.Lambda))
	}
	return lines
}

// drawCounts draws a model without a graph: its equations up to the logits, one below the other.
func drawCounts(c Counting) diagram.Node {
	out := diagram.Stack{
		diagram.Val("words of the review"),
		diagram.Val(fmt.Sprintf("n-grams of 1 to %d words, in no order", c.Counts().Longest)),
	}
	for _, line := range c.Equations() {
		out = append(out, diagram.Op(line))
		if strings.HasPrefix(line, "z = ") {
			break
		}
	}
	return append(out, diagram.Val("softmax of z: the class"))
}

// BatchDependent reports whether a model's prediction for a review can depend on the other
// reviews of the batch, in evaluation too.
func BatchDependent(m Model) bool {
	mixed := false
	if _, last, _ := planned(m); last != nil {
		ops.Walk(func(n *ops.Node) { mixed = mixed || n.MixesReviews() }, last)
	}
	return mixed
}

// planned builds a model's graph for training without values. It returns the node before the
// softmax, and a caption for the prediction; nil where the graph cannot be built.
func planned(m Model) (out Output, last *ops.Node, answer string) {
	const outputs, tries = 64, 64
	for d := plannedWidth; m != nil && d < plannedWidth+tries; d++ {
		g := ops.NewPlan(true)
		b := NewBuilder(g, &Spec{Model: m, Weights: NewWeights(0), In: d, Out: outputs, Training: true})
		b.plan = true
		if out = m.Build(b, g.Leaf("words", g.Words(), d, false)); b.err == nil && g.Err() == nil {
			last, answer = out.Objective.Result()
			return out, last, answer
		}
	}
	return Output{}, nil, ""
}

// plannedWidth is the width of the word vectors in a plan: above what settings of widths allow,
// and divided by most numbers of heads.
const plannedWidth = 5040
