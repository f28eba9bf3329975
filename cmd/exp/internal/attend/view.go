package attend

import (
	"fmt"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/internal/term"
)

// printText shows one text: the prediction, the words shaded, and the largest weights.
func printText(io *term.IO, m *infer.Model, s subject, top int) {
	v := s.view
	head := io.Paint(term.Bold, s.name())
	if s.why != "" {
		head += " (" + s.why + ")"
	}
	io.Say(head+": "+verdict(m.Classes, s), "", "  ")
	for _, line := range slices.Concat(facts(m.Classes, v), s.found) {
		io.Say(line, "", "  ")
	}
	if v.Wordless() {
		return
	}
	io.Printf("\n%s\n", term.WrapWords(shaded(io, s), io.TextWidth(), "  ", "  "))
	t := newWordTable(m.Classes, v, top, io.Underline)
	if t == nil {
		return
	}
	io.Printf("\n")
	t.Text(io, "  ")
}

// shaded returns the pieces of a text between blanks, its words shaded.
func shaded(io *term.IO, s subject) []string {
	return modelview.Pieces(s.Text, modelview.Spans(s.view), func(p modelview.Span, shown string) string {
		if p.Left {
			shown = io.Paint(term.Dim, shown)
		} else {
			shown = shade(io, p.Ratio, shown)
		}
		if p.Unknown {
			shown = io.Underline(shown)
		}
		return shown
	})
}

// shade shades a text by its ratio. A negative ratio speaks against the predicted class.
func shade(io *term.IO, ratio float64, text string) string {
	if ratio < 0 {
		return io.ShadeAgainst(infer.Strength(-ratio), text)
	}
	return io.Shade(infer.Strength(ratio), text)
}

// marksOf reports which marks the texts have: shades, words without a vector, omitted
// words.
func marksOf(list []subject) (shaded, unknown, left bool) {
	for _, s := range list {
		if s.view.Wordless() {
			continue
		}
		shaded = shaded || s.view.Attended != nil || s.view.Explained != nil
		unknown = unknown || slices.Contains(s.view.Known, false) || masked(s.view) > 0
		left = left || len(s.view.Left) > 0
	}
	return shaded, unknown, left
}

// legend explains the marks that the texts have.
func legend(io *term.IO, classes []string, list []subject) {
	shaded, unknown, left := marksOf(list)
	var text []string
	if shaded {
		scale := "× equal share:"
		for _, n := range infer.Doublings {
			scale += " " + io.Shade(infer.Strength(float64(n)), fmt.Sprintf(" %d ", n))
		}
		if io.Depth() == term.Mono {
			scale = "× equal share: [2 or more] [[8 or more]] [[[32 or more]]]"
		}
		if toward := directions(classes, list); toward != nil {
			scale += " " + toward[0] + ", " + io.ShadeAgainst(1, toward[1])
		}
		text = append(text, scale)
	}
	if slices.ContainsFunc(list, func(s subject) bool { return s.view.Signed }) {
		text = append(text, "for the predicted class; "+io.ShadeAgainst(1, "against it"))
	}
	if unknown && list[0].view.Counts {
		text = append(text, io.Underline("not in train"))
	} else if unknown {
		text = append(text, io.Underline("no vector"))
	}
	if left && io.Color() {
		text = append(text, io.Paint(term.Dim, "left out"))
	}
	if len(text) > 0 {
		io.Printf("\n%s\n", term.WrapWords(text, io.Width(), "  ", "  "))
	}
}
