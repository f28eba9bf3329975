package attend

import (
	_ "embed"
	"fmt"
	"html/template"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/internal/term"
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
