package lesson

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/yuin/goldmark/ast"

	"imdbexp/internal/term"
)

// walker shows a lesson part by part. It asks for predictions and compares them with the results,
// shows what a command prints after the reader has seen the command, and checks answers.
type walker struct {
	printer
	ctx         context.Context
	typed       <-chan string         // lines, closed at the end of the input
	run         func(words ...string) // runs a command of exp
	predictions map[string]string     // by their number
}

// errLeft ends a lesson that the reader leaves.
var errLeft = errors.New("left")

// walk shows the lesson to a reader who types on in.
func (l *lesson) walk(ctx context.Context, t *term.IO, in io.Reader, run func(words ...string)) error {
	w := walker{printer{l, t, t.TextWidth(), ""}, ctx, lines(ctx, in), run, map[string]string{}}
	err := w.parts()
	if errors.Is(err, errLeft) {
		t.Printf("\n")
		return nil
	}
	return err
}

// lines sends the lines of in until it or ctx ends.
func lines(ctx context.Context, in io.Reader) <-chan string {
	out := make(chan string)
	go func() {
		defer close(out)
		for s := bufio.NewScanner(in); s.Scan(); {
			select {
			case out <- strings.TrimSpace(s.Text()):
			case <-ctx.Done():
				return
			}
		}
	}()
	return out
}

func (w *walker) parts() error {
	exercise, sections := 0, 0
	for _, n := range w.blocks {
		var err error
		switch n := n.(type) {
		case *ast.HTMLBlock:
			html := w.html(n)
			if strings.HasPrefix(html, "<details>") {
				exercise++
				err = w.exercise(exercise)
			}
			for _, m := range resulted.FindAllStringSubmatch(html, -1) {
				w.compare(m[1], strings.Join(split(m[2]), " "))
			}
		case *ast.Heading:
			if n.Level == 2 {
				if sections++; sections > 1 {
					w.t.Printf("\n")
					_, err = w.ask(w.in("(Enter: go on, q: leave) "), "")
				}
			}
			if err == nil {
				w.block(n)
			}
		case *ast.List:
			if n.IsOrdered() { // questions
				err = w.predict(n)
			} else {
				w.block(n)
			}
		case *ast.FencedCodeBlock:
			err = w.console(n)
		default:
			w.block(n)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// ask returns what the reader types after a prompt. Commands of exp are run and the prompt is
// repeated, except after the command that is expected.
func (w *walker) ask(prompt, command string) (string, error) {
	for {
		w.t.Printf("%s", w.t.Paint(term.Bold, prompt))
		select {
		case <-w.ctx.Done():
			return "", w.ctx.Err()
		case line, ok := <-w.typed:
			if !ok || line == "q" {
				return "", errLeft
			}
			typed := words(line)
			if len(typed) < 2 || typed[0] != "exp" {
				return line, nil
			}
			w.run(typed[1:]...)
			if slices.Equal(typed, words(command)) {
				return line, nil
			}
		}
	}
}

// predict asks for a prediction for each item of a list.
func (w *walker) predict(list *ast.List) error {
	for i, item := list.Start, list.FirstChild(); item != nil; i, item = i+1, item.NextSibling() {
		w.t.Printf("\n")
		w.say(w.inline(item.FirstChild()), fmt.Sprintf("  %d. ", i), "     ")
		line, err := w.ask(w.in("     your prediction: "), "")
		if err != nil {
			return err
		}
		w.predictions[fmt.Sprint(i)] = line
	}
	return nil
}

// compare shows the result next to the prediction with this number.
func (w *walker) compare(number, result string) {
	if typed := w.predictions[number]; typed != "" {
		result = fmt.Sprintf(w.in("you typed “%s”. The result: %s"), term.Line(typed), result)
	}
	text := fmt.Sprintf(w.in("Prediction %s: %s"), number, result)
	w.t.Printf("\n%s\n", term.Lines(w.t.Color(), term.Bold, term.WrapWords(split(text), w.width, "> ", "> ")))
}

// console shows commands, each with its output when the reader goes on. The recorded output is not
// shown after the command has run.
func (w *walker) console(block *ast.FencedCodeBlock) error {
	w.t.Printf("\n")
	shown := true
	for line := range strings.Lines(string(block.Lines().Value(w.source))) {
		line = strings.TrimSuffix(line, "\n")
		command, ok := strings.CutPrefix(line, "$ ")
		switch {
		case ok:
			w.t.Printf("%s\n", w.t.Paint(term.Bold, line))
			typed, err := w.ask(w.in("(Enter: show the output; or type the command) "), command)
			if err != nil {
				return err
			}
			shown = typed == ""
		case shown:
			w.t.Printf("%s\n", line)
		}
	}
	return nil
}

// exercise asks for an answer until it is right or the reader asks for the solution.
func (w *walker) exercise(number int) error {
	for {
		w.t.Printf("\n")
		given, err := w.ask(w.in("your answer (Enter: show the solution): "), "")
		if err != nil {
			return err
		}
		if given == "" {
			w.solution(number)
			return nil
		}
		switch right, err := w.check(number, given); {
		case err != nil:
			w.say(err.Error()+".", "", "")
		case right:
			w.say(w.in("Right."), "", "")
			w.solution(number)
			return nil
		default:
			w.say(fmt.Sprintf(w.in("Not right. Hint: %s"), w.exercises[number-1].hint), "", "")
		}
	}
}
