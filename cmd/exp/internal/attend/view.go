package attend

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/dataset/token"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/models/counts"
	"imdbexp/runs"
)

// printText shows one text: the prediction, the words shaded, and the largest weights.
func printText(io *term.IO, m *infer.Model, s subject, top int) {
	v := s.view
	head := io.Paint(term.Bold, s.name())
	if s.why != "" {
		head += " (" + s.why + ")"
	}
	io.Say(head+": "+verdict(m.Classes, s), "", "  ")
	for _, line := range slices.Concat(facts(m.Classes, v), s.found) {
		io.Say(line, "", "  ")
	}
	if v.Wordless() {
		return
	}
	io.Printf("\n%s\n", term.WrapWords(shaded(io, s), io.TextWidth(), "  ", "  "))
	t := wordTable(io, m.Classes, v, top)
	if t == nil {
		return
	}
	io.Printf("\n")
	t.Text(io, "  ")
}

// shaded returns the pieces of a text between blanks, its words shaded.
func shaded(io *term.IO, s subject) []string {
	return modelview.Pieces(s.Text, modelview.Spans(s.view), func(p modelview.Span, shown string) string {
		switch {
		case p.Left:
			shown = io.Paint(term.Dim, shown)
		case p.Ratio < 0: // against the predicted class
			shown = io.ShadeAgainst(infer.Strength(-p.Ratio), shown)
		default:
			shown = io.Shade(infer.Strength(p.Ratio), shown)
		}
		if p.Unknown {
			shown = io.Underline(shown)
		}
		return shown
	})
}

// legend explains the marks that the texts have: shades, words without a vector, omitted words.
func legend(io *term.IO, classes []string, list []subject) {
	var shaded, unknown, left bool
	for _, s := range list {
		if s.view.Wordless() {
			continue
		}
		shaded = shaded || s.view.Attended != nil || s.view.Explained != nil
		unknown = unknown || slices.Contains(s.view.Known, false) || masked(s.view) > 0
		left = left || len(s.view.Left) > 0
	}
	var text []string
	if shaded {
		text = []string{"× equal share:", "[2 or more]", "[[8 or more]]", "[[[32 or more]]]"}
		if io.Color() {
			text = text[:1]
			for _, n := range infer.Doublings {
				text = append(text, io.Shade(infer.Strength(float64(n)), fmt.Sprintf(" %d ", n)))
			}
		}
		if toward := directions(classes, list); toward != nil {
			text = append(text, toward[0]+",", io.ShadeAgainst(1, toward[1]))
		}
	}
	if slices.ContainsFunc(list, func(s subject) bool { return s.view.Signed }) {
		text = append(text, "for the predicted class; "+io.ShadeAgainst(1, "against it"))
	}
	if unknown && list[0].view.Counts {
		text = append(text, io.Underline("not in train"))
	} else if unknown {
		text = append(text, io.Underline("no vector"))
	}
	if left && io.Color() {
		text = append(text, io.Paint(term.Dim, "left out"))
	}
	if len(text) > 0 {
		io.Printf("\n%s\n", term.WrapWords(text, io.Width(), "  ", "  "))
	}
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
	grams := count(v.Words, func(w token.Token) bool { return strings.Contains(w.Word, " ") }) // listed with the words
	unknown := count(v.Known, func(known bool) bool { return !known })
	words := format.Counted(len(v.Words)-grams, "word")
	if v.Wordless() {
		words = "no words: the model sees one"
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

// masked counts the words that the model does not see because they have no vector.
func masked(v *infer.View) int { return count(v.Left, func(w infer.LeftWord) bool { return w.Masked }) }

func count[T any](list []T, holds func(T) bool) (n int) {
	for _, x := range list {
		if holds(x) {
			n++
		}
	}
	return n
}

// wordTable lists the words, or n-grams, that count most, in at most n rows; nil for an empty table.
func wordTable(io *term.IO, classes []string, v *infer.View, n int) *term.Table {
	var t *term.Table
	switch {
	case v.Explained != nil:
		t = termTable(classes, v.Explained, n)
	case !v.Wordless() && v.Attended != nil:
		t = weightTable(io, classes, v, n)
	}
	if t == nil || len(t.Rows) == 0 {
		return nil
	}
	return t
}

func right(head string, optional int) term.Column {
	return term.Column{Head: head, Right: true, Optional: optional}
}

// weightTable lists the words with the largest weights or scores. For a run with
// slip.rank_words it also shows the words that the original took for them.
func weightTable(io *term.IO, classes []string, v *infer.View, n int) *term.Table {
	t := term.NewTable(right("", 0), term.Column{Head: "word"}, right("weight", 0))
	t.Caption = "the words with the largest weights"
	if v.Signed {
		t.Caption = "the words with the largest scores"
		t.Columns = append(t.Columns[:2], right("score", 0), term.Column{Head: "speaks"})
	}
	if v.Within != nil {
		t.Columns = append(t.Columns, right("±", 1))
	}
	t.Columns = append(t.Columns, right("× equal", 2), right("place", 3))
	slipped := v.Slipped(n)
	if slipped != nil {
		t.Columns = append(t.Columns, term.Column{Head: "slip.rank_words shows"}, right("weight", 1))
	}
	word := func(i int) string {
		text := term.Visible(v.Words[i].Word)
		if !v.Known[i] {
			text = io.Underline(text)
		}
		return text
	}
	for rank, i := range v.Top(n) {
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
func termTable(classes []string, e *counts.Explanation, n int) *term.Table {
	t := term.NewTable(right("", 0), term.Column{Head: "n-gram"}, right("contribution", 0), term.Column{Head: "pushes"}, right("times", 2))
	t.Caption = "the n-grams that count most"
	for i, x := range e.Terms[:min(n, len(e.Terms))] {
		to, against := toward(classes, e)
		if x.Sum < 0 {
			to = against
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

// directions returns toward for texts that are shown together, nil if the model does not
// count n-grams. If the texts have different classes it speaks of the predicted class.
func directions(classes []string, list []subject) []string {
	var out []string
	for _, s := range list {
		e := s.view.Explained
		if e == nil {
			continue
		}
		above, below := toward(classes, e)
		if out != nil && out[0] != above {
			return []string{"to the predicted class", "away from it"}
		}
		out = []string{above, below}
	}
	return out
}

// explained describes in lines how the score of a text adds up.
func explained(classes []string, v *infer.View) []string {
	e := v.Explained
	above, below := toward(classes, e)
	plus, minus := 0.0, 0.0
	for _, t := range e.Terms {
		if t.Sum > 0 {
			plus += t.Sum
		} else {
			minus += t.Sum
		}
	}
	total := fmt.Sprintf("%s: %s %s, %s %s; bias %s: in all %s, which is %s", format.Counted(len(e.Terms), "n-gram"),
		logits(plus), above, logits(minus), below, logits(e.Bias), logits(e.Score()), map[bool]string{true: above, false: below}[e.Score() > 0])
	return []string{"shown: the contributions of the n-grams, each divided evenly among its words", total}
}

func logits(x float64) string { return format.Fixed(x, 3) }
