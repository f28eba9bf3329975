// Package texts shows texts of unknown origin: which of a run's texts is worth
// showing, cut, marked, and without what would control a terminal.
package texts

import (
	"strings"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/term"
)

// Span is a stretch of a text that is shown in a style of its own.
type Span struct {
	From, To int     // text[from:to]
	Ratio    float64 // how often more than an equal share of attention it gets
	Unknown  bool    // without a vector
	Left     bool    // the model does not see it
}

// Spans returns the stretches of a text behind a view's words, in order and
// apart. Words made of the same letters, as those of "½" are, count as one.
func Spans(v *infer.View) []Span {
	var out []Span
	add := func(s Span) {
		if n := len(out); n > 0 && s.From < out[n-1].To {
			last := &out[n-1]
			last.To, last.Ratio, last.Unknown = max(last.To, s.To), last.Ratio+s.Ratio, last.Unknown || s.Unknown
			return
		}
		if s.To > s.From {
			out = append(out, s)
		}
	}
	left := v.Left
	for i, w := range v.Words {
		for ; len(left) > 0 && left[0].Start < w.Start; left = left[1:] {
			add(Span{From: left[0].Start, To: left[0].End, Left: true, Unknown: left[0].Masked})
		}
		s := Span{From: w.Start, To: w.End, Unknown: !v.Known[i]}
		if v.Ratio != nil {
			s.Ratio = v.Ratio[i]
		}
		add(s)
	}
	for _, w := range left {
		add(Span{From: w.Start, To: w.End, Left: true, Unknown: w.Masked})
	}
	return out
}

// htmlBreak are the line breaks of IMDB's reviews, which count as blanks.
var htmlBreak = strings.NewReplacer("<br />", " ", "<br/>", " ", "<br>", " ")

// Pieces returns the pieces of a text between blanks, each span as paint shows it.
func Pieces(text string, spans []Span, paint func(s Span, shown string) string) []string {
	var out strings.Builder
	at := 0
	for _, s := range spans {
		out.WriteString(Printable(text[at:s.From]) + paint(s, Printable(text[s.From:s.To])))
		at = s.To
	}
	out.WriteString(Printable(text[at:]))
	return strings.Fields(htmlBreak.Replace(out.String()))
}

// Printable writes out what would control a terminal instead of being shown, so that it
// counts in widths as it is seen.
func Printable(text string) string { return term.Visible(text) }
