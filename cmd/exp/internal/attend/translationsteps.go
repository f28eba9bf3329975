package attend

import (
	"context"
	"fmt"
	"strconv"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer/translator"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// translationSteps prints the numbers behind a translation: for each written word, its
// attention to the source and the words to choose from.
func translationSteps(ctx context.Context, a *cli.App, run *runs.Run, m *translator.Model, text string, o options) error {
	s, err := m.Steps(ctx, text, o.look)
	if err != nil {
		return fmt.Errorf("%s: %w", run.Label(), err)
	}
	a.Say(fmt.Sprintf("%s: weights of epoch %d, beam=%d", a.Headed(&run.Config), m.Epoch, m.Beam()), "", "  ")
	sayEquations(a.IO, run)
	a.Printf("\n%s\n%s\n\n", a.Wrap(term.Visible(sourceText(&s.Sentence)), "  ", "  "), a.Wrap(translated(&s.Sentence), "  ", "    "))
	for _, line := range translationWords(s) {
		a.Say(line, "  ", "    ")
	}
	for i := range s.Steps {
		printStep(a.IO, &s.Steps[i])
	}
	a.Heading("the translation")
	translationCheck(a.IO, s)
	return nil
}

// translationWords explains the columns of the tables.
func translationWords(s *translator.Steps) []string {
	var lines []string
	if a := s.Steps[0].Attention; a != nil {
		lines = append(stepWords(a, min(len(a.Sum), shownNumbers), len(a.Sum)), "the sum is the context: everything that the step gets from the source through this attention")
	}
	return append(lines,
		"next word: score = w·x + b, with the word's row w of the last matrix and the step's output x",
		fmt.Sprintf("probability = exp(score)/Σ exp: the softmax over the %s words that the run can write", format.Thousands(s.Vocabulary)))
}

func printStep(io *term.IO, s *translator.Step) {
	io.Heading(fmt.Sprintf("step %d: reads %s, writes %s", s.Number, s.Read, s.Wrote))
	if a := s.Attention; a != nil {
		io.Say(queryOf(a), "  ", "    ")
		stepTable(io, a, min(len(a.Sum), shownNumbers))
		io.Printf("\n")
	}
	t := term.NewTable(term.Column{Head: "", Right: true}, term.Column{Head: "next word"}, term.Column{Head: "score", Right: true},
		term.Column{Head: "probability", Right: true}, term.Column{Head: ""})
	for _, w := range s.Next {
		mark := ""
		if w.Written {
			mark = "written"
		}
		t.Add(strconv.Itoa(w.Rank), term.Visible(w.Word), digits(w.Score), format.Share(float32(w.Probability)), mark)
	}
	t.Add("", fmt.Sprintf("%s others", format.Thousands(s.OtherWords)), "", format.Share(float32(s.Others)), "")
	t.Text(io, "  ")
}

// translationCheck compares the sum over the steps with the network's.
func translationCheck(io *term.IO, s *translator.Steps) {
	t := term.NewTable(term.Column{Head: "step", Right: true}, term.Column{Head: "writes"}, term.Column{Head: "log p", Right: true})
	sum := 0.0
	for _, x := range s.Steps {
		t.Add(strconv.Itoa(x.Number), term.Visible(x.Wrote), digits(x.LogProb))
		sum += x.LogProb
	}
	if len(s.Steps) == len(s.Words)+1 {
		t.Add("", "sum", digits(sum))
		t.Add("", "the network's", digits(s.LogProb))
	}
	t.Text(io, "  ")
	off := fmt.Sprintf("log p of the words differ by up to %.0e", s.OffLogProb)
	if s.Steps[0].Attention != nil {
		off += fmt.Sprintf(", weights by up to %.0e", s.OffWeight)
	}
	io.Say("These numbers are computed again in double precision from the run's weights. Compared with the network's single precision, "+off+".", "  ", "  ")
}
