package attend

import (
	"fmt"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/format"
	"imdbexp/runs"
)

// weights describes the settings and the epoch of the weights shown.
func (o *options) weights(run *runs.Run) string {
	text := fmt.Sprintf("%s; weights of epoch %d of %d", o.about, o.epoch, run.Config.Epochs())
	if run.Converged() {
		text = fmt.Sprintf("%s; converged after epoch %d", o.about, o.epoch)
	}
	if !o.file && run.Status.State != runs.Finished {
		text += "; the run is " + run.Status.State.String()
	}
	return text
}

// verdict describes a prediction: predicted pos (92 %), neg 8 %; label pos: right.
func verdict(classes []string, s subject) string {
	v := s.view
	text := fmt.Sprintf("predicted %s (%s)", classes[v.Class], format.Share(v.P[v.Class]))
	for c, p := range v.P {
		if c != v.Class && len(classes) <= 5 {
			text += fmt.Sprintf(", %s %s", classes[c], format.Share(p))
		}
	}
	switch {
	case s.Label < 0 || s.Label >= len(classes):
	case s.Label == v.Class:
		text += "; label " + classes[s.Label] + ": right"
	default:
		text += "; label " + classes[s.Label] + ": wrong"
	}
	return text
}

// facts describes in lines where the attention goes and how far it is spread.
func facts(classes []string, v *infer.View) []string {
	without := "without a vector"
	if v.Counts {
		without = "missing or too rare in train"
	}
	grams := 0 // listed with the words, with blanks in them
	for _, w := range v.Words {
		if strings.Contains(w.Word, " ") {
			grams++
		}
	}
	n := len(v.Words) - grams
	words := format.Counted(n, "word")
	if v.Wordless() {
		words = "no words: the model sees one"
	}
	if grams > 0 {
		words += " and " + format.Counted(grams, "n-gram")
	}
	unknown := 0
	for _, known := range v.Known {
		if !known {
			unknown++
		}
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
	if n := masked(v); n > 0 {
		words += fmt.Sprintf(", %d more masked because they have no vector", n)
	}
	if n := len(v.Left) - masked(v); n > 0 {
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
	entropy += fmt.Sprintf(": spread as if over %s words", fewer(infer.Effective(w.Entropy)))
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

// masked counts the words that the model does not see because they have no vector.
func masked(v *infer.View) int {
	n := 0
	for _, w := range v.Left {
		if w.Masked {
			n++
		}
	}
	return n
}

// fewer prints a number, with a decimal below 10.
func fewer(x float64) string {
	if x < 9.95 {
		return strconv.FormatFloat(x, 'f', 1, 64)
	}
	return strconv.FormatFloat(x, 'f', 0, 64)
}
