// Package diagram draws boxes and arrows from top to bottom, as text in box-drawing characters or
// as SVG. A drawing consists of boxes below each other (Stack), next to each other (Fork) or in a
// frame (Frame), which determines the lines. Both renderings share one layout in character cells.
package diagram

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
