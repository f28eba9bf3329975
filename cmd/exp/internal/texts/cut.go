package texts

import (
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/term"
)

// Shorten cuts a text that is shown in a message.
func Shorten(text string) string {
	if r := []rune(text); len(r) > 60 {
		return string(r[:60]) + "…"
	}
	return text
}

// RightAligned fills a text with blanks from the left.
func RightAligned(text string, width int) string {
	return strings.Repeat(" ", max(0, width-term.Width(text))) + text
}

// Quoted lists words, of which a comma may be one, each once.
func Quoted(words []string) string {
	var out []string
	for _, w := range words {
		if q := strconv.Quote(Shorten(w)); !slices.Contains(out, q) {
			out = append(out, q)
		}
	}
	return strings.Join(out, ", ")
}
