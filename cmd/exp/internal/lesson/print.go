package lesson

import (
	"fmt"
	"path"
	"regexp"
	"slices"
	"strings"

	"imdbexp/internal/term"
)

// print shows a lesson in a terminal; what unfolds on a page is left out, or shown.
func (l *lesson) print(t *term.IO, answers bool) {
	width := t.TextWidth()
	hidden, exercise := false, 0
	indent := ""
	say := func(text, first, rest string) { t.Printf("%s\n", term.Wrap(plain(text), width, first, rest)) }
	for i, b := range l.blocks {
		switch b.kind {
		case unfold:
			exercise++
			if answers {
				t.Printf("\n%s\n", t.Paint(term.Bold, b.text))
				indent = "  "
			} else {
				t.Printf("\n%s\n", t.Paint(term.Dim, fmt.Sprintf("(check: exp lesson %d --check %d ANSWER)", l.number, exercise)))
			}
			hidden = !answers
			continue
		case fold:
			hidden, indent = false, ""
			continue
		case answer:
			if answers {
				t.Printf("  %s\n", t.Paint(term.Bold, b.text))
			}
			continue
		}
		if hidden {
			continue
		}
		if b.kind != item || i == 0 || l.blocks[i-1].kind != item {
			t.Printf("\n")
		}
		switch b.kind {
		case heading:
			text := plain(b.text)
			t.Printf("%s\n", t.Paint(term.Bold, text))
			if b.depth <= 2 {
				t.Printf("%s\n", t.Paint(term.Dim, strings.Repeat("─", min(term.Width(text), width))))
			}
		case paragraph:
			say(b.text, indent, indent)
		case item:
			first := indent + "  " + b.mark + " "
			say(b.text, first, strings.Repeat(" ", len(first)))
		case code:
			for _, line := range b.lines {
				if strings.HasPrefix(line, "$ ") {
					line = t.Paint(term.Bold, line)
				}
				t.Printf("%s  %s\n", indent, line)
			}
		case table:
			columns := make([]term.Column, len(b.rows[0]))
			for j, head := range b.rows[0] {
				columns[j] = term.Column{Head: plain(head)}
			}
			grid := term.NewTable(columns...)
			for _, row := range b.rows[1:] {
				cells := slices.Clone(row)
				for j := range cells {
					cells[j] = plain(cells[j])
				}
				grid.Add(cells...)
			}
			grid.Text(t, indent+"  ")
		case figure:
			say("[picture: "+b.text+"; "+whither(b.mark)+"]", indent, indent)
		}
	}
	if !answers && exercise > 0 {
		t.Printf("\nanswers: exp lesson %d --answers\n", l.number)
	}
}

var (
	strong = regexp.MustCompile(`\*\*([^*]+)\*\*`)
	leant  = regexp.MustCompile(`(^|[ (])\*([^* ][^*]*)\*`)
	link   = regexp.MustCompile(`\[([^\]]+)\]\(([^)]+)\)`)
	quoted = regexp.MustCompile("`([^`]+)`")

	alone    = regexp.MustCompile(`\(\[[^\]]+\]\(([^)]+)\)\)`) // a link in parentheses of its own
	ofLesson = regexp.MustCompile(`^(\d+)-[^/]*\.md(#.*)?$`)
)

// plain is a text without its Markdown, but for the quotes around code.
func plain(text string) string {
	text = strong.ReplaceAllString(text, "$1")
	text = leant.ReplaceAllString(text, "$1$2")
	text = alone.ReplaceAllStringFunc(text, func(s string) string { return "(" + whither(alone.FindStringSubmatch(s)[1]) + ")" })
	return link.ReplaceAllStringFunc(text, func(s string) string {
		m := link.FindStringSubmatch(s)
		if to := whither(m[2]); to != m[1] {
			return m[1] + " (" + to + ")"
		}
		return m[1]
	})
}

// whither is where a link of a lesson leads, as it is typed: a lesson's command, and of
// all other pages the path from the top of the sources, as pictures have it.
func whither(to string) string {
	if m := ofLesson.FindStringSubmatch(to); m != nil {
		return "exp lesson " + m[1]
	}
	if strings.Contains(to, "://") {
		return to
	}
	file, _, _ := strings.Cut(to, "#")
	return path.Join("docs/lessons", file)
}
