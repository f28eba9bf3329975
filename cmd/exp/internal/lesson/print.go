package lesson

import (
	"fmt"
	"strings"

	"imdbexp/internal/term"
)

// printer shows the blocks of a lesson in a terminal: all at once, or part by part to a reader.
type printer struct {
	*lesson
	t        *term.IO
	solution int     // of which exercise it shows the solution; -1: of all
	reader   *reader // nil: all at once
	indent   string
}

func (p *printer) print() error {
	exercise, sections := 0, 0
	for _, b := range p.blocks {
		var err error
		if strings.HasPrefix(b, "## ") && p.reader != nil {
			if sections++; sections > 1 {
				p.t.Printf("\n")
				_, err = p.ask(p.in("(Enter: go on, q: leave) "), "")
			}
		}
		switch {
		case err != nil:
		case strings.HasPrefix(b, "<details>"):
			exercise++
			switch {
			case p.reader != nil:
				err = p.examine(exercise)
			case p.solution == -1, p.solution == exercise:
				p.solve(exercise)
			default:
				p.t.Printf("\n%s\n", p.t.Paint(term.Dim, fmt.Sprintf(p.in("(check: exp lesson %d --check %d ANSWER)"), p.number, exercise)))
			}
		case p.reader == nil:
			p.block(b)
		case strings.HasPrefix(b, "<"):
			p.compare(b)
		case strings.HasPrefix(b, "1. "):
			err = p.predict(b)
		case strings.HasPrefix(b, "```"):
			err = p.console(b)
		default:
			p.block(b)
		}
		if err != nil {
			return err
		}
	}
	if p.reader == nil && p.solution == 0 {
		p.t.Printf("\n%s\n", fmt.Sprintf(p.in("answers: exp lesson %d --answers"), p.number))
	}
	return nil
}

// solve shows the answer of an exercise and its reason.
func (p *printer) solve(exercise int) {
	p.t.Printf("\n%s\n  %s\n", p.t.Paint(term.Bold, p.in("Answer")), p.t.Paint(term.Bold, p.exercises[exercise-1].answer))
	p.indent = "  "
	p.reason(exercise)
	p.indent = ""
}

func (p *printer) reason(exercise int) {
	for _, b := range p.exercises[exercise-1].solution {
		p.block(b)
	}
}

func (p *printer) say(text, first, rest string) {
	p.t.Printf("%s\n", term.WrapWords(split(plain(text)), p.t.TextWidth(), first, rest))
}

// block shows a paragraph, a heading, a list, a table or code.
func (p *printer) block(b string) {
	is := func(prefix string) bool { return strings.HasPrefix(b, prefix) }
	if is("<") {
		return
	}
	p.t.Printf("\n")
	switch {
	case is("#"):
		text := strings.TrimLeft(b, "# ")
		p.t.Printf("%s\n", p.t.Paint(term.Bold, text))
		if !is("###") {
			p.t.Printf("%s\n", p.t.Paint(term.Dim, strings.Repeat("─", min(term.Width(text), p.t.TextWidth()))))
		}
	case is("!["):
		m := link.FindStringSubmatch(b)
		p.say(fmt.Sprintf("[%s: %s; %s]", p.in("picture"), m[2], p.target(m[3])), p.indent, p.indent)
	case is("1. "):
		for _, q := range questions(b) {
			p.say(q, p.indent+"  ", p.indent+"     ")
		}
	case is(" "):
		for line := range strings.Lines(b) {
			p.t.Printf("%s%s\n", p.indent, strings.TrimSuffix(line[2:], "\n"))
		}
	case is("```"): // not indented: it fits a terminal of 80 columns as it was printed
		for _, line := range listed(b) {
			if strings.HasPrefix(line, "$ ") {
				line = p.t.Paint(term.Bold, line)
			}
			p.t.Printf("%s\n", line)
		}
	case is("|"):
		for line := range strings.Lines(b) {
			if !strings.HasPrefix(line, "| -") {
				p.say(strings.ReplaceAll(strings.Trim(line, "| \n"), " | ", " · "), p.indent+"  - ", p.indent+"    ")
			}
		}
	default:
		p.say(b, p.indent, p.indent)
	}
}

// questions returns the items of a list.
func questions(b string) []string { return strings.Split(strings.ReplaceAll(b, "\n   ", " "), "\n") }

// listed returns the lines of a block of commands.
func listed(b string) []string {
	lines := strings.Split(b, "\n")
	return lines[1 : len(lines)-1]
}
