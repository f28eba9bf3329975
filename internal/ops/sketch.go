package ops

import (
	"slices"
	"strings"

	"imdbexp/internal/diagram"
)

// Sketch turns a graph into a picture: a box for each step that a reader would tell
// apart, with the equation that it computes. Every op says what it looks like; small
// ones are written into the equation of the op that reads them, unless the model has
// given their result a name.
type Sketch struct {
	readers map[*Node]int
	walked  map[*Node]bool
	done    map[*Node]drawn
	notes   map[kernel][]string
	heads   map[*Node]string                    // attention by heads, side by side
	layers  map[*op]*diagram.Vertex             // recurrent ones
	count   map[*diagram.Vertex]int             // of layers in a box
	ends    map[*diagram.Vertex]*diagram.Vertex // their last states, which a translation starts from
	root    *diagram.Vertex                     // the words that are read

	boxes      []*diagram.Vertex // all of them, in the order in which they are computed
	translates bool
	group      *diagram.Group
	narrow     bool // fewer boxes side by side
	listing    bool // equations are listed: lines may be long, and small ops have no box
	inside     bool // a part that is repeated, whose equations are about all words at once
}

// drawn is a node in a picture.
type drawn struct {
	vertex *diagram.Vertex
	symbol string // in equations
}

// Call gives the node the name that equations have for it, and returns it. In v(·) the
// dot stands for what it is made of.
func (n *Node) Call(symbol string) *Node {
	n.written().symbol = symbol
	return n
}

// repeat says that what leads from a node to another one is done several times.
type repeat struct {
	title string
	in    *Node
}

// Repeated says that the nodes between in and first are done as often as the title says,
// the last time with the result last. Pictures show the first time alone.
func Repeated(title string, in, first, last *Node) {
	first.part = &repeat{title, in}
	if last != first {
		last.like = first
	}
}

// NewSketch prepares a picture of what leads to the results; a term of the cost besides
// the loss is noted at the op that it is about.
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
		o := t.Node.written().src
		if o == nil {
			continue
		}
		k, ok := o.k.(interface{ cost(Term) []string })
		if !ok {
			continue
		}
		for n := range s.walked { // the op itself, or those that read what it is about
			if r := n.src; r != nil && (r == o || slices.Contains(r.inputs, o.inputs[0])) {
				s.note(r.k, k.cost(t)...)
			}
		}
	}
	return s
}

// note keeps lines for the box of an op, each once.
func (s *Sketch) note(k kernel, lines ...string) {
	for _, l := range lines {
		if !slices.Contains(s.notes[k], l) {
			s.notes[k] = append(s.notes[k], l)
		}
	}
}

// shown returns the node that pictures have in the place of n.
func (n *Node) shown() *Node {
	for {
		n = n.written()
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
	s.translates = s.translates || written(n)
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

// Vertex returns the box of a node, with all that leads to it.
func (s *Sketch) Vertex(n *Node) *diagram.Vertex { return s.node(n).vertex }

// Root returns the box of the words that are read; nil before a box that needs them.
func (s *Sketch) Root() *diagram.Vertex { return s.root }

// words is that box.
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
		s.beside(n, n.part.in.shown())
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

// beside draws what leads into a part from elsewhere than its beginning: it is not done
// again with the part.
func (s *Sketch) beside(n, in *Node) {
	for _, x := range n.src.inputs {
		switch x = x.shown(); {
		case x.src == nil || x == in:
		case x.follows(in):
			s.beside(x, in)
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

// pictured is an op that has a box of its own.
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

// symbol is what a node is called in equations.
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

// call names a result that the model has not named, if it has an equation to begin.
func (s *Sketch) call(n *Node, symbol string) {
	if n = n.shown(); n.symbol == "" && n.part == nil && n.src != nil && n.src.name != "mean" {
		if _, ok := n.src.k.(term); ok {
			n.symbol = symbol
		}
	}
}

// named is a result in a box, whose equation it begins: "t̂ = …".
func (s *Sketch) named(n *Node, otherwise string, lines []string, in ...diagram.Edge) drawn {
	v := s.box(diagram.Op(lines...), in...)
	v.Name = s.symbol(n, otherwise)
	return drawn{v, v.Name}
}

// modify adds a line to the box of the op before, where nobody else reads that, or makes
// one behind it.
func (s *Sketch) modify(n, in *Node, lines ...string) drawn {
	d := s.node(in)
	if v := d.vertex; s.readers[in.shown()] == 1 && v.Kind == diagram.Operation && v.Group == s.group {
		v.Lines = append(v.Lines, lines...)
		return drawn{v, s.symbol(n, d.symbol)}
	}
	return s.named(n, d.symbol, lines, diagram.Edge{From: d.vertex})
}

// each is a symbol with the index of the rows that it stands for, where there is one: t
// of words that are written, which may be part of the symbol already.
func (s *Sketch) each(n *Node, symbol string) string {
	index := "ᵢ"
	switch _, words := n.axis.(*Seq); {
	case symbol == "…" || !words || s.inside || strings.Contains(symbol, "ₜ"):
		return symbol
	case written(n):
		index = "ₜ"
	}
	if rest, ok := strings.CutSuffix(symbol, ")"); ok {
		return rest + index + ")"
	}
	return symbol + index
}

// slip is how a line of a picture tells a slip.
func slip(n *Node) string {
	if strings.HasPrefix(n.by, "slip.") {
		return ", a slip"
	}
	return ""
}

// equation is one being written, with what leads to its box.
type equation struct {
	s     *Sketch
	edges []diagram.Edge
	bias  string   // of a sum, which stands at its end
	notes []string // lines below it
	rich  bool     // another op has been written into it
	any   bool     // of any row: what defines a function needs no index
	first string   // what the first row that it reads is called
}

// defining is an equation for a node: in narrow pictures a function's has no index.
func (s *Sketch) defining(n *Node) *equation {
	return &equation{s: s, any: s.narrow && strings.HasSuffix(n.symbol, "(·)")}
}

// each is that of the picture.
func (e *equation) each(n *Node, symbol string) string {
	if e.any {
		return symbol
	}
	return e.s.each(n, symbol)
}

// of writes the op behind a node into the equation, where it is one of those and its
// result has neither a name nor another reader; else it refers to it.
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

// refer lets an arrow lead from a node, and returns what the equation calls it. Weights
// have no arrow: they are part of what is computed.
func (e *equation) refer(n *Node) string {
	n = n.shown()
	if n.IsWeight() {
		return e.s.symbol(n, "W")
	}
	if _, words := n.axis.(*Seq); n.src == nil && !words { // of each review: it has its name
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

// whole is the equation of a node, or what it is called where it has none.
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

// lines begins an equation with the name of its result, if it has one. A value of each
// word stands beside others: it takes two lines, as does a long one, in narrow pictures
// three where it has a sum.
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
	if words && !e.s.inside && !written(n) || written(n) && len([]rune(text)) > 26 || e.s.narrow && len([]rune(name+text)) > 15 && !e.s.inside {
		if at := strings.LastIndex(text, " + "); e.s.narrow && at > 0 && len([]rune(text)) > 15 && !written(n) {
			return append([]string{name, text[:at], text[at+1:]}, e.notes...)
		}
		return append([]string{name, text}, e.notes...)
	}
	return append([]string{name + " " + text}, e.notes...)
}
