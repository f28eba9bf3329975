package main

import (
	"fmt"
	"slices"
	"strconv"

	"imdbexp/internal/infer"
	"imdbexp/internal/term"
)

// attended shows one text: what the model says, the words shaded, the largest
// weights.
func (a *app) attended(m *infer.Model, s subject, top int) error {
	v := s.view
	head := a.io.Paint(term.Bold, s.name())
	if s.why != "" {
		head += " (" + s.why + ")"
	}
	a.printf("%s\n", a.wrap(head+": "+verdict(m.Classes, s), "", "  "))
	for _, line := range facts(v) {
		a.printf("%s\n", a.wrap(line, "", "  "))
	}
	if v.Wordless() {
		return nil
	}
	a.printf("\n%s\n", term.WrapWords(a.shaded(s), a.textWidth(), "  ", "  "))
	if v.Attended == nil || top == 0 {
		return nil
	}
	a.printf("\n")
	return a.largest(v, top)
}

// shaded returns the pieces of a text between blanks, its words shaded.
func (a *app) shaded(s subject) []string {
	return pieces(s.Text, spansOf(s.view), func(p span, shown string) string {
		if p.left {
			shown = a.io.Paint(term.Dim, shown)
		} else {
			shown = a.io.Shade(infer.Strength(p.ratio), shown)
		}
		if p.unknown {
			shown = a.io.Underline(shown)
		}
		return shown
	})
}

// largest prints the words with the largest weights, and for a run with
// slip.rank_words what the original took for them.
func (a *app) largest(v *infer.View, n int) error {
	columns := []term.Column{{Head: "", Right: true}, {Head: "word"}, {Head: "weight", Right: true},
		{Head: "× equal", Right: true, Optional: 2}, {Head: "place", Right: true, Optional: 3}}
	slipped := v.Slipped(n)
	if slipped != nil {
		columns = append(columns, term.Column{Head: "slip.rank_words shows"}, term.Column{Head: "weight", Right: true, Optional: 1})
	}
	t := term.NewTable(columns...)
	for rank, i := range v.Top(n) {
		row := []string{strconv.Itoa(rank + 1), a.word(v, i), shareOf(v.Weights[i]), fmt.Sprintf("%.1f", v.Ratio[i]), strconv.Itoa(i + 1)}
		if slipped != nil {
			row = append(row, a.word(v, slipped[rank]), shareOf(v.Weights[slipped[rank]]))
		}
		t.Add(row...)
	}
	return t.Text(a.io, "  ")
}

// word returns a word of a view, marked where it has no vector.
func (a *app) word(v *infer.View, i int) string {
	w := printable(v.Words[i].Word)
	if !v.Known[i] {
		return a.io.Underline(w)
	}
	return w
}

// marksOf reports which marks the texts have: shades, words without a vector,
// words left out.
func marksOf(list []subject) (shaded, unknown, left bool) {
	for _, s := range list {
		if s.view.Wordless() {
			continue
		}
		shaded = shaded || s.view.Attended != nil
		unknown = unknown || slices.Contains(s.view.Known, false) || masked(s.view) > 0
		left = left || len(s.view.Left) > 0
	}
	return shaded, unknown, left
}

// legend explains the marks that the texts have.
func (a *app) legend(list []subject) {
	shaded, unknown, left := marksOf(list)
	var text []string
	switch {
	case shaded && a.io.Depth() == term.Mono:
		text = append(text, "× equal share: [2 or more] [[8 or more]] [[[32 or more]]]")
	case shaded:
		scale := "× equal share:"
		for n := 2; n <= 32; n *= 2 {
			scale += " " + a.io.Shade(infer.Strength(float64(n)), fmt.Sprintf(" %d ", n))
		}
		text = append(text, scale)
	}
	if unknown {
		text = append(text, a.io.Underline("no vector"))
	}
	if left && a.io.Color() {
		text = append(text, a.io.Paint(term.Dim, "left out"))
	}
	if len(text) > 0 {
		a.printf("\n%s\n", term.WrapWords(text, a.io.Width(), "  ", "  "))
	}
}
