package main

import (
	"fmt"
	"strconv"
	"strings"

	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/models"
	"imdbexp/runs"
)

// shownNumbers is how many numbers of a vector are shown, of those that it has.
const shownNumbers = 3

// attendSteps prints the numbers behind the attention to each text.
func (a *app) attendSteps(run *runs.Run, m *infer.Model, list []subject, o attendOptions) error {
	all := make([]*infer.Steps, len(list))
	for i, text := range list {
		var err error
		if all[i], err = m.Steps(text.Text, o.look); err != nil {
			return fmt.Errorf("%s: %s: %w", run.Label(), text.name(), err)
		}
	}
	a.printf("%s\n", a.wrap(a.io.Paint(term.Bold, run.Label())+": "+o.weights(run), "", "  "))
	if info, err := models.Lookup(run.Config.Model); err == nil {
		for _, e := range info.Equations(modelOf(&run.Config)) {
			a.printf("%s\n", a.wrap(e, "  ", "    "))
		}
	}
	for i, text := range list {
		if len(list) > 1 {
			a.heading(text.name())
		}
		if err := a.steps(m.Classes, all[i]); err != nil {
			return err
		}
	}
	return nil
}

// steps prints the scores, their softmax and the weighted values, then what they
// come to.
func (a *app) steps(classes []string, s *infer.Steps) error {
	d, k := len(s.Sum), len(s.Query)
	a.printf("\n%s\n", a.wrap(fmt.Sprintf("%s: %s (%d numbers in all)", s.From, vector(s.Query), k), "", "  "))
	for _, line := range stepWords(s, min(d, shownNumbers), d) {
		a.printf("%s\n", a.wrap(line, "  ", "    "))
	}
	a.printf("\n")
	if err := a.stepTable(s, min(d, shownNumbers)); err != nil {
		return err
	}
	if s.Adds != nil && len(classes) <= 6 {
		a.heading("what each word adds to the logits: W·(weight·v)")
		if err := a.stepLogits(classes, s); err != nil {
			return err
		}
	}
	if s.All != nil {
		if err := a.stepMatrix(s); err != nil {
			return err
		}
	}
	a.heading("the prediction")
	return a.stepCheck(classes, s)
}

// stepWords says what the columns of the table are.
func stepWords(s *infer.Steps, shown, d int) []string {
	scaled := "scaled = score, which this model does not scale"
	if s.Scale != 1 {
		scaled = fmt.Sprintf("scaled = score × %.4f, 1/√%.0f", s.Scale, 1/(s.Scale*s.Scale))
	}
	softmax := "weight = exp(scaled)/Σ exp: the softmax over the words, so that the weights add up to one"
	if s.OverQueries {
		softmax = "weight: the softmax over the words that look (slip.softmax_queries), so that the weights of a column of the matrix below add up to one, and those here do not"
	}
	return []string{
		"score = query · key of the word",
		scaled, softmax,
		fmt.Sprintf("v, weight·v: the first %d of the %d numbers of the word's value; the last line is the sum, which goes on", shown, d),
	}
}

// digits prints a number with four decimals.
func digits(x float64) string {
	text := strconv.FormatFloat(x, 'f', 4, 64)
	if strings.Trim(text, "-0.") == "" {
		return strings.TrimPrefix(text, "-") // no -0.0000
	}
	return minus(text)
}

// vector prints the first numbers of a vector.
func vector(x []float64) string {
	n := min(len(x), shownNumbers)
	out := make([]string, n)
	for i := range n {
		out[i] = digits(x[i])
	}
	text := "[" + strings.Join(out, ", ")
	if len(x) > n {
		text += ", …"
	}
	return text + "]"
}

func subscript(n int) string {
	var out []rune
	for _, d := range strconv.Itoa(n) {
		out = append(out, '₀'+d-'0')
	}
	return string(out)
}
