package render

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/internal/term"
)

// leftOut keeps account of what is shown of tables within a width, and what is not.
type leftOut struct {
	shown []Column
	marks []int    // of footnotes, in what is shown
	heads []string // of the columns that are not
}

// add adds a table of which the columns up to a level are shown.
func (l *leftOut) add(t *Table, level int) {
	shown := t.upTo(level)
	l.shown, l.marks = append(l.shown, shown.Columns...), append(l.marks, shown.marks()...)
	for _, c := range t.Columns {
		if c.Level > level && !(c.Moves && level == 0) && !slices.Contains(l.heads, c.Head) {
			l.heads = append(l.heads, c.Head)
		}
	}
}

// text says what is left out and how to see it; "" where all is there.
func (l *leftOut) text(width int) string {
	if len(l.heads) == 0 {
		return ""
	}
	return term.Wrap(fmt.Sprintf("Left out at %d columns: %s. A wider terminal or --format csv has all of it.", width, strings.Join(l.heads, ", ")), width, "", "  ") + "\n"
}
