package term

import (
	"fmt"
	"strings"
)

// Complain writes a message to the error output. Lines wider than the terminal are wrapped
// between words; continuation lines are indented.
func (t *IO) Complain(text string) {
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		if w := t.Width(); w > 0 && Width(line) > w {
			indent := line[:len(line)-len(strings.TrimLeft(line, " "))]
			line = Wrap(line, w, indent, indent+"  ")
		}
		fmt.Fprintln(t.Err, line)
	}
}
