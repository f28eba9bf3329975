package models

import (
	"fmt"
	"strings"

	"imdbexp/internal/diagram"
)

// The drawings of translators, and what to look for. The words of the translation
// come in from the side: they are not made from what stands above.

func sourceWords() diagram.Node { return diagram.Val("source x₁ … xₙ") }

// drawWritten is how a word is written from a row.
func (m *Seq2Seq) drawWritten(of string) diagram.Stack {
	var out diagram.Stack
	if m.Dropout > 0 {
		out = append(out, diagram.Op(dropout(m.Dropout)))
	}
	scores := []string{"zₜ = " + m.scores(of)}
	if m.Tied {
		scores = append(scores, "E: the embeddings of y")
	}
	return append(out, diagram.Op(scores...), diagram.Val("softmax of zₜ: the word yₜ"))
}

// drawing is layers of a cell with a word of each row.
func (s *Stack) drawing(cell, how string) diagram.Node {
	if s.Layers == 1 {
		return diagram.Op(cell, how)
	}
	return diagram.Op(cell+", "+times(s.Layers, "layer"), how)
}

// Drawing implements Drawer.
func (m *Seq2SeqPlain) Drawing() diagram.Node {
	how := "from x₁ to xₙ"
	if m.Reverse {
		how = "from xₙ to x₁"
	}
	return diagram.Stack{
		sourceWords(), m.Stack.drawing("LSTM", how),
		diagram.Fork{diagram.Val("last h and c:", "all that is kept"), diagram.Weight("E·yₜ₋₁")},
		m.Stack.drawing("LSTM'", "sₜ from sₜ₋₁, yₜ₋₁"),
		m.drawWritten("sₜ"),
	}
}

// Watch implements Watcher.
func (m *Seq2SeqPlain) Watch() string {
	return "A sentence of any length has to pass through one vector. " +
		"Watch the exact matches by sentence length: they fall where the vector is too narrow, and a wider one (hidden) only moves that point. reverse=true brings the first words of both sentences together, which made training easier for Sutskever et al. (2014)."
}

// Drawing implements Drawer.
func (m *Seq2SeqBahdanau) Drawing() diagram.Node {
	score := "v·tanh(W₁·hⱼ + W₂·sₜ₋₁)"
	if m.Form == "concat" {
		score = "v·tanh(W·[hⱼ; sₜ₋₁])"
	}
	weights := diagram.Stack{diagram.Fork{diagram.Weight("sₜ₋₁"), diagram.Val("keys hⱼ")}, diagram.Op("eₜⱼ = "+score, "αₜ = softmaxⱼ(eₜⱼ)")}
	return diagram.Stack{
		sourceWords(), reader("GRU", true),
		diagram.Fork{weights, diagram.Val("values hⱼ")}, diagram.Op("cₜ = Σⱼ αₜⱼ hⱼ"),
		diagram.Fork{diagram.Stack{}, diagram.Weight("E·yₜ₋₁")},
		diagram.Op("sₜ = GRU([E·yₜ₋₁; cₜ], sₜ₋₁)"),
		diagram.Op("tₜ = tanh(U·[sₜ; cₜ; E·yₜ₋₁] + b)"),
		m.drawWritten("tₜ"),
	}
}

// Watch implements Watcher.
func (m *Seq2SeqBahdanau) Watch() string {
	return "The decoder looks at the source again before each word, so that no vector has to hold all of it. " +
		"Watch the exact matches by sentence length, which should not fall as those of seq2seq-plain do, and the alignment (exp attend): mostly a diagonal, with crossings where words swap places."
}

// Drawing implements Drawer.
func (m *Seq2SeqLuong) Drawing() diagram.Node {
	cell := cells[m.Cell]
	return diagram.Stack{
		sourceWords(), m.Stack.drawing(cell, "left to right"),
		diagram.Fork{diagram.Val("states h₁ … hₙ"), diagram.Stack{diagram.Weight("E·yₜ₋₁"), m.Stack.drawing(cell+"'", "from the last h")}},
		diagram.Op("eₜⱼ = "+m.score(), "αₜ = softmaxⱼ(eₜⱼ)"),
		diagram.Op("cₜ = Σⱼ αₜⱼ hⱼ"),
		diagram.Op("s̃ₜ = tanh(W_c·[cₜ; sₜ] + b)"),
		m.drawWritten("s̃ₜ"),
	}
}

// Watch implements Watcher.
func (m *Seq2SeqLuong) Watch() string {
	return "The decoder writes its states first and looks the source up with them afterwards, so that all rows attend at once. " +
		"Compare the exact matches of score=dot,general,concat scale=none,sqrt_k and their alignments (exp attend): without input feeding a row does not know where the one before has looked, and the softmax of undivided products is at one word before it has learned which (see the entropy). Words per second tell what attending to all rows at once saves against seq2seq-bahdanau."
}

// Drawing implements Drawer.
func (m *Seq2SeqTransformer) Drawing() diagram.Node {
	k := m.block()
	embed := diagram.Op("√d·E'·x + PE", fmt.Sprintf("%d wide", m.Width))
	ffn := diagram.Stack{diagram.Op("ReLU(W₁·a + b₁)", fmt.Sprintf("%d wide", m.Inner)), diagram.Op("W₂·… + b₂")}
	encoder := append(k.draw(multiheadBoxes(m.Heads, "x", 0)), k.draw(ffn)...)
	rows, sum, end := "rows", []string{"added", "layer norm"}, diagram.Stack{}
	if m.NormAt == "before" {
		rows, sum, end = "LN(rows)", []string{"added"}, diagram.Stack{diagram.Op("layer norm")}
	}
	masked := diagram.Op(append([]string{"MultiHead of", rows + " 1 … t"}, sum...)...)
	decoder := diagram.Stack{
		diagram.Fork{diagram.Stack{diagram.Weight("√d·E·yₜ₋₁ + PE"), masked}, diagram.Val("keys, values", "of all x")},
		diagram.Op(append([]string{"MultiHead: " + rows + " look at x", times(m.Heads, "head")}, sum...)...),
	}
	return diagram.Stack{
		sourceWords(), embed,
		diagram.Frame{Title: times(m.Layers, "block") + " of the encoder", Body: encoder}, end,
		diagram.Frame{Title: times(m.Layers, "block") + " of the decoder", Body: append(decoder, k.draw(ffn)...)}, end,
		m.drawWritten("yₜ"),
	}
}

// Watch implements Watcher.
func (m *Seq2SeqTransformer) Watch() string {
	return "No state is handed on: words reach each other through attention alone, and positions tell the order. " +
		"Watch the train loss of the first epochs (with norm.place=after a warm-up, schedule.warmup, decides whether it falls), words per second against the recurrent models, and what each head of the decoder aligns (exp attend): usually a few heads do, the others average."
}

// The parts that the drawings of translators have in common.

// attentionBoxes is what one head does with x.
func attentionBoxes(x, softmax string, drop float64, notes []string) diagram.Stack {
	lines := append([]string{"αᵢⱼ = " + softmax}, notes...)
	if drop > 0 {
		lines = append(lines, dropout(drop))
	}
	return diagram.Stack{
		diagram.Fork{
			diagram.Stack{diagram.Fork{diagram.Op("qᵢ = Q·" + x + "ᵢ"), diagram.Op("kⱼ = K·" + x + "ⱼ")}, diagram.Op(lines...)},
			diagram.Op("vⱼ = V·" + x + "ⱼ"),
		},
		diagram.Op("Σⱼ αᵢⱼ vⱼ"),
	}
}

// multiheadBoxes is multi-head attention with what joins the heads.
func multiheadBoxes(n int, x string, drop float64, notes ...string) diagram.Stack {
	joined := "[head₁; …; head" + subscript(n) + "]·O + b"
	if n == 1 {
		joined = "head₁·O + b"
	}
	return diagram.Stack{
		heads(n, attentionBoxes(x, "softmaxⱼ(qᵢ·kⱼ/√k)", drop, nil)),
		diagram.Op(append([]string{joined}, notes...)...),
	}
}

// heads frames what each of several heads does.
func heads(n int, body diagram.Node) diagram.Node {
	if n == 1 {
		return body
	}
	return diagram.Frame{Title: times(n, "head"), Body: body}
}

func times(n int, what string) string {
	if n == 1 {
		return "1 " + what
	}
	return fmt.Sprintf("%d %ss", n, what)
}

func subscript(n int) string {
	return strings.Map(func(r rune) rune { return r - '0' + '₀' }, fmt.Sprint(n))
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

// reader is what reads the words from one end or from both.
func reader(cell string, both bool) diagram.Node {
	if both {
		return diagram.Stack{
			diagram.Fork{diagram.Op(cell, "left to right"), diagram.Op(cell, "right to left")},
			diagram.Val("states h₁ … hₙ"),
		}
	}
	return diagram.Stack{diagram.Op(cell, "left to right"), diagram.Val("states h₁ … hₙ")}
}
