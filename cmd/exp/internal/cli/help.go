package cli

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"

	"github.com/spf13/cobra"

	"imdbexp/internal/term"
)

// Help makes the help of a command and those below it fit the terminal; a pipe gets it as it
// is written.
func (a *App) Help(root *cobra.Command) {
	plain := root.HelpFunc()
	root.SetHelpFunc(func(cmd *cobra.Command, args []string) {
		if a.Width() == 0 {
			plain(cmd, args)
			return
		}
		out := cmd.OutOrStdout()
		var text bytes.Buffer
		cmd.SetOut(&text)
		plain(cmd, args)
		cmd.SetOut(out)
		fmt.Fprint(out, fitted(text.String(), a.Width()))
	})
}

// twoColumns is a line that says something of what stands at its beginning, such as a flag.
var twoColumns = regexp.MustCompile(`^ +\S+(?: \S+)* {2,}`)

// leastBeside is the least width of a column beside another.
const leastBeside = 24

// fitted breaks the lines of a help text that are wider than the terminal. Paragraphs are
// filled anew, lists keep their second column. Examples stay whole, to be copied.
func fitted(text string, width int) string {
	var out strings.Builder
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	examples := false
	for i := 0; i < len(lines); {
		line := lines[i]
		n := 1 // lines that are one text
		switch {
		case line == "Examples:":
			examples = true
		case line == "":
			examples = false
		case examples || strings.HasPrefix(line, "\t"):
		default:
			rest := hanging(line)
			for i+n < len(lines) && indentOf(lines[i+n]) == rest && lines[i+n] != "" && hanging(lines[i+n]) == rest {
				n++
			}
			if widest(lines[i:i+n]) > width {
				line = broken(lines[i:i+n], rest, width)
			} else {
				line = strings.Join(lines[i:i+n], "\n")
			}
		}
		out.WriteString(line + "\n")
		i += n
	}
	return out.String()
}

// hanging is where a line that goes on begins again: behind its first column, below a line of
// prose at its beginning.
func hanging(line string) int {
	if first := twoColumns.FindString(line); first != "" {
		return term.Width(first)
	}
	return indentOf(line)
}

// broken fills the lines of one text.
func broken(lines []string, rest, width int) string {
	indent, text := strings.Repeat(" ", rest), strings.Join(lines, " ")
	first := twoColumns.FindString(lines[0])
	text = text[len(first):]
	above := ""
	switch {
	case first == "":
		first = indent
	case width-rest < leastBeside:
		above = strings.TrimRight(first, " ") + "\n"
		rest = indentOf(lines[0]) + 4
		indent = strings.Repeat(" ", rest)
		first = indent
	}
	words := strings.Fields(text)
	for i, w := range words {
		if term.Width(w) > width-rest { // a flag's list
			words[i] = strings.ReplaceAll(w, ",", ", ")
		}
	}
	return above + term.Wrap(strings.Join(words, " "), width, first, indent)
}

func indentOf(line string) int { return len(line) - len(strings.TrimLeft(line, " ")) }

func widest(lines []string) int {
	w := 0
	for _, l := range lines {
		w = max(w, term.Width(l))
	}
	return w
}
