package attend

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"imdbexp/experiments/plan"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/models"
)

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
	if info, err := models.Lookup(s.run.Config.Model); err == nil {
		for _, e := range info.Equations(plan.ModelOf(&s.run.Config)) {
			io.Say(e, "  ", "    ")
		}
	}
	for i, text := range s.list {
		if len(s.list) > 1 {
			io.Heading(text.name())
		}
		printSteps(io, s.m.Classes, all[i])
	}
	return nil
}

// printSteps prints the scores, their softmax and the weighted values, then the prediction.
func printSteps(io *term.IO, classes []string, s *infer.Steps) {
	d := len(s.Sum)
	io.Printf("\n%s\n", io.Wrap(fmt.Sprintf("%s: %s (%d numbers in all)", s.From, vector(s.Query), len(s.Query)), "", "  "))
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
		score, scaled, softmax,
		fmt.Sprintf("v, weight·v: the first %d of the %d numbers of the word's value; the last line is their sum", shown, d),
	}
}

func digits(x float64) string { return format.Fixed(x, 4) }

// vector prints the first numbers of a vector.
func vector(x []float64) string {
	var out []string
	for _, v := range x[:min(len(x), shownNumbers)] {
		out = append(out, digits(v))
	}
	if len(x) > shownNumbers {
		out = append(out, "…")
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func stepTable(io *term.IO, s *infer.Steps, shown int) {
	t := term.NewTable(term.Column{Head: "word"}, right("score", 0), right("scaled", 1), right("weight", 0))
	for j := range shown {
		t.Columns = append(t.Columns, right("v"+string('₁'+rune(j)), 2+j))
	}
	for j := range shown {
		t.Columns = append(t.Columns, right("weight·v"+string('₁'+rune(j)), max(0, 2*j-1)))
	}
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
	last := append([]string{"sum", "", "", digits(total)}, make([]string, shown)...)
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
	t := term.NewTable(term.Column{Head: "word"})
	for _, c := range classes {
		t.Columns = append(t.Columns, right(c, 0))
	}
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
	t := term.NewTable(term.Column{Head: "class"}, right("logit", 0), right("the network's", 0), right("probability", 0))
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
