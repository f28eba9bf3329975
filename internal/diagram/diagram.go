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
