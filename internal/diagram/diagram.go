// Package diagram draws boxes and arrows, from top to bottom: as text in box-
// drawing characters, or as SVG. A drawing is made of boxes that stand one after
// another (Stack), side by side (Fork) or in a frame (Frame); where lines go
// follows from that. Both renderings share one layout in character cells.
package diagram

// Node is a part of a drawing: a Box, Stack, Fork or Frame.
type Node interface {
	layout() block
}

// Kind says what a box stands for.
type Kind int

// The kinds of boxes.
const (
	Operation Kind = iota // something computed
	Value                 // what goes in, is named on the way, or comes out
	Learned               // a weight that is there by itself: nothing goes in
)

// Box is a box of some lines of text, which are one column wide for each
// character.
type Box struct {
	Kind  Kind
	Lines []string
}

// Op returns a box for something computed.
func Op(lines ...string) Box { return Box{Operation, lines} }

// Val returns a box for a value.
func Val(lines ...string) Box { return Box{Value, lines} }

// Weight returns a box for a learned value, which nothing goes into.
func Weight(lines ...string) Box { return Box{Learned, lines} }

// Stack is what happens one after another. An empty stack hands on what it gets.
type Stack []Node

// Fork is what happens side by side to what comes from above; the results come
// together below. A part that begins with a learned value takes nothing.
type Fork []Node

// Widest is how many columns a drawing takes if its parts can be placed so: 60, behind an
// indent of two.
const Widest = 58

// Width returns how many columns a drawing takes.
func Width(n Node) int { return n.layout().width }

// Frame is a part that is done several times, or by several at once, as its title
// says.
type Frame struct {
	Title string
	Body  Node
}
