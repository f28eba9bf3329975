package models_test

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/diagram"
	"imdbexp/internal/term"
)

// example has each kind of part: a fork within a fork, a learned value, a frame, a
// residual.
var example = diagram.Stack{
	diagram.Val("words"),
	diagram.Frame{Title: "2 layers", Body: diagram.Stack{
		diagram.Fork{
			diagram.Stack{
				diagram.Fork{
					diagram.Stack{diagram.Fork{diagram.Weight("learned q"), diagram.Op("keys")}, diagram.Op("softmax", "of q·k")},
					diagram.Op("values"),
				},
				diagram.Op("Σ α v"),
			},
			diagram.Stack{},
		},
		diagram.Op("add"),
	}},
	diagram.Val("t̂"),
}

func TestText(t *testing.T) {
	require.Equal(t, `
                      ╭───────╮
                      │ words │
                      ╰───┬───╯
                          │
┌╌ 2 layers ╌╌╌╌╌╌╌╌╌╌╌╌╌╌│╌╌╌╌╌╌╌╌╌╌╌╌╌╌┐
╎                    ┌────┴─────┬──────┐ ╎
╎                    ▼          ▼      │ ╎
╎ ┌───────────┐  ┌──────┐  ┌────────┐  │ ╎
╎ │ learned q │  │ keys │  │ values │  │ ╎
╎ └─────┬─────┘  └───┬──┘  └────┬───┘  │ ╎
╎       └─────┬──────┘          │      │ ╎
╎             ▼                 │      │ ╎
╎        ┌─────────┐            │      │ ╎
╎        │ softmax │            │      │ ╎
╎        │ of q·k  │            │      │ ╎
╎        └────┬────┘            │      │ ╎
╎             └────────┬────────┘      │ ╎
╎                      ▼               │ ╎
╎                  ┌───────┐           │ ╎
╎                  │ Σ α v │           │ ╎
╎                  └───┬───┘           │ ╎
╎                      ├───────────────┘ ╎
╎                      ▼                 ╎
╎                   ┌─────┐              ╎
╎                   │ add │              ╎
╎                   └──┬──┘              ╎
└╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌│╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌┘
                       ▼
                     ╭───╮
                     │ t̂ │
                     ╰───╯
`, "\n"+diagram.Text(example))
}

// node returns a random part and the words in it.
func node(t *rapid.T, depth int) (diagram.Node, []string) {
	word := func() string { return rapid.StringMatching(`[a-zαΣ√ᵢ·]{1,12}`).Draw(t, "word") }
	parts := func() (out []diagram.Node, words []string) {
		for range rapid.IntRange(0, 3).Draw(t, "parts") {
			n, w := node(t, depth-1)
			out, words = append(out, n), append(words, w...)
		}
		return out, words
	}
	kind := 0
	if depth > 0 {
		kind = rapid.IntRange(0, 3).Draw(t, "kind")
	}
	switch kind {
	case 1:
		p, w := parts()
		return diagram.Stack(p), w
	case 2:
		p, w := parts()
		return diagram.Fork(p), w
	case 3:
		n, w := node(t, depth-1)
		title := word()
		return diagram.Frame{Title: title, Body: n}, append(w, title)
	}
	w := word()
	return diagram.Box{Kind: diagram.Kind(rapid.IntRange(0, 2).Draw(t, "box")), Lines: []string{w}}, []string{w}
}

func TestSVG(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n, words := node(t, 3)
		svg := diagram.SVG(n, "<title> & more", `"of" it`)
		texts := texts(t, svg)
		require.Contains(t, texts, "<title> & more")
		require.Contains(t, texts, `"of" it`)
		for _, w := range words {
			require.Contains(t, texts, w)
		}
		for _, not := range []string{"style=", "<script", "http://www.w3.org/1999", "NaN"} {
			require.NotContains(t, svg, not)
		}
	})
}

// texts returns the text between the tags of an SVG, which must be well-formed.
func texts(t require.TestingT, svg string) (out []string) {
	d := xml.NewDecoder(strings.NewReader(svg))
	for {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			return out
		}
		require.NoError(t, err)
		if c, ok := token.(xml.CharData); ok && strings.TrimSpace(string(c)) != "" {
			out = append(out, string(c))
		}
	}
}

// A mark above a letter takes no column.
func TestWidth(t *testing.T) {
	for line := range strings.Lines(diagram.Text(diagram.Op("t̂ = x̃", "123456"))) {
		require.Equal(t, 10, term.Width(strings.TrimSuffix(line, "\n")), line)
	}
}

// vertex returns a vertex whose arrows have no label.
func vertex(b diagram.Box, in ...*diagram.Vertex) *diagram.Vertex {
	v := &diagram.Vertex{Box: b, Name: b.Lines[0]}
	for _, x := range in {
		v.In = append(v.In, diagram.Edge{From: x})
	}
	return v
}

// Arrows that separate join again in a fork. A vertex without arrows into it stands next to the
// branch that it joins. A frame contains everything between its entry and its last vertex. A vertex
// that is drawn already is named.
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
