package attend

import (
	"fmt"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/experiments/plan"
	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/models"
	"imdbexp/runs"
)

// shownNumbers is how many numbers of a vector are shown.
const shownNumbers = 3

// steps prints the numbers behind the attention to each text.
func (s *shown) steps(io *term.IO, o options) error {
	all := make([]*infer.Steps, len(s.list))
	for i, text := range s.list {
		var err error
		if all[i], err = s.m.Steps(text.Text, o.look); err != nil {
			return fmt.Errorf("%s: %s: %w", s.run.Label(), text.name(), err)
		}
	}
	io.Say(io.Paint(term.Bold, s.run.Label())+": "+s.weights, "", "  ")
	sayEquations(io, s.run)
	for i, text := range s.list {
		if len(s.list) > 1 {
			io.Heading(text.name())
		}
		printSteps(io, s.m.Classes, all[i])
	}
	return nil
}

// sayEquations prints the equations of the run's model.
func sayEquations(io *term.IO, run *runs.Run) {
	if info, err := models.Lookup(run.Config.Model); err == nil {
		for _, e := range info.Equations(plan.ModelOf(&run.Config)) {
			io.Say(e, "  ", "    ")
		}
	}
}

// printSteps prints the scores, their softmax and the weighted values, then the prediction.
func printSteps(io *term.IO, classes []string, s *infer.Steps) {
	d := len(s.Sum)
	io.Printf("\n%s\n", io.Wrap(queryOf(s), "", "  "))
	for _, line := range stepWords(s, min(d, shownNumbers), d) {
		io.Say(line, "  ", "    ")
	}
	io.Printf("\n")
	stepTable(io, s, min(d, shownNumbers))
	if s.Adds != nil && len(classes) <= 6 {
		io.Heading("what each word adds to the logits: W·(weight·v)")
		stepLogits(io, classes, s)
	}
	if s.All != nil {
		stepMatrix(io, s)
	}
	io.Heading("the prediction")
	stepCheck(io, classes, s)
}

// queryOf names the word that asks and its query.
func queryOf(s *infer.Steps) string {
	return fmt.Sprintf("%s: %s (%d numbers in all)", s.From, vector(s.Query), len(s.Query))
}

// stepWords explains the columns of the table.
func stepWords(s *infer.Steps, shown, d int) []string {
	scaled := "scaled = score: this model does not scale"
	if s.Scale != 1 {
		scaled = fmt.Sprintf("scaled = score × %.4f, 1/√%.0f", s.Scale, 1/(s.Scale*s.Scale))
	}
	softmax := "weight = " + s.Formula + "; the weights add up to one"
	if s.OverQueries {
		softmax = "weight: the softmax over the queries (slip.softmax_queries); the weights of a column of the matrix below add up to one, those here do not"
	}
	score := "score = query · key of the word"
	if s.Additive {
		score = "score = v·tanh(query + key of the word), with the v of the equation"
	}
	return []string{
		score,
		scaled, softmax,
		fmt.Sprintf("v, weight·v: the first %d of the %d numbers of the word's value; the last line is their sum", shown, d),
	}
}

// digits prints a number with four decimals.
func digits(x float64) string { return format.Fixed(x, 4) }

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
