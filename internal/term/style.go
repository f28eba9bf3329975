package term

import "strings"

// Style is a set of terminal attributes, by SGR numbers.
type Style string

// The styles in use. The text must be understandable without them.
const (
	Bold   Style = "1"
	Dim    Style = "2"
	Marked Style = "1;30;43" // attended words
)

// Paint returns the text in a style if the output takes colour.
func (t *IO) Paint(s Style, text string) string {
	if !t.color {
		return text
	}
	return s.On(text)
}

// Lines paints each line of a text separately, because a pager may cut between lines.
func Lines(color bool, s Style, text string) string {
	if !color {
		return text
	}
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = s.On(line)
	}
	return strings.Join(lines, "\n")
}
