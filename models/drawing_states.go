package models

import "imdbexp/internal/diagram"

// The drawings of attention over the states of an LSTM or GRU, and what to look
// for.

// Drawing implements Drawer.
func (m *LSTM) Drawing() diagram.Node {
	states := reader("LSTM", m.Bidirectional)
	switch m.Pool {
	case "last":
		last := []string{"t̂ = the last state"}
		if m.Bidirectional {
			last = append(last, "of each direction")
		}
		return diagram.Stack{words(), states, diagram.Op(last...), m.Head.drawing()}
	case "mean":
		return diagram.Stack{words(), states, diagram.Op("t̂ = (1/n) Σᵢ hᵢ"), m.Head.drawing()}
	}
	const sum = "t̂ = Σᵢ αᵢ v(hᵢ)"
	if m.ValuesOnly {
		if m.Bidirectional { // there is no room for two boxes beside the query
			states = diagram.Stack{diagram.Op("LSTM", "both directions"), diagram.Val("states h₁ … hₙ")}
		}
		values := diagram.Stack{states, m.Value.drawing("hᵢ")}
		return diagram.Stack{words(), m.attended(meanQuery("words"), diagram.Val("keys xᵢ"), values, "q(t)·xᵢ", sum), m.Head.drawing()}
	}
	return diagram.Stack{
		words(), states,
		m.attended(meanQuery("states"), diagram.Val("keys hᵢ"), m.Value.drawing("hᵢ"), "q(t)·hᵢ", sum),
		m.Head.drawing(),
	}
}

// Watch implements Watcher.
func (m *LSTM) Watch() string {
	switch m.Pool {
	case "last":
		return "The control without attention: all of a review has to pass through one last state. " +
			"Compare its test accuracy with that of pool=attention, in long reviews above all: they suffer first where one vector is too narrow."
	case "mean":
		return "The control for the attention: every state counts the same. " +
			"If its test accuracy is that of pool=attention, it was the LSTM that helped and not the attention over it."
	}
	return m.Penalty.watch("The states have read the words before, so that attention can choose a word in its context. " +
		"Watch test accuracy and test loss by epoch: with Adam they are best early and then train alone goes on; select=best stops there. " +
		"pool=last and pool=mean show what the attention itself adds.")
}

// Drawing implements Drawer.
func (m *Additive) Drawing() diagram.Node {
	score := "v·tanh(W₁·hᵢ + W₂·s + b)"
	if m.Form == "concat" {
		score = "v·tanh(W·[hᵢ; s] + b)"
	}
	return diagram.Stack{
		words(), m.Recurrent.drawing(),
		m.attended(m.StateQuery.drawing(), diagram.Val("keys hᵢ"), diagram.Val("values hᵢ"), score, "t̂ = Σᵢ αᵢ hᵢ"),
		m.Head.drawing(),
	}
}

// Watch implements Watcher.
func (m *Additive) Watch() string {
	return m.Penalty.watch("A small network scores each state against s, where Luong's attention multiplies the two. " +
		"Compare test accuracy and words per second with luong's; query=mean and query=learned show how much s matters.")
}

// Drawing implements Drawer.
func (m *Luong) Drawing() diagram.Node {
	score := map[string]string{"dot": "s·hᵢ", "general": "s·W·hᵢ", "concat": "v·tanh(W·[hᵢ; s] + b)"}[m.Score]
	context := m.attended(m.StateQuery.drawing(), diagram.Val("keys hᵢ"), diagram.Val("values hᵢ"), score, "c = Σᵢ αᵢ hᵢ")
	again := diagram.Val("s again")
	if m.From == "learned" {
		again.Kind = diagram.Learned
	}
	return diagram.Stack{
		words(), m.Recurrent.drawing(),
		diagram.Fork{context, again},
		diagram.Op("t̂ = tanh(W_c·[c; s] + b)"),
		m.Head.drawing(),
	}
}

// Watch implements Watcher.
func (m *Luong) Watch() string {
	return m.Penalty.watch("Three ways to compare s with a state: dot has no weights of its own, general a matrix, concat a small network. " +
		"Compare their test accuracies (score=dot,general,concat). s also reaches t̂ past the attention, so that accuracy alone does not tell whether the attention is used: look at its entropy, too.")
}

// drawing is what reads the words.
func (r *Recurrent) drawing() diagram.Node {
	cell := "LSTM"
	if r.Cell == "gru" {
		cell = "GRU"
	}
	return reader(cell, r.Bidirectional)
}

func reader(cell string, both bool) diagram.Node {
	if both {
		return diagram.Stack{
			diagram.Fork{diagram.Op(cell, "left to right"), diagram.Op(cell, "right to left")},
			diagram.Val("states h₁ … hₙ"),
		}
	}
	return diagram.Stack{diagram.Op(cell, "left to right"), diagram.Val("states h₁ … hₙ")}
}

// drawing is s.
func (q *StateQuery) drawing() diagram.Node {
	switch q.From {
	case "mean":
		return diagram.Op("s = mean", "of all hᵢ")
	case "learned":
		return diagram.Weight("learned s")
	}
	return diagram.Op("s = the", "last state")
}
