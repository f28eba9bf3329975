package attend

import (
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

//go:embed texts.html
var textsHTML string

var textsTemplate = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("attend").Parse(textsHTML))
})

// htmlPage is the content of the page.
type htmlPage struct {
	Name, Weights         string
	Scale                 []scaleMark
	Shaded, Unknown, Left bool   // which marks occur
	Counts                bool   // the model counts n-grams
	Signed                bool   // words speak for or against the predicted class
	Toward, Against       string // meaning of the two colours for a model that counts n-grams
	Texts                 []pageText
}

type scaleMark struct {
	Ratio    int
	Strength string // from 0 to 1, for CSS
}

type pageText struct {
	Name, Why, Verdict string
	Facts              []string
	Pieces             []pagePiece
	Table              *wordTable
	Open               bool
}

// pagePiece is a stretch of the text, or a line break.
type pagePiece struct {
	Text, Strength, Class, Title string
	Break, Against               bool
}

// page writes the texts as one self-contained page, with tables of at most o.top rows. Every text is
// escaped.
func (s *shown) page(io *term.IO, o options) error {
	page := htmlPage{Name: s.run.Label(), Weights: s.weights, Counts: s.m.Scorer() != nil}
	for _, n := range infer.Doublings {
		page.Scale = append(page.Scale, scaleMark{n, decimal(infer.Strength(float64(n)))})
	}
	page.Shaded, page.Unknown, page.Left = marksOf(s.list)
	if d := directions(s.m.Classes, s.list); d != nil {
		page.Toward, page.Against = d[0], d[1]
	}
	for _, x := range s.list {
		page.Signed = page.Signed || x.view.Signed
		page.Texts = append(page.Texts, pageText{
			Name: x.name(), Why: x.why, Verdict: verdict(s.m.Classes, x), Facts: slices.Concat(facts(s.m.Classes, x.view), x.found), Open: len(s.list) == 1,
			Pieces: pagePieces(s.m.Classes, x), Table: newWordTable(s.m.Classes, x.view, o.top, func(word string) string { return word }),
		})
	}
	var out strings.Builder
	if err := textsTemplate().Execute(&out, page); err != nil {
		return err
	}
	err := cli.WriteTo(io, o.html, cli.BytesTo([]byte(term.Page(out.String()))))
	if err == nil && o.html != "-" {
		io.Printf("wrote %s\n", o.html)
	}
	return err
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

var htmlBreaks = regexp.MustCompile(`(?:<br ?/?>\s*)+`)

// pagePieces cuts a text at its spans and at the line breaks outside them.
func pagePieces(classes []string, s subject) []pagePiece {
	var out []pagePiece
	for p, text := range modelview.Stretches(s.Text, modelview.Spans(s.view)) {
		if p.To == 0 {
			for i, line := range htmlBreaks.Split(text, -1) {
				if i > 0 {
					out = append(out, pagePiece{Break: true})
				}
				out = append(out, pagePiece{Text: line})
			}
			continue
		}
		piece := pagePiece{Text: text}
		if strength := infer.Strength(math.Abs(p.Ratio)); strength >= 0.0005 {
			piece.Strength, piece.Against = decimal(strength), p.Ratio < 0
		}
		switch {
		case p.Left && p.Unknown:
			piece.Class, piece.Title = "left unknown", "left out: no vector"
		case p.Left:
			piece.Class, piece.Title = "left", "left out"
		case p.Unknown && s.view.Counts:
			piece.Class, piece.Title = "unknown", "not in train; "
		case p.Unknown:
			piece.Class, piece.Title = "unknown", "no vector; "
		}
		if share := fmt.Sprintf("%.1f × equal share", math.Abs(p.Ratio)); !p.Left && s.view.Explained != nil {
			above, below := toward(classes, s.view.Explained)
			if p.Ratio < 0 {
				above = below
			}
			piece.Title += share + " " + above
		} else if !p.Left && s.view.Attended != nil {
			piece.Title += share
			if s.view.Signed && p.Ratio != 0 {
				piece.Title += ", " + speaks(classes, s.view.Class, p.Ratio)
			}
		}
		out = append(out, piece)
	}
	return out
}

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
		return fmt.Errorf("%w: use --html", err)
	}
	return a.WritePicture(f, f.Size, o.out, shownAsBoxes(s.Text))
}

// shownAsBoxes returns a note on characters that a PNG cannot show, or "".
func shownAsBoxes(text string) string {
	if !canvas.Lacks(strings.Join(strings.Fields(text), "")) {
		return ""
	}
	return "the font of the PNG lacks some characters of the text and shows boxes; an SVG shows them in the reader's fonts"
}
