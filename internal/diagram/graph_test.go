package diagram_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/diagram"
)

// vertex makes one whose arrows have no label.
func vertex(b diagram.Box, in ...*diagram.Vertex) *diagram.Vertex {
	v := &diagram.Vertex{Box: b, Name: b.Lines[0]}
	for _, x := range in {
		v.In = append(v.In, diagram.Edge{From: x})
	}
	return v
}

// Arrows that part come together in a fork, what nothing leads to stands beside what it
// meets, a frame takes in what lies between its entry and its last vertex, and what is
// drawn already is named.
func TestLayout(t *testing.T) {
	words := vertex(diagram.Val("words"))
	loop := &diagram.Group{Title: "2 times"}
	norm := vertex(diagram.Op("norm"), words)
	sum := vertex(diagram.Op("add"), norm, words)
	norm.Group, sum.Group = loop, loop
	query := vertex(diagram.Op("query"), sum)
	weights := &diagram.Vertex{Box: diagram.Op("softmax"), In: []diagram.Edge{{From: query}, {From: sum, Label: "keys"}}}
	out := vertex(diagram.Op("join"), weights, vertex(diagram.Weight("learned")), query)
	require.Equal(t, diagram.Stack{
		diagram.Val("words"),
		diagram.Frame{Title: "2 times", Body: diagram.Stack{diagram.Fork{diagram.Stack{diagram.Op("norm")}, diagram.Stack(nil)}, diagram.Op("add")}},
		diagram.Fork{
			diagram.Stack{diagram.Fork{diagram.Stack{diagram.Op("query")}, diagram.Stack{diagram.Val("keys")}}, diagram.Op("softmax")},
			diagram.Stack{diagram.Weight("learned")},
			diagram.Stack{diagram.Val("query again")},
		},
		diagram.Op("join"),
	}, diagram.Layout(words, out))
	require.Equal(t, 5, diagram.Width(diagram.Op("x")))
}

// What the root does not lead to has forks of its own, beside what it meets, and stays out
// of frames that it only leads into.
func TestLayoutBeside(t *testing.T) {
	words, other := vertex(diagram.Val("words")), vertex(diagram.Weight("other"))
	loop := &diagram.Group{Title: "2 times"}
	norm := vertex(diagram.Op("norm"), other)
	sum := vertex(diagram.Op("add"), norm, other)
	meet := vertex(diagram.Op("meet"), sum, words)
	norm.Group, sum.Group, meet.Group = loop, loop, loop
	out := vertex(diagram.Op("join"), meet, sum)
	require.Equal(t, diagram.Stack{
		diagram.Val("words"),
		diagram.Frame{Title: "2 times", Body: diagram.Stack{
			diagram.Fork{
				diagram.Stack{diagram.Weight("other"), diagram.Fork{diagram.Stack{diagram.Op("norm")}, diagram.Stack(nil)}, diagram.Op("add")},
				diagram.Stack(nil),
			},
			diagram.Op("meet"),
		}},
		diagram.Fork{diagram.Stack(nil), diagram.Stack{diagram.Weight("add again")}},
		diagram.Op("join"),
	}, diagram.Layout(words, out))
}

// Parts that would stand too far to the side are reached by a bend.
func TestStackBends(t *testing.T) {
	side := diagram.Fork{diagram.Weight(strings.Repeat("b", 40)), diagram.Val("c")} // its line in is far to the right
	s := diagram.Stack{diagram.Op(strings.Repeat("a", 50)), side}
	require.LessOrEqual(t, diagram.Width(s), diagram.Widest)
	text := diagram.Text(s)
	require.Contains(t, text, "└")
	for line := range strings.Lines(text) {
		require.LessOrEqual(t, utf8.RuneCountInString(strings.TrimSuffix(line, "\n")), diagram.Widest)
	}
}
