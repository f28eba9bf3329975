package render

import (
	"strings"

	"imdbexp/internal/term"
)

// Paint sets terminal attributes, or none at all.
type Paint bool

// The attributes in use. Colour says nothing that the text does not.
const (
	Bold = term.Bold
	Dim  = term.Dim
)

// Set sets a text in an attribute.
func (p Paint) Set(attribute term.Style, text string) string {
	if !p {
		return text
	}
	return attribute.On(text)
}

// Lines paints each line by itself, so that a pager may cut between them.
func (p Paint) Lines(attribute term.Style, text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(p.Set(attribute, strings.TrimSuffix(line, "\n")) + "\n")
	}
	return out.String()
}
