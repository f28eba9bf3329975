package ops

import (
	"slices"
	"strings"

	"imdbexp/internal/diagram"
)

// equation is an equation in progress, with the edges to its box.
type equation struct {
	s     *Sketch
	edges []diagram.Edge
	bias  string   // of a sum, added at its end
	notes []string // lines below it
	rich  bool     // it includes the equation of another op
	any   bool     // of any row: the definition of a function needs no index
	first string   // symbol of the first input
}

// defining starts the equation of a node; in narrow pictures a function has no index.
func (s *Sketch) defining(n *Node) *equation {
	return &equation{s: s, any: s.narrow && strings.HasSuffix(n.symbol, "(·)")}
}

// each is Sketch.each, without an index for a function.
func (e *equation) each(n *Node, symbol string) string {
	if e.any {
		return symbol
	}
	return e.s.each(n, symbol)
}

// of formats a node in the equation. If its op is one of ops and its
// result has no name and no other reader, this is the op's equation; otherwise its symbol.
func (e *equation) of(n *Node, ops ...string) string {
	n = n.shown()
	if e.s.listing {
		ops = append(ops, lightOps...)
	}
	if n.src != nil && n.symbol == "" && e.s.readers[n] == 1 && n.part == nil && slices.Contains(ops, n.src.name) {
		if text := e.s.text(n); text != nil {
			e.rich = true
			return text(e, n)
		}
	}
	return e.refer(n)
}

// refer adds an edge from a node and returns its symbol. Weights have
// no edge.
func (e *equation) refer(n *Node) string {
	n = n.shown()
	if n.IsWeight() {
		return e.s.symbol(n, "W")
	}
	if _, words := n.axis.(*Seq); n.src == nil && !words { // one row for each review: use its name
		return n.leaf.name
	}
	if n.Op() == "spread" && n.symbol == "" { // the same row for many
		return e.refer(n.src.inputs[0])
	}
	d := e.s.node(n)
	e.arrow(d, "")
	if e.first == "" {
		e.first = d.symbol
	}
	return e.each(n, d.symbol)
}

// whole returns the equation of a node, or its symbol if it has none.
func (e *equation) whole(n *Node) string {
	n = n.shown()
	if n.src == nil {
		return e.refer(n)
	}
	k, ok := n.src.k.(term)
	if !ok {
		return e.refer(n)
	}
	text := k.term(e, n)
	if e.bias != "" {
		text, e.bias = text+" + "+e.bias, ""
	}
	return text
}

func (e *equation) arrow(d drawn, label string) {
	edge := diagram.Edge{From: d.vertex, Label: label}
	if !slices.Contains(e.edges, edge) {
		e.edges = append(e.edges, edge)
	}
}

// lines returns the equation, starting with the name of its result, if it has one. In
// pictures, values of words are side by side and long ones are wide: both take two lines, or
// three for a sum in narrow pictures.
func (e *equation) lines(n *Node, text string) []string {
	if e.bias != "" {
		text, e.bias = text+" + "+e.bias, ""
	}
	if n.symbol == "" {
		return append([]string{text}, e.notes...)
	}
	name := e.each(n, e.s.symbol(n, "")) + " ="
	_, words := n.axis.(*Seq)
	if e.s.listing {
		return append([]string{name + " " + text}, e.notes...)
	}
	if words && !e.s.inside && !onTarget(n) || onTarget(n) && len([]rune(text)) > 26 || e.s.narrow && len([]rune(name+text)) > 15 && !e.s.inside {
		if at := strings.LastIndex(text, " + "); e.s.narrow && at > 0 && len([]rune(text)) > 15 && !onTarget(n) {
			return append([]string{name, text[:at], text[at+1:]}, e.notes...)
		}
		return append([]string{name, text}, e.notes...)
	}
	return append([]string{name + " " + text}, e.notes...)
}
