package ops

import (
	"slices"
	"strings"

	"imdbexp/internal/diagram"
)

// Sketch turns a graph into a picture: a box for each step of the model, with its
// equation. Every op has a method that draws it. Small ops are part of the equation of
// the op that reads them, unless the model has named
// their result.
type Sketch struct {
	readers map[*Node]int
	walked  map[*Node]bool
	done    map[*Node]drawn
	notes   map[kernel][]string
	heads   map[*Node]string                    // concatenated heads of attention
	layers  map[*op]*diagram.Vertex             // recurrent ones
	count   map[*diagram.Vertex]int             // of layers in a box
	ends    map[*diagram.Vertex]*diagram.Vertex // their last states, which a translation starts from
	root    *diagram.Vertex                     // the input words

	boxes      []*diagram.Vertex // all boxes, in the order they are computed
	translates bool
	group      *diagram.Group
	narrow     bool // fewer boxes side by side
	listing    bool // equations are listed: lines may be long, and small ops have no box
	inside     bool // in a repeated part, whose equations are about all words at once
}

// drawn is a node in a picture.
type drawn struct {
	vertex *diagram.Vertex
	symbol string // in equations
}

// Call sets the symbol of the node in equations, and returns the node. In v(·) the
// dot stands for its argument.
func (n *Node) Call(symbol string) *Node {
	n.form().symbol = symbol
	return n
}

// repeat is a repeated part of the model, from the node in on.
type repeat struct {
	title string
	in    *Node
}

// Repeated marks the nodes between in and first as repeated; title says how often.
// The last repetition has the result last. Pictures show only the first one.
func Repeated(title string, in, first, last *Node) {
	first.part = &repeat{title, in}
	if last != first {
		last.like = first
	}
}

// NewSketch prepares a picture of the graph of the results. A term of the cost other than
// the loss is noted at its op.
func NewSketch(narrow bool, terms []Term, results ...*Node) *Sketch {
	s := newSketch(terms, results)
	s.narrow = narrow
	return s
}

func newSketch(terms []Term, results []*Node) *Sketch {
	s := &Sketch{readers: map[*Node]int{}, walked: map[*Node]bool{}, done: map[*Node]drawn{}, notes: map[kernel][]string{}, layers: map[*op]*diagram.Vertex{}, heads: map[*Node]string{}, count: map[*diagram.Vertex]int{}, ends: map[*diagram.Vertex]*diagram.Vertex{}}
	for _, n := range results {
		s.walk(n)
	}
	for _, t := range terms {
		o := t.Node.form().src
		if o == nil {
			continue
		}
		k, ok := o.k.(interface{ cost(Term) []string })
		if !ok {
			continue
		}
		for n := range s.walked { // the op itself, or the ops with the same input
			if r := n.src; r != nil && (r == o || slices.Contains(r.inputs, o.inputs[0])) {
				s.note(r.k, k.cost(t)...)
			}
		}
	}
	return s
}

// note adds lines to the box of an op, each once.
func (s *Sketch) note(k kernel, lines ...string) {
	for _, l := range lines {
		if !slices.Contains(s.notes[k], l) {
			s.notes[k] = append(s.notes[k], l)
		}
	}
}

// shown returns the node that pictures show instead of n.
func (n *Node) shown() *Node {
	for {
		n = n.form()
		if n.like == nil {
			return n
		}
		n = n.like
	}
}

func (s *Sketch) walk(n *Node) {
	n = n.shown()
	if s.walked[n] {
		return
	}
	s.walked[n] = true
	s.translates = s.translates || onTarget(n)
	if n.src == nil {
		return
	}
	first := !slices.ContainsFunc(n.src.nodes, func(r *Node) bool { return r != n && s.walked[r] })
	for _, x := range n.src.inputs {
		if first { // an op with several results reads once
			s.readers[x.shown()]++
		}
		s.walk(x)
	}
}

// Vertex returns the box of a node, with all boxes before it.
func (s *Sketch) Vertex(n *Node) *diagram.Vertex { return s.node(n).vertex }

// Root returns the box of the input words, nil if no box so far needs them.
func (s *Sketch) Root() *diagram.Vertex { return s.root }

// words returns the box of the input words.
func (s *Sketch) words(line string) drawn {
	if s.root == nil {
		s.root = s.box(diagram.Val(line))
	}
	return drawn{s.root, "x"}
}

func (s *Sketch) node(n *Node) drawn {
	n = n.shown()
	if d, ok := s.done[n]; ok {
		return d
	}
	if n.part != nil {
		was, inside := s.group, s.inside
		in := s.node(n.part.in)
		s.drawOutside(n, n.part.in.shown())
		s.group, s.inside = &diagram.Group{Title: n.part.title, In: was}, true
		d := s.draw(n)
		d.symbol = in.symbol
		s.define(n, d)
		s.group, s.inside = was, inside
		s.done[n] = d
		return d
	}
	d := s.draw(n)
	s.define(n, d)
	s.done[n] = d
	return d
}

// drawOutside draws the inputs of a repeated part other than its beginning: they are not
// repeated.
func (s *Sketch) drawOutside(n, in *Node) {
	for _, x := range n.src.inputs {
		switch x = x.shown(); {
		case x.src == nil || x == in:
		case x.follows(in):
			s.drawOutside(x, in)
		default:
			s.node(projected(x))
		}
	}
}

func (s *Sketch) draw(n *Node) drawn {
	if n.src == nil {
		if n.IsWeight() {
			symbol := n.symbol
			if symbol == "" {
				symbol = n.leaf.name[strings.LastIndexByte(n.leaf.name, '.')+1:]
			}
			return drawn{s.box(diagram.Weight("learned " + symbol)), symbol}
		}
		return s.words("words x₁ … xₙ")
	}
	if s.listing && s.text(n) != nil {
		return s.listed(n)
	}
	if k, ok := n.src.k.(pictured); ok {
		return k.picture(s, n)
	}
	k, ok := n.src.k.(term)
	if !ok {
		e := &equation{s: s}
		for _, x := range n.src.inputs {
			e.refer(x)
		}
		return drawn{s.box(diagram.Op(n.src.name), e.edges...), "…"}
	}
	e := &equation{s: s}
	text := k.term(e, n)
	return drawn{s.box(diagram.Op(e.lines(n, text)...), e.edges...), s.symbol(n, "…")}
}

// pictured is an op with its own box.
type pictured interface {
	picture(s *Sketch, n *Node) drawn
}

// term is an op that can be part of the equation of another one.
type term interface {
	term(e *equation, n *Node) string
}

// box adds a vertex.
func (s *Sketch) box(b diagram.Box, in ...diagram.Edge) *diagram.Vertex {
	v := &diagram.Vertex{Box: b, In: in}
	s.boxes = append(s.boxes, v)
	if b.Kind != diagram.Learned && !(b.Kind == diagram.Value && in == nil) {
		v.Group = s.group
	}
	return v
}

// symbol returns the symbol of a node in equations.
func (s *Sketch) symbol(n *Node, otherwise string) string {
	name, function := strings.CutSuffix(n.symbol, "(·)")
	switch {
	case n.symbol == "":
		return otherwise
	case !function:
		return name
	}
	of := n.src.inputs[0].shown()
	for of.src != nil && of.symbol == "" && (of.src.name == "linear" || functions[of.src.name] != "") {
		of = of.src.inputs[0].shown()
	}
	return name + "(" + s.node(of).symbol + ")"
}

// call names a result that the model has not named, if its box starts with an equation.
func (s *Sketch) call(n *Node, symbol string) {
	if n = n.shown(); n.symbol == "" && n.part == nil && n.src != nil && n.src.name != "mean" {
		if _, ok := n.src.k.(term); ok {
			n.symbol = symbol
		}
	}
}

// named draws a result whose box starts with an equation: "t̂ = …".
func (s *Sketch) named(n *Node, otherwise string, lines []string, in ...diagram.Edge) drawn {
	v := s.box(diagram.Op(lines...), in...)
	v.Name = s.symbol(n, otherwise)
	return drawn{v, v.Name}
}

// modify adds a line to the box of the input, if it has no other reader, or draws a new
// box after it.
func (s *Sketch) modify(n, in *Node, lines ...string) drawn {
	d := s.node(in)
	if v := d.vertex; s.readers[in.shown()] == 1 && v.Kind == diagram.Operation && v.Group == s.group {
		v.Lines = append(v.Lines, lines...)
		return drawn{v, s.symbol(n, d.symbol)}
	}
	return s.named(n, d.symbol, lines, diagram.Edge{From: d.vertex})
}

// each adds the index of the rows to a symbol, if there is one: t for words of the
// translation, unless the symbol already has it.
func (s *Sketch) each(n *Node, symbol string) string {
	index := "ᵢ"
	switch _, words := n.axis.(*Seq); {
	case symbol == "…" || !words || s.inside || strings.Contains(symbol, "ₜ"):
		return symbol
	case onTarget(n):
		index = "ₜ"
	}
	if rest, ok := strings.CutSuffix(symbol, ")"); ok {
		return rest + index + ")"
	}
	return symbol + index
}

// slip returns the note of a picture on a slip.
func slip(n *Node) string {
	if strings.HasPrefix(n.by, "slip.") {
		return ", a slip"
	}
	return ""
}
