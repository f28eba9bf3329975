package attend

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/experiments/plan"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
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
		softmax = "weight: the softmax over the queries (slip.softmax_queries); the weights of a word add up to one over all queries, those here do not"
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

func stepTable(io *term.IO, s *infer.Steps, shown int) {
	columns := []term.Column{{Head: "word"}, {Head: "score", Right: true}, {Head: "scaled", Right: true, Optional: 1}, {Head: "weight", Right: true}}
	for j := range shown {
		columns = append(columns, term.Column{Head: "v" + subscript(j+1), Right: true, Optional: 2 + j})
	}
	for j := range shown {
		columns = append(columns, term.Column{Head: "weight·v" + subscript(j+1), Right: true, Optional: max(0, 2*j-1)})
	}
	t := term.NewTable(columns...)
	total := 0.0
	for i := range s.Words {
		row := []string{stepWord(io, s, i), digits(s.Scores[i]), digits(s.Scaled[i]), digits(s.Weights[i])}
		for j := range shown {
			row = append(row, digits(s.Values[i][j]))
		}
		for j := range shown {
			row = append(row, digits(s.Weights[i]*s.Values[i][j]))
		}
		t.Add(row...)
		total += s.Weights[i]
	}
	last := []string{"sum", "", "", digits(total)}
	last = append(last, make([]string, shown)...)
	for j := range shown {
		last = append(last, digits(s.Sum[j]))
	}
	t.Add(last...)
	t.Text(io, "  ")
}

func stepWord(io *term.IO, s *infer.Steps, i int) string {
	w := term.Visible(s.Words[i])
	if !s.Known[i] {
		w = io.Underline(w)
	}
	return w
}

// stepLogits prints what each word adds to the logits.
func stepLogits(io *term.IO, classes []string, s *infer.Steps) {
	columns := []term.Column{{Head: "word"}}
	for _, c := range classes {
		columns = append(columns, term.Column{Head: c, Right: true})
	}
	t := term.NewTable(columns...)
	add := func(name string, numbers []float64) {
		row := []string{name}
		for _, v := range numbers {
			row = append(row, digits(v))
		}
		t.Add(row...)
	}
	for i, v := range s.Adds {
		add(stepWord(io, s, i), v)
	}
	add("bias", s.Bias)
	add("sum", s.Logits)
	t.Text(io, "  ")
}

// stepCheck compares the computed logits with the network's.
func stepCheck(io *term.IO, classes []string, s *infer.Steps) {
	t := term.NewTable(term.Column{Head: "class"}, term.Column{Head: "logit", Right: true}, term.Column{Head: "the network's", Right: true}, term.Column{Head: "probability", Right: true})
	highest, sum := slices.Max(s.Logits), 0.0
	for _, z := range s.Logits {
		sum += math.Exp(z - highest)
	}
	off := 0.0
	for c, z := range s.Logits {
		t.Add(classes[c], digits(z), digits(float64(s.Network[c])), format.Share(float32(math.Exp(z-highest)/sum)))
		off = max(off, math.Abs(z-float64(s.Network[c])))
	}
	t.Text(io, "  ")
	if s.Slip != "" {
		io.Say("The logits have gone through "+s.Slip+".", "  ", "  ")
	}
	io.Say(fmt.Sprintf("These numbers are computed again in double precision from the run's weights. They differ from the network's single precision by %.0e.", off), "  ", "  ")
}
