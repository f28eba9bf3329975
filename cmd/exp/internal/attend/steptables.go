package main

import (
	"fmt"
	"math"
	"slices"
	"strconv"

	"imdbexp/internal/infer"
	"imdbexp/internal/term"
)

func (a *app) stepTable(s *infer.Steps, shown int) error {
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
		row := []string{a.stepWord(s, i), digits(s.Scores[i]), digits(s.Scaled[i]), digits(s.Weights[i])}
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
	return t.Text(a.io, "  ")
}

func (a *app) stepWord(s *infer.Steps, i int) string {
	w := printable(s.Words[i])
	if !s.Known[i] {
		w = a.io.Underline(w)
	}
	return w
}

// stepLogits splits the logits into what each word adds.
func (a *app) stepLogits(classes []string, s *infer.Steps) error {
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
		add(a.stepWord(s, i), v)
	}
	add("bias", s.Bias)
	add("sum", s.Logits)
	return t.Text(a.io, "  ")
}

// stepMatrix prints the weights of all words of the head where there is room.
func (a *app) stepMatrix(s *infer.Steps) error {
	const most = 12
	columns, widest := []term.Column{{Head: "looks"}}, 0
	for i := range s.Words {
		columns = append(columns, term.Column{Head: printable(s.Words[i]), Right: true})
		widest = max(widest, term.Width(s.Words[i]))
	}
	width := a.io.Width()
	if n := len(s.Words); n > most || width > 0 && widest+4+n*(max(widest, 4)+2) > width {
		return nil
	}
	a.heading("the weights in this head, a row a word that looks")
	t := term.NewTable(columns...)
	for i, row := range s.All {
		cells := []string{a.stepWord(s, i)}
		for _, w := range row {
			cells = append(cells, strconv.FormatFloat(w, 'f', 2, 64))
		}
		t.Add(cells...)
	}
	return t.Text(a.io, "  ")
}

// stepCheck prints what the numbers come to beside what the network says.
func (a *app) stepCheck(classes []string, s *infer.Steps) error {
	t := term.NewTable(term.Column{Head: "class"}, term.Column{Head: "logit", Right: true}, term.Column{Head: "the network's", Right: true}, term.Column{Head: "probability", Right: true})
	most, sum := slices.Max(s.Logits), 0.0
	for _, z := range s.Logits {
		sum += math.Exp(z - most)
	}
	off := 0.0
	for c, z := range s.Logits {
		t.Add(classes[c], digits(z), digits(float64(s.Network[c])), shareOf(float32(math.Exp(z-most)/sum)))
		off = max(off, math.Abs(z-float64(s.Network[c])))
	}
	if err := t.Text(a.io, "  "); err != nil {
		return err
	}
	if s.Slip != "" {
		a.printf("%s\n", a.wrap("The logits have gone through "+s.Slip+".", "  ", "  "))
	}
	a.printf("%s\n", a.wrap(fmt.Sprintf("These numbers are computed again in double precision from the run's weights; from the network's single precision they differ by %.0e.", off), "  ", "  "))
	return nil
}
