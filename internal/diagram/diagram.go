// Package diagram draws boxes and arrows from top to bottom, as text in box-drawing characters or
// as SVG. A drawing consists of boxes below each other (Stack), next to each other (Fork) or in a
// frame (Frame), which determines the lines. Both renderings share one layout in character cells.
package diagram

import (
	"fmt"
	"html"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// Node is a part of a drawing: a Box, Stack, Fork or Frame.
type Node interface {
	layout() block
}

// Kind is the kind of a box.
type Kind int

// The kinds of boxes.
const (
	Operation Kind = iota // something computed
	Value                 // an input, a named intermediate value, or the output
	Learned               // a weight, which has no input
)

// Box is a box with some lines of text, one column for each character.
type Box struct {
	Kind  Kind
	Lines []string
}

// Op returns a box for something computed.
func Op(lines ...string) Box { return Box{Operation, lines} }

// Val returns a box for a value.
func Val(lines ...string) Box { return Box{Value, lines} }

// Weight returns a box for a learned value, which has no input.
func Weight(lines ...string) Box { return Box{Learned, lines} }

// Stack is a sequence of steps. An empty stack passes its input on.
type Stack []Node

// Fork is parts next to each other that share the input above; their results join below. A part
// that begins with a learned value has no input.
type Fork []Node

// Widest is the maximum number of columns of a drawing, if its parts can be placed so: 60, less
// an indent of two.
const Widest = 58

// Width returns the number of columns of a drawing.
func Width(n Node) int { return n.layout().width }

// Frame is a part that is repeated, or done by several at once; the title says how often.
type Frame struct {
	Title string
	Body  Node
}

// block is the layout of a part: its shapes in character cells, counted from its upper left
// corner.
type block struct {
	width, height int
	in, out       int   // columns of the line into its first row and out of its last
	open          bool  // has a line in
	lead          int   // rows between the part above and its first row
	tip           bool  // the line in ends in an arrowhead
	bare          bool  // nothing but a line
	taps          []int // of a part that begins with a horizontal line: the columns where lines lead down from it
	shapes        []shape
}

// shape is one thing to draw. Lines run between the middles of cells.
type shape struct {
	kind           shapeKind
	x, y, x2, y2   int // corners, or ends of a line
	arrow          bool
	box            Kind
	text           []string
	titleX, titleW int // of a frame's title, text[0]
}

type shapeKind int

const (
	boxShape shapeKind = iota
	lineShape
	frameShape
)

func line(x, y, x2, y2 int, arrow bool) shape {
	return shape{kind: lineShape, x: x, y: y, x2: x2, y2: y2, arrow: arrow}
}

// put adds the shapes of b at a position.
func (to *block) put(b block, x, y int) {
	for _, s := range b.shapes {
		s.x, s.x2, s.titleX = s.x+x, s.x2+x, s.titleX+x
		s.y, s.y2 = s.y+y, s.y2+y
		to.shapes = append(to.shapes, s)
	}
}

func (b Box) layout() block {
	w := 0
	for _, l := range b.Lines {
		w = max(w, width(l))
	}
	out := block{width: w + 4, height: len(b.Lines) + 2, open: b.Kind != Learned, lead: 2, tip: true}
	out.in = out.width / 2
	out.out = out.in
	out.shapes = []shape{{kind: boxShape, x2: out.width - 1, y2: out.height - 1, box: b.Kind, text: b.Lines}}
	return out
}

func (s Stack) layout() block {
	if len(s) == 0 {
		return block{width: 1, height: 1, open: true, lead: 1, bare: true}
	}
	parts := make([]block, len(s))
	widest := 0
	for i, n := range s {
		parts[i] = n.layout()
		widest = max(widest, parts[i].width)
	}
	lefts, left, width := below(parts, 1<<30)
	if width > Widest && widest <= Widest {
		lefts, left, _ = below(parts, Widest)
	}
	first, last := parts[0], len(s)-1
	out := block{in: first.in - left, open: first.open, lead: first.lead, tip: first.tip, taps: shifted(first.taps, lefts[0]-left)}
	y := 0
	for i, p := range parts {
		x := lefts[i] - left
		if i > 0 {
			from, above := y-1, lefts[i-1]-left+parts[i-1].out
			if above != x+p.in {
				out.shapes = append(out.shapes, line(above, from, above, from+1, false), line(min(above, x+p.in), from+1, max(above, x+p.in), from+1, false))
				from++
			}
			y = from + p.lead
			out.shapes = append(out.shapes, line(x+p.in, from, x+p.in, y, p.tip))
		}
		out.put(p, x, y)
		y += p.height
		out.width = max(out.width, x+p.width)
	}
	out.height, out.out = y, lefts[last]-left+parts[last].out
	return out
}

// below places parts below each other so that their lines in and out meet. Where that would need
// more than the given columns, the line between two parts has a bend.
func below(parts []block, columns int) (lefts []int, left, width int) {
	lefts = make([]int, len(parts))
	right := parts[0].width
	for i, p := range parts[1:] {
		x := lefts[i] + parts[i].out - p.in
		x = max(min(x, left+columns-p.width), right-columns)
		lefts[i+1], left, right = x, min(left, x), max(right, x+p.width)
	}
	return lefts, left, right - left
}

func (f Frame) layout() block {
	b := f.Body.layout()
	const side = 2 // columns between the frame and its content
	out := block{width: b.width + 2*side, open: b.open, lead: 2, in: b.in + side, out: b.out + side}
	titled := width(f.Title) + 2
	// The title is in the upper edge, next to the line in.
	at := 2
	if b.open && at+titled >= out.in {
		at = out.in + 2
	}
	out.width = max(out.width, at+titled+2)
	y := b.lead
	out.height = y + b.height + 1
	out.shapes = []shape{{kind: frameShape, x2: out.width - 1, y2: out.height - 1, text: []string{f.Title}, titleX: at, titleW: titled}}
	if b.open {
		out.shapes = append(out.shapes, line(out.in, 0, out.in, y, b.tip))
	}
	out.put(b, side, y)
	out.shapes = append(out.shapes, line(out.out, y+b.height-1, out.out, out.height-1, false))
	return out
}

// between is the number of columns between the parts of a fork.
const between = 2

// layout puts the parts next to each other between two horizontal lines: the upper one passes the
// input to the parts, the lower one collects their results.
func (f Fork) layout() block {
	if len(f) == 0 {
		return Stack{}.layout()
	}
	var out block
	parts, xs, tops := make([]block, len(f)), make([]int, len(f)), make([]int, len(f))
	bottom := 0
	for i, n := range f {
		p := n.layout()
		if i > 0 {
			out.width += between
		}
		if p.taps == nil { // else its line across is part of this one's
			tops[i] = 2
		}
		parts[i], xs[i] = p, out.width
		out.width += p.width
		bottom = max(bottom, tops[i]+p.height)
	}
	var outs []int
	for i, p := range parts {
		out.put(p, xs[i], tops[i])
		switch {
		case p.taps != nil:
			out.taps = append(out.taps, shifted(p.taps, xs[i])...)
		case p.open:
			in := xs[i] + p.in
			out.taps = append(out.taps, in)
			out.shapes = append(out.shapes, line(in, 0, in, tops[i], p.tip))
		}
		end := xs[i] + p.out
		outs = append(outs, end)
		out.shapes = append(out.shapes, line(end, tops[i]+p.height-1, end, bottom, false))
	}
	out.height, out.lead, out.open = bottom+1, 1, len(out.taps) > 0
	out.out = middle(outs)
	out.across(outs, bottom)
	if out.open {
		out.in = middle(out.taps)
		out.across(out.taps, 0)
	}
	if main := residual(parts); main >= 0 {
		out.in, out.out = xs[main]+parts[main].in, xs[main]+parts[main].out
	}
	return out
}

// residual returns the index of the part that the other one of two, a mere line, bypasses; -1 if
// there is no such pair. The main line then leads straight through that part.
func residual(parts []block) int {
	if len(parts) != 2 {
		return -1
	}
	for i, p := range parts {
		if p.open && !p.bare && parts[1-i].bare {
			return i
		}
	}
	return -1
}

// across adds a line in a row from the first to the last of rising columns.
func (to *block) across(columns []int, y int) {
	to.shapes = append(to.shapes, line(columns[0], y, columns[len(columns)-1], y, false))
}

func shifted(columns []int, by int) (out []int) {
	for _, c := range columns {
		out = append(out, c+by)
	}
	return out
}

// middle returns the median of rising columns.
func middle(columns []int) int {
	n := len(columns)
	return (columns[(n-1)/2] + columns[n/2]) / 2
}

// Vertex is a box of a graph that Layout turns into a drawing.
type Vertex struct {
	Box
	In    []Edge
	Group *Group
	Name  string // of the box, for references to it after it was drawn
}

// Edge is an arrow into a vertex. Label, if not "", names its value. The label is drawn in a separate
// box unless another box is on the way.
type Edge struct {
	From  *Vertex
	Label string
}

// Group is a frame around vertices. Only one arrow leads into it from above, and one out.
type Group struct {
	Title string
	In    *Group // the frame around it; nil for none
}

// Layout draws the part of an acyclic graph that leads to the last vertex, from the root down.
// Arrows that separate join again in a fork. A vertex without arrows into it is drawn, with the
// vertices that depend on it alone, next to the branch that it joins. A vertex that several
// branches lead to is drawn once, and named in the others.
func Layout(root, last *Vertex) Node {
	l := &layouter{root: root, above: map[*Vertex]*Vertex{}, tree: map[*Vertex]*Vertex{}, depth: map[*Vertex]int{}, drawn: map[*Vertex]bool{}}
	l.order(last)
	return append(Stack{root.Box}, l.down(last, root, nil)...)
}

type layouter struct {
	root  *Vertex
	tree  map[*Vertex]*Vertex // the vertex where all paths to a vertex begin: the root, or another one
	above map[*Vertex]*Vertex // the immediate dominator: the nearest vertex on all paths from there
	depth map[*Vertex]int     // number of dominators
	drawn map[*Vertex]bool
}

// order finds the dominators of each vertex (Cooper, Harvey and Kennedy 2001: in topological order
// one pass is enough).
func (l *layouter) order(v *Vertex) {
	if l.tree[v] != nil {
		return
	}
	l.tree[v] = v
	if v == l.root {
		return
	}
	tree := l.root
	for _, e := range v.In {
		l.order(e.From)
	}
	if !slices.ContainsFunc(v.In, func(e Edge) bool { return l.tree[e.From] == tree }) {
		for i, e := range v.In {
			if t := l.tree[e.From]; i == 0 {
				tree = t
			} else if t != tree {
				return // its paths begin at several vertices, not at the root
			}
		}
	}
	if above := l.common(v.In, tree); above != nil {
		l.tree[v], l.above[v], l.depth[v] = tree, above, l.depth[above]+1
	}
}

// common returns the nearest vertex on all paths through the arrows that begin at tree; nil for
// none.
func (l *layouter) common(in []Edge, tree *Vertex) (above *Vertex) {
	for _, e := range in {
		switch {
		case l.tree[e.From] != tree:
		case above == nil:
			above = e.From
		default:
			above = l.meet(above, e.From)
		}
	}
	return above
}

// meet returns the nearest common dominator of two vertices, which may be one of them.
func (l *layouter) meet(a, b *Vertex) *Vertex {
	for a != b {
		if l.depth[a] < l.depth[b] {
			a, b = b, a
		}
		a = l.above[a]
	}
	return a
}

// down draws the vertices between two vertices, and the lower one, inside a group.
func (l *layouter) down(v, from *Vertex, in *Group) Stack {
	if v == from {
		return nil
	}
	if l.drawn[v] {
		again := Val(v.Name + " again")
		if l.tree[v] != l.root {
			again.Kind = Learned
		}
		return Stack{again}
	}
	if g := outermost(v.Group, in); g != nil {
		entry := v
		for entry != nil && entry != from && outermost(entry.Group, in) == g {
			entry = l.above[entry]
		}
		var above Stack
		if entry != nil {
			above = l.down(entry, from, in)
		}
		return append(above, Frame{Title: g.Title, Body: l.down(v, entry, g)})
	}
	var above Stack
	switch ways := l.ways(v); {
	case len(ways) == 1 && v.In[0].Label == "":
		above = l.down(v.In[0].From, from, in)
	case len(ways) > 0:
		meet := l.common(ways, l.tree[v])
		if meet != nil {
			above = l.down(meet, from, in)
		}
		var fork Fork
		for _, e := range ways {
			top := meet
			if l.tree[e.From] != l.tree[v] {
				top = nil
			}
			part := l.down(e.From, top, in)
			if len(part) == 0 && e.Label != "" {
				part = Stack{Val(e.Label)}
			}
			fork = append(fork, part)
		}
		if len(fork) == 1 {
			above = append(above, fork[0])
		} else {
			above = append(above, fork)
		}
	}
	l.drawn[v] = true
	return append(above, v.Box)
}

// ways returns the distinct arrows into a vertex.
func (l *layouter) ways(v *Vertex) (out []Edge) {
	seen := map[Edge]bool{}
	for _, e := range v.In {
		if !seen[e] {
			seen[e] = true
			out = append(out, e)
		}
	}
	return out
}

// outermost returns the group around g that is directly inside another one; nil if g is that one.
func outermost(g, in *Group) *Group {
	for g != nil && g != in && g.In != in {
		g = g.In
	}
	if g == in {
		return nil
	}
	return g
}

// The size of a character cell in an SVG, in its units.
const (
	cellWidth  = 7.5
	cellHeight = 15
	fontSize   = 13
	margin     = 4
)

// Colours are the CSS variables of the report's figures, with their light values as fallbacks, so
// that they follow a page's dark theme.
const (
	fg    = "var(--fig-fg,#222222)"
	muted = "var(--fig-muted,#666666)"
	bg    = "var(--fig-bg,#ffffff)"
	blue  = "var(--fig-blue,#0072b2)"
	warm  = "var(--fig-vermillion,#d55e00)"
)

var variable = regexp.MustCompile(`var\(--[a-z-]+,(#[0-9a-f]{6})\)`)

// File returns an SVG in plain colours. Readers other than browsers do not know CSS variables.
func File(svg string) string { return variable.ReplaceAllString(svg, "$1") }

// SVG returns the drawing as an <svg> element for a page; see File. It needs no style sheet, script
// or style attribute. The title and the description are for screen readers.
func SVG(n Node, title, description string) string {
	b := n.layout()
	w, h := float64(b.width)*cellWidth+2*margin, float64(b.height)*cellHeight+2*margin
	var body strings.Builder
	for _, kind := range []shapeKind{frameShape, lineShape, boxShape} {
		for _, s := range b.shapes {
			if s.kind == kind {
				s.svg(&body)
			}
		}
	}
	// A page may make it narrower.
	return fmt.Sprintf(`<svg xmlns="http://www.w3.org/2000/svg" class="drawing" width="%g" viewBox="0 0 %g %g" role="img" font-family="system-ui,Arimo,Arial,Helvetica,sans-serif" font-size="%d">
<title>%s</title>
<desc>%s</desc>
%s</svg>
`, w, w, h, fontSize, html.EscapeString(title), html.EscapeString(description), body.String())
}

// at returns the middle of a cell.
func at(x, y int) (float64, float64) {
	return margin + (float64(x)+0.5)*cellWidth, margin + (float64(y)+0.5)*cellHeight
}

func (s shape) svg(out *strings.Builder) {
	x, y := at(s.x, s.y)
	x2, y2 := at(s.x2, s.y2)
	switch s.kind {
	case lineShape:
		if s.arrow {
			const tip = 7
			fmt.Fprintf(out, `<path d="M%g %gl-4 -%d h8z" fill="%s"/>`+"\n", x2, y2, tip, muted)
			y2 -= tip - 1
		}
		fmt.Fprintf(out, `<path d="M%g %gL%g %g" stroke="%s" stroke-linecap="square" shape-rendering="crispEdges"/>`+"\n", x, y, x2, y2, muted)
	case frameShape:
		fmt.Fprintf(out, `<rect x="%g" y="%g" width="%g" height="%g" rx="8" fill="none" stroke="%s" stroke-dasharray="5 4"/>`+"\n", x, y, x2-x, y2-y, muted)
		left, _ := at(s.titleX, s.y)
		wide := float64(s.titleW) * cellWidth * 0.92 // letters are narrower than cells
		fmt.Fprintf(out, `<rect x="%g" y="%g" width="%g" height="%d" fill="%s"/>`+"\n", left-cellWidth/2, y-cellHeight/2, wide, cellHeight, bg)
		fmt.Fprintf(out, `<text x="%g" y="%g" fill="%s">%s</text>`+"\n", left+cellWidth/4, y+fontSize*0.35, muted, html.EscapeString(s.text[0]))
	case boxShape:
		stroke, dash, round := blue, "", 3
		switch s.box {
		case Value:
			stroke, round = muted, 10
		case Learned:
			stroke, dash = warm, ` stroke-width="1.6"`
		}
		fmt.Fprintf(out, `<rect x="%g" y="%g" width="%g" height="%g" rx="%d" fill="%s" stroke="%s"%s/>`+"\n", x, y, x2-x, y2-y, round, bg, stroke, dash)
		for i, l := range s.text {
			_, line := at(s.x, s.y+1+i)
			fmt.Fprintf(out, `<text x="%g" y="%g" text-anchor="middle" fill="%s">%s</text>`+"\n", (x+x2)/2, line+fontSize*0.35, fg, html.EscapeString(l))
		}
	}
}

// width returns the number of columns of a text: one for each character, none for combining marks.
func width(text string) int {
	n := 0
	for _, r := range text {
		if !unicode.Is(unicode.Mn, r) {
			n++
		}
	}
	return n
}

// Text returns the drawing as lines of text, each with its end.
func Text(n Node) string {
	b := n.layout()
	c := make(canvas, b.height)
	for y := range c {
		c[y] = make([]cell, b.width)
	}
	for _, draw := range []struct {
		kind shapeKind
		one  func(shape)
	}{{frameShape, c.frame}, {boxShape, c.box}, {lineShape, c.line}} {
		for _, s := range b.shapes {
			if s.kind == draw.kind {
				draw.one(s)
			}
		}
	}
	return c.String()
}

// The sides of a cell that a line crosses.
const (
	north = 1 << iota
	east
	south
	west
)

// strokes are the box-drawing characters by the sides that they cross.
var strokes = [16]rune{
	0, '│', '─', '└', '│', '│', '┌', '├', '─', '┘', '─', '┴', '┐', '┤', '┬', '┼',
}

// cell is the content of one cell: text, strokes, or a dash of a frame.
type cell struct {
	text  string
	sides int
	dash  rune
}

type canvas [][]cell // rows

// write puts a text at a position; combining marks stay with their character.
func (c canvas) write(x, y int, text string) {
	x--
	for _, r := range text {
		if unicode.Is(unicode.Mn, r) {
			c[y][x].text += string(r)
			continue
		}
		x++
		c[y][x].text = string(r)
	}
}

// stroke draws between the middles of two cells, horizontally or vertically.
func (c canvas) stroke(x, y, x2, y2 int) {
	for ; x < x2; x++ {
		c[y][x].sides |= east
		c[y][x+1].sides |= west
	}
	for ; y < y2; y++ {
		c[y][x].sides |= south
		c[y+1][x].sides |= north
	}
}

func (c canvas) line(s shape) {
	if !s.arrow {
		c.stroke(s.x, s.y, s.x2, s.y2)
		return
	}
	tip := s.y2 - 1
	c.stroke(s.x, s.y, s.x2, tip)
	c[tip][s.x].text = "▼"
}

func (c canvas) box(s shape) {
	c.stroke(s.x, s.y, s.x2, s.y)
	c.stroke(s.x, s.y2, s.x2, s.y2)
	c.stroke(s.x, s.y, s.x, s.y2)
	c.stroke(s.x2, s.y, s.x2, s.y2)
	if s.box == Value {
		for _, corner := range []struct {
			x, y int
			text string
		}{{s.x, s.y, "╭"}, {s.x2, s.y, "╮"}, {s.x, s.y2, "╰"}, {s.x2, s.y2, "╯"}} {
			c[corner.y][corner.x].text = corner.text
		}
	}
	for i, l := range s.text {
		room := s.x2 - s.x - 1
		c.write(s.x+1+(room-width(l))/2, s.y+1+i, l)
	}
}

func (c canvas) frame(s shape) {
	for x := s.x + 1; x < s.x2; x++ {
		c[s.y][x].dash, c[s.y2][x].dash = '╌', '╌'
	}
	for y := s.y + 1; y < s.y2; y++ {
		c[y][s.x].dash, c[y][s.x2].dash = '╎', '╎'
	}
	c[s.y][s.x].dash, c[s.y][s.x2].dash = '┌', '┐'
	c[s.y2][s.x].dash, c[s.y2][s.x2].dash = '└', '┘'
	c.write(s.titleX, s.y, " "+s.text[0]+" ")
}

func (c canvas) String() string {
	var out strings.Builder
	for _, row := range c {
		var text strings.Builder
		for _, x := range row {
			switch {
			case x.text != "":
				text.WriteString(x.text)
			case x.sides != 0:
				text.WriteRune(strokes[x.sides])
			case x.dash != 0:
				text.WriteRune(x.dash)
			default:
				text.WriteByte(' ')
			}
		}
		out.WriteString(strings.TrimRight(text.String(), " ") + "\n")
	}
	return out.String()
}
