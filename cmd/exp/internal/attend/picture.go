package attend

import (
	"errors"
	"math"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

// picture writes a shaded text as a picture, for a paper or slides.
func (l *shown) picture(a *cli.App, o options) error {
	if len(l.list) != 1 {
		return cli.Usage(errors.New("--out draws one text"))
	}
	s := l.list[0]
	var pieces [][]chart.Part
	piece := func(text string, shade float64, faint bool) { // a blank ends a piece
		for i, part := range strings.FieldsFunc(modelview.Unbroken(term.Visible(text)), func(r rune) bool { return r == ' ' }) {
			if i > 0 || strings.HasPrefix(text, " ") || len(pieces) == 0 {
				pieces = append(pieces, nil)
			}
			last := len(pieces) - 1
			pieces[last] = append(pieces[last], chart.Part{Text: part, Shade: shade, Faint: faint})
		}
		if strings.HasSuffix(text, " ") {
			pieces = append(pieces, nil)
		}
	}
	for span, text := range modelview.Stretches(s.Text, modelview.Spans(s.view)) {
		shade := infer.Strength(math.Abs(span.Ratio))
		if span.Ratio < 0 {
			shade = -shade
		}
		piece(text, shade, span.Left || span.To == 0)
	}
	key := "the darker a word, the more attention it has: from one equal share to 32"
	if toward := directions(l.m.Classes, l.list); toward != nil {
		key = "orange " + toward[0] + ", blue " + toward[1] + "; the darker, the more: from one equal share to 32"
	} else if s.view.Signed {
		key = "orange speaks for the predicted class, blue against it; the darker, the more: from one equal share to 32"
	}
	if strings.TrimSpace(s.Text) == "" {
		pieces = [][]chart.Part{{{Text: "(no words)", Faint: true}}}
	}
	f, err := chart.Shaded("attention-"+l.run.Label(), s.name()+": "+verdict(l.m.Classes, s), l.run.Label()+" · "+l.weights+" · "+key, pieces)
	if err != nil {
		return err
	}
	return a.WritePicture(f, o.out, shownAsBoxes(s.Text))
}

// shownAsBoxes returns a note on characters that a PNG cannot show, or "".
func shownAsBoxes(text string) string {
	if !canvas.Lacks(strings.Join(strings.Fields(text), "")) {
		return ""
	}
	return "the font of the PNG lacks some characters of the text and shows boxes; an SVG shows them in the reader's fonts"
}
