package lesson

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/term"
)

// printer shows the blocks of a lesson in a terminal: all at once, or part by part to a reader.
type printer struct {
	*lesson
	t        *term.IO
	solution int     // exercise whose solution it shows; -1: all
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
				_, err = p.ask(p.in("(Enter: continue, q: quit) "), "")
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

// reader is the user who reads a lesson part by part: types predictions, which are compared with the results,
// sees the output of a command after it, and has answers checked.
type reader struct {
	ctx         context.Context
	typed       <-chan string         // lines, closed at the end of the input
	run         func(words ...string) // runs a command of exp
	predictions map[string]string     // by their number
}

// walk shows the lesson to a reader who types on in.
func (p *printer) walk(ctx context.Context, in io.Reader, run func(words ...string)) error {
	p.reader = &reader{ctx, lines(ctx, in), run, map[string]string{}}
	err := p.print()
	if errors.Is(err, io.EOF) {
		p.t.Printf("\n")
		return nil
	}
	return err
}

// lines sends the lines of in until it or ctx ends.
func lines(ctx context.Context, in io.Reader) <-chan string {
	out := make(chan string)
	go func() {
		defer close(out)
		for s := bufio.NewScanner(in); ctx.Err() == nil && s.Scan(); {
			out <- strings.TrimSpace(s.Text())
		}
	}()
	return out
}

// ask returns what the reader types after a prompt. Commands of exp are run and the prompt is
// repeated, except after the command that is expected.
func (p *printer) ask(prompt, command string) (string, error) {
	for {
		p.t.Printf("%s", p.t.Paint(term.Bold, prompt))
		select {
		case <-p.reader.ctx.Done():
			return "", p.reader.ctx.Err()
		case line, ok := <-p.reader.typed:
			if !ok || line == "q" {
				return "", io.EOF
			}
			typed := words(line)
			if len(typed) < 2 || typed[0] != "exp" {
				return line, nil
			}
			p.reader.run(typed[1:]...)
			if slices.Equal(typed, words(command)) {
				return line, nil
			}
		}
	}
}

// predict asks for a prediction for each item of a list.
func (p *printer) predict(list string) error {
	for i, q := range questions(list) {
		p.t.Printf("\n")
		p.say(q, "  ", "     ")
		line, err := p.ask("     "+p.in("your prediction: "), "")
		if err != nil {
			return err
		}
		p.reader.predictions[strconv.Itoa(i+1)] = line
	}
	return nil
}

// compare shows results next to the predictions.
func (p *printer) compare(html string) {
	for _, m := range resulted.FindAllStringSubmatch(html, -1) {
		text := fmt.Sprintf(p.in("Prediction %s"), m[1]) + p.in(": ")
		if typed := p.reader.predictions[m[1]]; typed != "" {
			text += fmt.Sprintf(p.in("you typed “%s”. The result: "), term.Line(typed))
		}
		p.t.Printf("\n%s\n", term.Lines(p.t.Color(), term.Bold, term.WrapWords(split(text+m[2]), p.t.TextWidth(), "> ", "> ")))
	}
}

// console shows commands, each with its output after Enter. The recorded output is not
// shown after the command has run.
func (p *printer) console(block string) error {
	p.t.Printf("\n")
	shown := true
	for _, line := range listed(block) {
		command, ok := strings.CutPrefix(line, "$ ")
		switch {
		case ok:
			p.t.Printf("%s\n", p.t.Paint(term.Bold, line))
			typed, err := p.ask(p.in("(Enter: show the output; or type the command) "), command)
			if err != nil {
				return err
			}
			shown = typed == ""
		case shown:
			p.t.Printf("%s\n", line)
		}
	}
	return nil
}

// examine asks for an answer until it is right or the reader asks for the solution.
func (p *printer) examine(number int) error {
	for {
		p.t.Printf("\n")
		given, err := p.ask(p.in("your answer (Enter: show the solution): "), "")
		if err != nil {
			return err
		}
		if given == "" {
			p.solve(number)
			return nil
		}
		switch right, err := p.check(number, given); {
		case err != nil:
			p.say(err.Error()+".", "", "")
		case right:
			p.say(p.in("Right."), "", "")
			p.solve(number)
			return nil
		default:
			p.say(fmt.Sprintf(p.in("Not right. Hint: %s"), p.exercises[number-1].hint), "", "")
		}
	}
}
