package attend

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/models/counts"
	"imdbexp/runs"
)

// tableRows is the max number of words, or n-grams, in the table below a text.
const tableRows = 10

// printText shows the text: the prediction, the words shaded, the largest weights, and a legend.
func (s *shown) printText(io *term.IO) {
	v := s.view
	io.Say(io.Paint(term.Bold, s.name()) + ": " + s.verdict())
	for _, line := range facts(s.m.Classes, v) {
		io.Say(line)
	}
	if s.found != "" {
		io.Say(s.found)
	}
	if v.Wordless() {
		return
	}
	io.Printf("\n%s\n", term.WrapWords(modelview.Shaded(io, s.review.Text, v), io.TextWidth(), "  ", "  "))
	t := &term.Table{}
	switch {
	case v.Explained != nil:
		t = termTable(s.m.Classes, v.Explained)
	case v.Attended != nil:
		t = weightTable(io, s.m.Classes, v)
	}
	if len(t.Rows) > 0 {
		io.Printf("\n")
		t.Text(io, "  ")
	}
	if legend := s.legend(io); legend != nil {
		io.Printf("\n%s\n", term.WrapWords(legend, io.Width(), "  ", "  "))
	}
}

// legend explains the marks that the text has: shades, words without a vector, omitted words.
func (s *shown) legend(io *term.IO) (text []string) {
	v := s.view
	if v.Attended != nil || v.Explained != nil {
		text = []string{"× equal share:", "[2 or more]", "[[8 or more]]", "[[[32 or more]]]"}
		if io.Color() {
			text = text[:1]
			for _, n := range infer.Doublings {
				text = append(text, io.Shade(infer.Strength(float64(n)), fmt.Sprintf(" %d ", n)))
			}
		}
	}
	if v.Explained != nil {
		above, below := toward(s.m.Classes, v.Explained)
		text = append(text, above+",", io.ShadeAgainst(1, below))
	}
	if v.Signed {
		text = append(text, "for the predicted class; "+io.ShadeAgainst(1, "against it"))
	}
	if slices.Contains(v.Known, false) || v.Masked > 0 {
		text = append(text, io.Underline(map[bool]string{true: "not in train", false: "no vector"}[v.Counts]))
	}
	if len(v.Left) > 0 && io.Color() {
		text = append(text, io.Paint(term.Dim, "omitted"))
	}
	return text
}

// weightsOf describes the settings of a run, or of an exported file, and the epoch of its weights.
func weightsOf(a *cli.App, run *runs.Run, epoch int) string {
	text := fmt.Sprintf("%s; weights of epoch %d of %d", a.Names().About(&run.Config), epoch, run.Config.Epochs())
	if run.Converged() {
		text = fmt.Sprintf("%s; converged after epoch %d", a.Names().About(&run.Config), epoch)
	}
	if run.Path != "" && run.Status.State != runs.Finished {
		text += "; the run is " + run.Status.State.String()
	}
	return text
}

// verdict describes a prediction: predicted pos (92 %), neg 8 %; label pos: right.
func (s *shown) verdict() string {
	v, classes, label := s.view, s.m.Classes, s.review.Label
	text := fmt.Sprintf("predicted %s (%s)", classes[v.Class], format.Share(v.P[v.Class]))
	for c, p := range v.P {
		if c != v.Class && len(classes) <= 5 {
			text += fmt.Sprintf(", %s %s", classes[c], format.Share(p))
		}
	}
	switch {
	case label < 0 || label >= len(classes):
		return text
	case label == v.Class:
		return text + "; label " + classes[label] + ": right"
	}
	return text + "; label " + classes[label] + ": wrong"
}

// facts describes in lines where the attention goes and how far it is spread.
func facts(classes []string, v *infer.View) []string {
	grams, unknown := 0, 0
	for i, w := range v.Words {
		if strings.Contains(w.Word, " ") { // an n-gram, which is listed with the words
			grams++
		}
		if !v.Known[i] {
			unknown++
		}
	}
	words := format.Counted(len(v.Words)-grams, "word")
	if v.Wordless() {
		words = "no words: the model reads an empty one"
	}
	if grams > 0 {
		words += " and " + format.Counted(grams, "n-gram")
	}
	without := "without a vector"
	if v.Counts {
		without = "missing or too rare in train"
	}
	switch {
	case unknown > 0 && len(v.Words) == 1:
		words += " " + without
	case unknown > 0:
		words += fmt.Sprintf(", %d %s", unknown, without)
		if unknown > 1 && !v.Counts {
			words += ", which the model cannot distinguish"
		}
	}
	if v.Masked > 0 {
		words += fmt.Sprintf(", %d more masked because they have no vector", v.Masked)
	}
	if n := len(v.Left) - v.Masked; n > 0 {
		words += fmt.Sprintf(", %d more beyond data.max_len", n)
	}
	w := v.Attended
	if v.Explained != nil {
		return append([]string{words}, explained(classes, v)...)
	}
	if w == nil {
		return []string{words + "; the model has no attention"}
	}
	out := []string{words + "; shown: " + w.What}
	entropy := fmt.Sprintf("entropy %.2f nats", w.Entropy)
	if share := infer.Share(w.Entropy, w.Choices); share == share { // not NaN
		entropy += fmt.Sprintf(", %s of log %d", format.Percent(share), w.Choices)
	}
	alike, decimals := math.Exp(w.Entropy), 0 // the perplexity
	if alike < 9.95 {
		decimals = 1
	}
	entropy += fmt.Sprintf(": spread as if over %.*f words", decimals, alike)
	if mean := v.Mean; mean == mean && fmt.Sprintf("%.2f", mean) != fmt.Sprintf("%.2f", w.Entropy) {
		entropy += fmt.Sprintf("; %.2f nats on average over all words, heads and layers", mean)
	}
	if w.CLS > 0 {
		entropy += fmt.Sprintf("; %s of it on %s itself", format.Share(w.CLS), infer.CLS)
	}
	if w.Padding > 0 {
		entropy += fmt.Sprintf("; %s of it on padding", format.Share(w.Padding))
	}
	return append(out, entropy)
}

// weightTable lists the words with the largest weights or scores. For a run with
// slip.rank_words it also shows the words that the original listed instead.
func weightTable(io *term.IO, classes []string, v *infer.View) *term.Table {
	t := term.NewTable(term.Right(""), term.Left("word"), term.Right("weight"))
	t.Caption = "the words with the largest weights"
	if v.Signed {
		t.Caption = "the words with the largest scores"
		t.Columns = append(t.Columns[:2], term.Right("score"), term.Left("speaks"))
	}
	if v.Within != nil {
		t.Columns = append(t.Columns, term.Right("±").Drop(1))
	}
	t.Columns = append(t.Columns, term.Right("× equal").Drop(2), term.Right("place").Drop(3))
	slipped := v.Slipped(tableRows)
	if slipped != nil {
		t.Columns = append(t.Columns, term.Left("slip.rank_words shows"), term.Right("weight").Drop(1))
	}
	word := func(i int) string {
		text := term.Visible(v.Words[i].Word)
		if !v.Known[i] {
			text = io.Underline(text)
		}
		return text
	}
	for rank, i := range v.Top(tableRows) {
		row := []string{strconv.Itoa(rank + 1), word(i), weight(v, i)}
		if v.Signed {
			row = append(row, speaks(classes, v.Class, v.Ratio[i]))
		}
		if v.Within != nil {
			row = append(row, fmt.Sprintf("%.2g", v.Within[i]))
		}
		row = append(row, fmt.Sprintf("%.1f", math.Abs(v.Ratio[i])), strconv.Itoa(i+1))
		if slipped != nil {
			row = append(row, word(slipped[rank]), format.Share(v.Weights[slipped[rank]]))
		}
		t.Add(row...)
	}
	return t
}

// termTable lists the n-grams with the largest contributions.
func termTable(classes []string, e *counts.Explanation) *term.Table {
	t := term.NewTable(term.Right(""), term.Left("n-gram"), term.Right("contribution"), term.Left("pushes"), term.Right("times").Drop(2))
	t.Caption = "the n-grams with the largest contributions"
	above, below := toward(classes, e)
	for i, x := range e.Terms[:min(tableRows, len(e.Terms))] {
		to := above
		if x.Sum < 0 {
			to = below
		}
		t.Add(strconv.Itoa(i+1), term.Visible(x.Name), logits(x.Sum), to, strconv.Itoa(len(x.Places)))
	}
	return t
}

// toward returns the directions of positive and negative contributions.
func toward(classes []string, e *counts.Explanation) (above, below string) {
	above = "to " + classes[e.For]
	if e.Against < 0 {
		return above, "away from " + classes[e.For]
	}
	return above, "to " + classes[e.Against]
}

// explained describes the score of a text as a sum, in lines.
func explained(classes []string, v *infer.View) []string {
	e := v.Explained
	above, below := toward(classes, e)
	plus, minus := 0.0, 0.0
	for _, t := range e.Terms {
		plus, minus = plus+max(0, t.Sum), minus+min(0, t.Sum)
	}
	to := above
	if e.Score() <= 0 {
		to = below
	}
	total := fmt.Sprintf("%s: %s %s, %s %s; bias %s: sum %s, which is %s", format.Counted(len(e.Terms), "n-gram"),
		logits(plus), above, logits(minus), below, logits(e.Bias), logits(e.Score()), to)
	return []string{"shown: the contributions of the n-grams, each divided evenly among its words", total}
}

func logits(x float64) string { return format.Fixed(x, 3) }
