package render

import "strings"

// Paint sets terminal attributes, or none at all.
type Paint bool

// Attributes by their SGR number. Colour says nothing that the text does not.
const (
	Bold = "1"
	Dim  = "2"
)

// Set sets a text in an attribute.
func (p Paint) Set(attribute, text string) string {
	if !bool(p) || text == "" {
		return text
	}
	return "\x1b[" + attribute + "m" + text + "\x1b[0m"
}

// Lines paints each line by itself, so that a pager may cut between them.
func (p Paint) Lines(attribute, text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(p.Set(attribute, strings.TrimSuffix(line, "\n")) + "\n")
	}
	return out.String()
}
