package models

import (
	"fmt"
	"strings"

	"imdbexp/internal/diagram"
)

// Drawer is a model that says how its boxes and arrows go, with the settings that
// it has.
type Drawer interface{ Drawing() diagram.Node }

// Watcher is a model that says what to look for in its runs, with the settings
// that it has.
type Watcher interface{ Watch() string }

// Drawing returns a model's drawing: its own or, where it has none, its equations
// one after another. It is nil where there is nothing to draw.
func (i Info) Drawing(m Model) diagram.Node {
	if d, ok := m.(Drawer); ok {
		return d.Drawing()
	}
	out := diagram.Stack{words()}
	for _, e := range i.Equations(m) {
		out = append(out, diagram.Op(folded(e)...))
	}
	if len(out) == 1 {
		return nil
	}
	return append(out, class())
}

// Watch returns what to look for in a model's runs, "" where it does not say.
func (i Info) Watch(m Model) string {
	if w, ok := m.(Watcher); ok {
		return w.Watch()
	}
	return ""
}

// folded breaks a long equation at spaces, so that a box fits a narrow terminal.
func folded(equation string) []string {
	const most = 48
	lines := []string{""}
	for _, word := range strings.Fields(equation) {
		last := &lines[len(lines)-1]
		switch {
		case *last == "":
			*last = word
		case len([]rune(*last))+1+len([]rune(word)) > most:
			lines = append(lines, word)
		default:
			*last += " " + word
		}
	}
	return lines
}

func words() diagram.Node { return diagram.Val("words x₁ … xₙ") }
func class() diagram.Node { return diagram.Val("softmax of z: the class") }

// drawing is the classifier, and after it what else is done to the logits.
func (h Head) drawing(more ...string) diagram.Stack {
	var out diagram.Stack
	if h.Dropout > 0 {
		out = append(out, diagram.Op(dropout(h.Dropout)))
	}
	lines := []string{"z = W·t̂ + b"}
	if h.ReLULogits {
		lines = append(lines, "ReLU on z, a slip")
	}
	return append(out, diagram.Op(append(lines, more...)...), class())
}

func dropout(share float64) string { return fmt.Sprintf("dropout %g", share) }

// Penalised reports whether the entropy of the attention is part of the loss.
func (p Penalty) Penalised() bool { return p.Lambda != 0 }

// drawing is what the penalty adds to the box of the attention.
func (p Penalty) drawing() []string {
	switch {
	case !p.Penalised():
		return nil
	case p.SumEntropy:
		return []string{fmt.Sprintf("loss + %g·Σ H(α)", p.Lambda), "over the batch, a slip"}
	}
	return []string{fmt.Sprintf("loss + %g·H(α)", p.Lambda)}
}

// watch adds what the penalty is about.
func (p Penalty) watch(text string) string {
	if !p.Penalised() {
		return text
	}
	return text + " The penalty presses the entropy of the attention down: watch it go towards 0, which is one word a review, and what that costs in test accuracy."
}

// attended is attention over words: a query meets keys, a softmax over the scores
// weighs values.
func (p Penalty) attended(query, keys, values diagram.Node, score, sum string) diagram.Stack {
	lines := []string{"αᵢ = softmaxᵢ(" + score + ")"}
	if len([]rune(score)) > 12 {
		lines = []string{"eᵢ = " + score, "αᵢ = softmaxᵢ(eᵢ)"}
	}
	weights := diagram.Op(append(lines, p.drawing()...)...)
	return diagram.Stack{
		diagram.Fork{diagram.Stack{diagram.Fork{query, keys}, weights}, values},
		diagram.Op(sum),
	}
}

// meanQuery is the query that a review's mean gives.
func meanQuery(of string) diagram.Node {
	return diagram.Stack{diagram.Op("mean of the " + of), diagram.Op("q(t) = Q·mean + b")}
}
