package report

import "strings"

// paint sets terminal attributes, or none at all.
type paint bool

// Attributes by their SGR number. Colour says nothing that the text does not.
const (
	bold = "1"
	dim  = "2"
)

func (p paint) paint(attribute, text string) string {
	if !bool(p) || text == "" {
		return text
	}
	return "\x1b[" + attribute + "m" + text + "\x1b[0m"
}

// lines paints each line by itself, so that a pager may cut between them.
func (p paint) lines(attribute, text string) string {
	var out strings.Builder
	for line := range strings.Lines(text) {
		out.WriteString(p.paint(attribute, strings.TrimSuffix(line, "\n")) + "\n")
	}
	return out.String()
}
