package models

import (
	"fmt"
	"strings"

	"imdbexp/internal/diagram"
)

// The parts that the drawings of self-attention have in common.

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

// drawing is what positions do to the words.
func (p *Positions) drawing() diagram.Stack {
	switch p.Kind {
	case "sinusoid":
		return diagram.Stack{diagram.Op("xᵢ + PE(i)", "sine and cosine in turn")}
	case "halves":
		return diagram.Stack{diagram.Op("xᵢ + PE(i)", "all sines, then all cosines")}
	case "learned":
		return diagram.Stack{diagram.Fork{diagram.Weight("learned pᵢ"), diagram.Stack{}}, diagram.Op("xᵢ + pᵢ")}
	}
	return nil
}

// drawingBegin is [CLS] before the words where it is wanted.
func (p *Pooling) drawingBegin() diagram.Stack {
	if p.Pool != "cls" {
		return nil
	}
	return diagram.Stack{diagram.Fork{diagram.Weight("learned [CLS]"), diagram.Stack{}}, diagram.Val("[CLS] x₁ … xₙ")}
}

// drawingEnd makes one vector of the words.
func (p *Pooling) drawingEnd() diagram.Node {
	switch p.Pool {
	case "cls":
		return diagram.Op("t̂ = x at [CLS]")
	case "attention":
		return Penalty{}.attended(diagram.Weight("learned q"), diagram.Val("keys xᵢ"), diagram.Val("values xᵢ"), "q·xᵢ", "t̂ = Σᵢ αᵢ xᵢ")
	}
	return diagram.Op("t̂ = (1/n) Σᵢ xᵢ")
}
