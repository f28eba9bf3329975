package main

import (
	"strings"
	"unicode"

	"imdbexp/internal/infer"
)

// span is a stretch of a text that is shown in a style of its own.
type span struct {
	from, to int     // text[from:to]
	ratio    float64 // how often more than an equal share of attention it gets
	unknown  bool    // without a vector
	left     bool    // the model does not see it
}

// spansOf returns the stretches of a text behind a view's words, in order and
// apart. Words made of the same letters, as those of "½" are, count as one.
func spansOf(v *infer.View) []span {
	var out []span
	add := func(s span) {
		if n := len(out); n > 0 && s.from < out[n-1].to {
			last := &out[n-1]
			last.to, last.ratio, last.unknown = max(last.to, s.to), last.ratio+s.ratio, last.unknown || s.unknown
			return
		}
		if s.to > s.from {
			out = append(out, s)
		}
	}
	left := v.Left
	for i, w := range v.Words {
		for ; len(left) > 0 && left[0].Start < w.Start; left = left[1:] {
			add(span{from: left[0].Start, to: left[0].End, left: true, unknown: left[0].Masked})
		}
		s := span{from: w.Start, to: w.End, unknown: !v.Known[i]}
		if v.Ratio != nil {
			s.ratio = v.Ratio[i]
		}
		add(s)
	}
	for _, w := range left {
		add(span{from: w.Start, to: w.End, left: true, unknown: w.Masked})
	}
	return out
}

// htmlBreak are the line breaks of IMDB's reviews, which count as blanks.
var htmlBreak = strings.NewReplacer("<br />", " ", "<br/>", " ", "<br>", " ")

// pieces returns the pieces of a text between blanks, each span as paint shows it.
func pieces(text string, spans []span, paint func(s span, shown string) string) []string {
	var out strings.Builder
	at := 0
	for _, s := range spans {
		out.WriteString(printable(text[at:s.from]) + paint(s, printable(text[s.from:s.to])))
		at = s.to
	}
	out.WriteString(printable(text[at:]))
	return strings.Fields(htmlBreak.Replace(out.String()))
}

// printable replaces what would control a terminal instead of being shown, and what
// would turn the order of the letters around it, so that a line would seem to hold
// other words than it does.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) && !unicode.IsSpace(r) || turns(r) {
			return unicode.ReplacementChar
		}
		return r
	}, text)
}

// turns reports whether r embeds, overrides or isolates a direction of writing. The
// marks that belong to words of scripts from right to left do not.
func turns(r rune) bool {
	return r >= '\u202a' && r <= '\u202e' || r >= '\u2066' && r <= '\u2069'
}
