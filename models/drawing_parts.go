package models

import (
	"fmt"
	"strings"

	"imdbexp/internal/diagram"
)

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
