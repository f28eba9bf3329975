package lesson

import (
	"fmt"
	"strings"

	"github.com/yuin/goldmark/ast"
	extension "github.com/yuin/goldmark/extension/ast"

	"imdbexp/internal/term"
)

// print shows a lesson in a terminal. Of the exercises it shows no solution, all of them (-1), or
// that of one exercise.
func (l *lesson) print(t *term.IO, solution int) {
	p := &printer{l, t, t.TextWidth(), ""}
	exercise := 0
	for _, n := range l.blocks {
		switch html := l.html(n); {
		case html == "":
			p.block(n)
		case strings.HasPrefix(html, "<details>"):
			exercise++
			if solution == -1 || solution == exercise {
				p.solution(exercise)
			} else {
				t.Printf("\n%s\n", t.Paint(term.Dim, fmt.Sprintf(l.in("(check: exp lesson %d --check %d ANSWER)"), l.number, exercise)))
			}
		}
	}
	if solution == 0 && exercise > 0 {
		t.Printf("\n%s\n", fmt.Sprintf(l.in("answers: exp lesson %d --answers"), l.number))
	}
}

type printer struct {
	*lesson
	t      *term.IO
	width  int
	indent string
}

// solution shows the answer of an exercise and its reason.
func (p *printer) solution(exercise int) {
	p.t.Printf("\n%s\n  %s\n", p.t.Paint(term.Bold, p.in("Answer")), p.t.Paint(term.Bold, p.exercises[exercise-1].answer))
	p.indent = "  "
	for _, n := range p.exercises[exercise-1].solution {
		p.block(n)
	}
	p.indent = ""
}

func (p *printer) say(text, first, rest string) {
	p.t.Printf("%s\n", term.WrapWords(split(text), p.width, first, rest))
}

func (p *printer) block(n ast.Node) {
	p.t.Printf("\n")
	switch n := n.(type) {
	case *ast.Heading:
		text := p.inline(n)
		p.t.Printf("%s\n", p.t.Paint(term.Bold, text))
		if n.Level <= 2 {
			p.t.Printf("%s\n", p.t.Paint(term.Dim, strings.Repeat("─", min(term.Width(text), p.width))))
		}
	case *ast.Paragraph:
		if image := picture(n); image != nil {
			p.say(fmt.Sprintf("[%s: %s; %s]", p.in("picture"), p.inline(image), p.target(string(image.Destination))), p.indent, p.indent)
			return
		}
		p.say(p.inline(n), p.indent, p.indent)
	case *ast.List:
		i := n.Start
		for item := n.FirstChild(); item != nil; item = item.NextSibling() {
			mark := p.indent + "  - "
			if n.IsOrdered() {
				mark = fmt.Sprintf("%s  %d. ", p.indent, i)
			}
			p.say(p.inline(item.FirstChild()), mark, strings.Repeat(" ", len(mark)))
			i++
		}
	case *ast.CodeBlock:
		for line := range strings.Lines(string(n.Lines().Value(p.source))) {
			p.t.Printf("%s  %s", p.indent, line)
		}
	case *ast.FencedCodeBlock: // not indented: it fits a terminal of 80 columns as it was printed
		for line := range strings.Lines(string(n.Lines().Value(p.source))) {
			if line = strings.TrimSuffix(line, "\n"); strings.HasPrefix(line, "$ ") {
				line = p.t.Paint(term.Bold, line)
			}
			p.t.Printf("%s\n", line)
		}
	case *extension.Table:
		var rows [][]string
		for row := n.FirstChild(); row != nil; row = row.NextSibling() {
			var cells []string
			for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
				cells = append(cells, p.inline(cell))
			}
			rows = append(rows, cells)
		}
		columns := make([]term.Column, len(rows[0]))
		for i, head := range rows[0] {
			columns[i] = term.Column{Head: head}
		}
		table := term.NewTable(columns...)
		for _, row := range rows[1:] {
			table.Add(row...)
		}
		table.Text(p.t, p.indent+"  ")
	}
}
