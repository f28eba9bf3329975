package diagram_test

import (
	"testing"

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
