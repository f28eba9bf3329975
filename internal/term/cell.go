package term

import (
	"strconv"
	"strings"
)

// Content is the kind of entries that some formats treat specially.
type Content int

const (
	IDs       Content = iota + 1 // the short IDs of the runs behind a row
	Citations                    // how to cite them
)

// Cell is one entry of a table.
type Cell struct {
	Text  string
	More  string // follows Text, or is below it in a narrow terminal
	Marks []int  // numbers of footnotes
	Faint bool
}

// String joins the parts of a cell on one line.
func (c Cell) String() string { return c.lines(c.Text, false) }

// lines joins the parts of a cell; stacked sets More below the text.
func (c Cell) lines(text string, stacked bool) string {
	text += Superscript(c.Marks)
	switch {
	case c.More == "":
		return text
	case stacked:
		return text + "\n" + strings.NewReplacer(" @", "\n@", " ±", "\n±").Replace(c.More)
	}
	return text + " " + c.More
}

// Superscript writes the numbers of footnotes: 1, 12 → "¹,¹²".
func Superscript(numbers []int) string {
	digits := []rune("⁰¹²³⁴⁵⁶⁷⁸⁹")
	var out strings.Builder
	for i, n := range numbers {
		if i > 0 {
			out.WriteByte(',')
		}
		for _, d := range strconv.Itoa(n) {
			out.WriteRune(digits[d-'0'])
		}
	}
	return out.String()
}

// wrapCell breaks a text into lines. Further lines of any but the last column are indented.
func wrapCell(text string, room int, last bool) string {
	if last {
		return Wrap(text, max(room, minLast), "", "")
	}
	return Wrap(text, max(room, minFirst), "", gap)
}
