package term

import (
	"strings"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
)

// Width returns the number of columns a text takes. Escape sequences take none.
func Width(text string) int { return twwidth.Width(text) }

// Wrap breaks a text at spaces into lines of at most width columns (0: one line), each with its
// indent. The last line has no line end. A longer word, such as a path, stays whole for copying.
func Wrap(text string, width int, first, rest string) string {
	return WrapWords(strings.Fields(text), width, first, rest)
}

// WrapWords does the same with words that may hold spaces or escape sequences.
func WrapWords(words []string, width int, first, rest string) string {
	var out strings.Builder
	out.WriteString(first)
	column, begun := Width(first), false
	for _, w := range words {
		n := Width(w)
		switch {
		case !begun:
		case width > 0 && column+1+n > width:
			out.WriteString("\n" + rest)
			column = Width(rest)
		default:
			out.WriteByte(' ')
			column++
		}
		out.WriteString(w)
		column += n
		begun = true
	}
	return out.String()
}

// Cut shortens a text to width columns, the last of them "…" (0: no limit).
func Cut(text string, width int) string {
	if width <= 0 || Width(text) <= width {
		return text
	}
	return twwidth.Truncate(text, width, "…")
}
