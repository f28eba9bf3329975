package models

import "imdbexp/internal/diagram"

// The drawings of attention over the words themselves, and what to look for.

// Drawing implements Drawer.
func (m *Mean) Drawing() diagram.Node {
	return diagram.Stack{words(), diagram.Op("t̂ = (1/n) Σᵢ xᵢ"), m.Head.drawing()}
}

// Watch implements Watcher.
func (m *Mean) Watch() string {
	return "Every word counts the same, so that the few words of praise or blame drown in the many that carry neither. " +
		"Its test accuracy is the floor under everything else; train and test stay together, for so few weights cannot overfit."
}

// Drawing implements Drawer.
func (m *Simple) Drawing() diagram.Node {
	return diagram.Stack{
		words(),
		m.attended(diagram.Weight("learned q"), diagram.Val("keys xᵢ"), diagram.Val("values xᵢ"), "q·xᵢ", "t̂ = Σᵢ αᵢ xᵢ"),
		m.Head.drawing(),
	}
}

// Watch implements Watcher.
func (m *Simple) Watch() string {
	return m.Penalty.watch("One query for all reviews: a word that it points at counts more wherever it stands. " +
		"Compare the test accuracy with the mean's, and watch the entropy of the attention between log n (uniform) and 0 (one word).")
}

// Drawing implements Drawer.
func (m *Query) Drawing() diagram.Node {
	return diagram.Stack{
		words(),
		m.attended(meanQuery("words"), diagram.Val("keys xᵢ"), diagram.Val("values xᵢ"), "q(t)·xᵢ", "t̂ = Σᵢ αᵢ xᵢ"),
		m.Head.drawing(),
	}
}

// Watch implements Watcher.
func (m *Query) Watch() string {
	return m.Penalty.watch("The query comes from the review's own mean, so that a word may count more in one review than in another. " +
		"Watch the gap between train and test accuracy, and whether the test accuracy is above that of a single query for all reviews.")
}

// Drawing implements Drawer.
func (m *Values) Drawing() diagram.Node {
	return diagram.Stack{
		words(),
		m.attended(meanQuery("words"), diagram.Val("keys xᵢ"), m.Value.drawing("xᵢ"), "q(t)·xᵢ", "t̂ = Σᵢ αᵢ v(xᵢ)"),
		m.Head.drawing(),
	}
}

// Watch implements Watcher.
func (m *Values) Watch() string {
	text := "A linear v can express nothing that the classifier could not do by itself, so that what differs from the model without values comes from the optimisation. "
	if m.Activation != "none" {
		text = "With a non-linear v the values can say what the words' own vectors cannot. "
	}
	return m.Penalty.watch(text + "Compare test accuracy and test loss with those of query, the model without values, and how far the entropies spread.")
}

// drawing is the box of the values made from x.
func (v Value) drawing(x string) diagram.Node {
	f := map[string]string{"relu": "ReLU(V·" + x + " + c)", "tanh": "tanh(V·" + x + " + c)"}[v.Activation]
	if f == "" {
		f = "V·" + x + " + c"
	}
	return diagram.Op("v("+x+") =", f)
}
