package modelview

import (
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/term"
)

// Shorten cuts a text for a message.
func Shorten(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}

// RightAligned pads a text with blanks on the left.
func RightAligned(text string, width int) string {
	return strings.Repeat(" ", max(0, width-term.Width(text))) + text
}

// Quoted lists words in quotes, each once.
func Quoted(words []string) string {
	var out []string
	for _, w := range words {
		if q := strconv.Quote(Shorten(w)); !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return strings.Join(out, ", ")
}
