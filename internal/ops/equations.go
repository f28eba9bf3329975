package ops

import (
	"fmt"
	"strings"

	"imdbexp/internal/diagram"
)

// Equations returns the equations of a graph, one a line, in the order they are
// computed. They are the text of the boxes of its picture, each with the name of its result:
// "=" defines a name, "←" gives it a new value. Repeated parts are marked with "│".
func Equations(terms []Term, results ...*Node) []string {
	s := newSketch(terms, results)
	s.listing = true
	for _, n := range results {
		s.node(n)
	}
	var out []string
	var group *diagram.Group
	for _, v := range s.boxes {
		if v.Kind != diagram.Operation {
			continue
		}
		if v.Group != group {
			out = append(out, opened(group, v.Group)...)
			group = v.Group
		}
		for i, l := range v.Lines {
			if i > 0 && !defines(l) && !strings.HasPrefix(l, "loss") {
				out[len(out)-1] += ",  " + l
				continue
			}
			out = append(out, strings.Repeat("│ ", depth(group))+l)
		}
	}
	return out
}

// opened returns the titles of the groups around g that are not around the one before.
func opened(before, g *diagram.Group) []string {
	if g == nil {
		return nil
	}
	for b := before; b != nil; b = b.In {
		if b == g {
			return nil
		}
	}
	return append(opened(before, g.In), strings.Repeat("│ ", depth(g.In))+g.Title+":")
}

func depth(g *diagram.Group) int {
	n := 0
	for ; g != nil; g = g.In {
		n++
	}
	return n
}

func defines(line string) bool {
	return strings.Contains(line, " = ") || strings.Contains(line, " ← ")
}

// define prefixes the equation in a box with the name of its result.
func (s *Sketch) define(n *Node, d drawn) {
	if !s.listing || d.vertex == nil || d.vertex.Kind != diagram.Operation || defines(d.vertex.Lines[0]) {
		return
	}
	name, sign, text := s.each(n, d.symbol), " = ", d.vertex.Lines[0]
	if n.part != nil || strings.Contains(text, name) {
		sign = " ← "
	}
	d.vertex.Lines[0] = name + sign + text
}

// listedTerm is an op that is part of an equation only in listed equations; a picture
// has a line for it.
type listedTerm interface {
	listedTerm(e *equation, n *Node) string
}

// text returns the function that writes the op of a node into an equation, or nil.
func (s *Sketch) text(n *Node) func(*equation, *Node) string {
	if k, ok := n.src.k.(listedTerm); ok && s.listing {
		return func(e *equation, n *Node) string {
			if strings.HasPrefix(n.by, "slip.") {
				defer func() { e.notes = append(e.notes, "a slip ("+n.by+")") }()
			}
			return k.listedTerm(e, n)
		}
	}
	if k, ok := n.src.k.(term); ok && !directions(n) {
		return k.term
	}
	return nil
}

// listed draws an op that is one equation. If another op still reads the old value of the
// name, the new value gets a tilde.
func (s *Sketch) listed(n *Node) drawn {
	e := &equation{s: s}
	text := s.text(n)(e, n)
	in := n.src.inputs[0].shown()
	if _, norm := n.src.k.(listedTerm); norm && n.symbol == "" && s.readers[in] > 1 && e.first == s.node(in).symbol {
		e.first += "\u0303"
	}
	if slip := slip(n); slip != "" && functions[n.src.name] != "" {
		e.notes = append(e.notes, strings.TrimPrefix(slip, ", ")+" ("+n.by+")")
	}
	return s.named(n, e.first, e.lines(n, text), e.edges...)
}

// lightOps are part of the equation that reads them in listed equations.
var lightOps = []string{
	"linear", "concat", "relu", "tanh", "sigmoid", "gelu", "scale", "dropout", "layer norm", "batch norm", "slot norm", "sinusoid",
}

// inner formats the operand of an op that puts brackets around it.
func (e *equation) inner(n *Node) string {
	text := e.of(n, "add", "add review")
	if e.bias != "" {
		text, e.bias = text+" + "+e.bias, ""
	}
	return text
}

func (k *dropout) listedTerm(e *equation, n *Node) string {
	return fmt.Sprintf("dropout(%s, %g)", e.inner(n.src.inputs[0]), k.p)
}

func (k *layerNorm) listedTerm(e *equation, n *Node) string {
	return "LayerNorm(" + e.inner(n.src.inputs[0]) + ")"
}

func (k *batchNorm) listedTerm(e *equation, n *Node) string {
	e.notes = append(e.notes, k.notes(n)...)
	return "BatchNorm(" + e.inner(n.src.inputs[0]) + ")"
}

func (k *slotNorm) listedTerm(e *equation, n *Node) string {
	return "Norm across the reviews of the batch(" + e.inner(n.src.inputs[0]) + ")"
}

func (k *sinusoid) listedTerm(e *equation, n *Node) string {
	at := "i"
	if onTarget(n) {
		at = "t"
	}
	e.notes = append(e.notes, k.layout.formula(at, k.base))
	return e.of(n.src.inputs[0]) + " + PE(" + at + ")"
}

func (k *joinSinusoid) listedTerm(e *equation, n *Node) string {
	e.notes = append(e.notes, k.layout.formula("i", k.base))
	return "[" + e.of(n.src.inputs[0]) + "; PE(i)]"
}

// formula returns the equation of the sines and cosines.
func (l PositionLayout) formula(at string, base float64) string {
	if l == Halves {
		return fmt.Sprintf("PE(%s)ⱼ, PE(%[1]s)ⱼ₊ₘ = sin, cos(%[1]s / %g^(j/(m−1))), m = d/2", at, base)
	}
	return fmt.Sprintf("PE(%s)₂ⱼ, PE(%[1]s)₂ⱼ₊₁ = sin, cos(%[1]s / %g^(2j/d))", at, base)
}

// recurrence returns the equation of the states of a layer that reads x; second is the
// backward layer of two directions.
func (s *Sketch) recurrence(n *Node, x drawn, reverse, second bool) string {
	h, other, mark := "h", "hᵢ₋₁", ""
	if reverse {
		other = "hᵢ₊₁"
	}
	if second {
		h, mark = "h'", "'"
		other = strings.Replace(other, "h", "h'", 1)
	}
	if n.src.name == "rnn" {
		return fmt.Sprintf("%sᵢ = tanh(W%s·%sᵢ + U%[2]s·%[4]s + b%[2]s)", h, mark, x.symbol, other)
	}
	return fmt.Sprintf("%sᵢ = %s%s(%sᵢ, %s)", h, strings.ToUpper(n.src.name), mark, x.symbol, other)
}

// listAttention lists the equations of multi-head attention over its own words or from the
// target to the source words.
func (k *attention) listAttention(s *Sketch, n *Node) drawn {
	in, was := n.src.inputs, s.group
	from, to := s.node(projected(in[0])), s.node(projected(in[1]))
	i, within := "ᵢ", ""
	if onTarget(in[0]) {
		i = "ₜ"
	}
	if k.Causal {
		within = ",  j ≤ t"
	}
	f := "f(" + from.symbol + ")"
	result := f
	if k.Heads > 1 {
		s.group = &diagram.Group{Title: fmt.Sprintf("%d heads", k.Heads), In: was}
		result = "headₕ"
	}
	by, notes := k.divisor(projected(in[0]).cols)
	weights := fmt.Sprintf("α%sⱼ = softmax%s(q%[1]s·kⱼ%[3]s)", i, map[bool]string{false: "ⱼ", true: i}[k.OverQueries], by)
	role := func(name, matrix, index string, n *Node, of drawn) string {
		if p := projected(n); p == n.shown() {
			return name + index + " = " + of.symbol + index
		}
		return name + index + " = " + s.symbol(n.shown().src.inputs[1], matrix) + "·" + of.symbol + index
	}
	lines := []string{
		role("q", "Q", i, in[0], from) + ",  " + role("k", "K", "ⱼ", in[1], to) + ",  " + role("v", "V", "ⱼ", in[2], to) + within,
		strings.Join(append([]string{weights}, notes...), ",  "), result + " = Σⱼ α" + i + "ⱼ vⱼ",
	}
	v := s.box(diagram.Op(lines...))
	s.group = was
	s.heads[n] = k.together()
	if k.Heads > 1 && !s.mixed(n) {
		v = s.box(diagram.Op(f + " = " + s.heads[n]))
	} else if k.Heads == 1 && s.mixed(n) {
		v.Lines[2] = "head₁ = Σⱼ α" + i + "ⱼ vⱼ"
	}
	for _, x := range in { // notes of the inputs
		if x = x.shown(); x.src != nil {
			s.note(k, s.notes[x.src.k]...)
		}
	}
	return drawn{v, f}
}

// mixed reports whether a matrix O joins the heads whose results are n.
func (s *Sketch) mixed(n *Node) bool {
	for m := range s.walked {
		if m.Op() == "linear" && m.src.inputs[0].shown() == n && s.symbol(m.src.inputs[1], "W") == "O" {
			return true
		}
	}
	return false
}
