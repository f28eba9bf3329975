package attend

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
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

// htmlPage is the content of the page: the same texts as each run sees them.
type htmlPage struct {
	Title string
	Scale []scaleMark
	Runs  []pageRun
}

type pageRun struct {
	Name, Weights         string
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

// writeTexts writes the texts as one self-contained page. Every text is escaped.
func writeTexts(io *term.IO, all []runView, o options) error {
	var page htmlPage
	for _, n := range infer.Doublings {
		page.Scale = append(page.Scale, scaleMark{n, decimal(infer.Strength(float64(n)))})
	}
	var names []string
	for _, l := range all {
		names = append(names, l.run.Label())
		page.Runs = append(page.Runs, runOnPage(l, o.top))
	}
	page.Title = strings.Join(names, " and ")
	return writePage(io, textsTemplate(), page, o.html)
}

// runOnPage returns the content of a page for a run, with tables of at most top rows.
func runOnPage(l runView, top int) pageRun {
	out := pageRun{Name: l.run.Label(), Weights: l.weights, Counts: l.m.Scorer() != nil}
	out.Shaded, out.Unknown, out.Left = marksOf(l.list)
	if d := directions(l.m.Classes, l.list); d != nil {
		out.Toward, out.Against = d[0], d[1]
	}
	for _, s := range l.list {
		t := pageText{Name: s.name(), Why: s.why, Verdict: verdict(l.m.Classes, s), Facts: slices.Concat(facts(l.m.Classes, s.view), s.found), Open: len(l.list) == 1}
		out.Signed = out.Signed || s.view.Signed
		t.Pieces = pagePieces(l.m.Classes, s)
		t.Table = newWordTable(l.m.Classes, s.view, top)
		out.Texts = append(out.Texts, t)
	}
	return out
}

// writePage executes a template and writes the page into a file, or to standard output (-).
func writePage(o *term.IO, t *template.Template, page any, path string) error {
	var out strings.Builder
	if err := t.Execute(&out, page); err != nil {
		return err
	}
	err := cli.WriteTo(o, path, func(w io.Writer) error {
		_, err := io.WriteString(w, term.Page(out.String()))
		return err
	})
	if err == nil && path != "-" {
		o.Printf("wrote %s\n", path)
	}
	return err
}

func decimal(x float64) string { return strconv.FormatFloat(x, 'f', 3, 64) }

var htmlBreaks = regexp.MustCompile(`(?:<br ?/?>\s*)+`)

// pagePieces cuts a text at its spans and at the line breaks outside them.
func pagePieces(classes []string, s subject) []pagePiece {
	var out []pagePiece
	plain := func(text string) {
		at := 0
		for _, b := range htmlBreaks.FindAllStringIndex(text, -1) {
			out = append(out, pagePiece{Text: text[at:b[0]]}, pagePiece{Break: true})
			at = b[1]
		}
		out = append(out, pagePiece{Text: text[at:]})
	}
	at := 0
	for _, p := range modelview.Spans(s.view) {
		plain(s.Text[at:p.From])
		at = p.To
		piece := pagePiece{Text: s.Text[p.From:p.To]}
		if strength := infer.Strength(math.Abs(p.Ratio)); strength >= 0.0005 {
			piece.Strength, piece.Against = decimal(strength), p.Ratio < 0
		}
		switch {
		case p.Left && p.Unknown:
			piece.Class, piece.Title = "left unknown", "left out: no vector"
		case p.Left:
			piece.Class, piece.Title = "left", "left out"
		case p.Unknown:
			piece.Class, piece.Title = "unknown", "no vector; "
			if s.view.Counts {
				piece.Title = "not in train; "
			}
		}
		if !p.Left && s.view.Explained != nil {
			above, below := toward(classes, s.view.Explained)
			if p.Ratio < 0 {
				above = below
			}
			piece.Title += fmt.Sprintf("%.1f × equal share %s", math.Abs(p.Ratio), above)
		}
		if !p.Left && s.view.Attended != nil {
			piece.Title += fmt.Sprintf("%.1f × equal share", math.Abs(p.Ratio))
			if s.view.Signed && p.Ratio != 0 {
				piece.Title += ", " + speaks(classes, s.view.Class, p.Ratio)
			}
		}
		out = append(out, piece)
	}
	plain(s.Text[at:])
	return out
}
