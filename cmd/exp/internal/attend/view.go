package attend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/token"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/models/counts"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
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

type subject struct {
	dataset.Review        // ID is "" for a given text
	why            string // why it was chosen; "" for a plain choice
	view           *infer.View
	found          []string // by --flip, in sentences
}

// name returns what to call it.
func (s *subject) name() string {
	if s.ID == "" {
		return "the text given"
	}
	return "review " + s.ID
}

// subjects returns the texts that the command line names, reviews of the run's data that are
// chosen by its predictions, or else a typical one.
func subjects(ctx context.Context, a *cli.App, run *runs.Run, words []string, o options) ([]subject, error) {
	if len(words) > 0 {
		text, err := cli.TypedText(a.IO, words)
		return []subject{{Review: dataset.Review{Text: text, Label: dataset.Unlabelled}}}, err
	}
	dir, err := a.Installed()
	if err != nil {
		return nil, err
	}
	picked, err := pick(run, o)
	if err != nil && o.surestWrong > 0 {
		return nil, err
	}
	a.Warn(err)
	var ids []string
	for _, s := range picked {
		ids = append(ids, s.ID)
	}
	found, err := infer.Reviews(ctx, dir, run, ids) // without IDs to choose by, the first one
	if len(picked) == 0 {
		picked = make([]subject, len(found))
	}
	for i := range found {
		picked[i].Review = found[i]
	}
	if _, missing := errors.AsType[*folder.NotInstalledError](err); missing {
		err = fmt.Errorf("%w. A text needs no data: %s", err, a.Command("attend", run.Label(), "some text"))
	}
	return picked, err
}

// pick chooses reviews by their IDs, with the reason for each; nil without predictions to choose by.
func pick(run *runs.Run, o options) (out []subject, err error) {
	add := func(id, why string) { out = append(out, subject{Review: dataset.Review{ID: id}, why: why}) }
	for _, id := range o.reviews {
		add(id, "")
	}
	asked := o.surestWrong > 0
	switch {
	case len(out) > 0 && !asked, run.Path == "" && !asked:
		return out, nil
	case run.Path == "":
		return nil, errors.New("an exported model has no predictions to choose by: name reviews with --review, or name its run")
	}
	p, err := run.Predictions()
	switch {
	case !asked && errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s has no predictions to choose by; it is %s", run.Label(), run.Status)
	case err != nil:
		return nil, err
	}
	if !asked {
		if row := modelview.Typical(p.Rows); row != nil {
			add(row.Review, "")
		}
		return out, nil
	}
	wrong := surestWrong(p.Rows, o.surestWrong)
	for i, r := range wrong {
		add(r.Review, fmt.Sprintf("wrong and sure, %d of %d", i+1, len(wrong)))
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s: none of its %d test reviews is predicted wrong", run.Label(), len(p.Rows))
	}
	return out, nil
}

// surestWrong returns the n labelled reviews whose wrong class is most probable.
func surestWrong(rows []runs.Prediction, n int) []runs.Prediction {
	list := slices.DeleteFunc(slices.Clone(rows), func(r runs.Prediction) bool { return r.Label < 0 || r.Predicted == r.Label })
	doubt := func(r runs.Prediction) (sum float64) { // more precise than 1 − p
		for c, p := range r.P {
			if c != r.Predicted {
				sum += float64(p)
			}
		}
		return sum
	}
	slices.SortStableFunc(list, func(a, b runs.Prediction) int { return cmp.Compare(doubt(a), doubt(b)) })
	return list[:min(n, len(list))]
}

// showBy shows the score of --by instead of attention in all views. With --flip it finds the words
// that change the answer, in the order of that score.
func (s *shown) showBy(ctx context.Context, o options) error {
	a := scores.New(s.m, scoreSeed)
	defer a.Close()
	score := scores.Named(o.by)
	for i := range s.list {
		text := &s.list[i]
		v := text.view
		t := scores.Text{Encoded: s.m.Encode(text.Text), Class: v.Class, Number: i}
		a.Complete, a.Estimate = scores.Completeness{}, nil
		of, err := [][]float32{nil}, error(nil)
		if o.given("by") && (o.by != scores.Attention || o.flip != "") {
			if of, err = a.Compute(ctx, score, []scores.Text{t}); err != nil {
				return err
			}
		}
		if o.flip != "" && !v.Wordless() {
			f, err := a.Flip(ctx, t, of[0], o.flip, flipWords)
			if err != nil {
				return err
			}
			text.found = []string{f.Says(t.Names(), s.m.Classes)}
		}
		if o.by == scores.Attention {
			continue
		}
		what := score.Title
		if score.Signed {
			sum := 0.0
			for _, x := range of[0] {
				sum += float64(x)
			}
			what += fmt.Sprintf(" of the margin of %s, which add up to %s", s.m.Classes[v.Class], signed(sum))
		}
		if c := a.Complete; c.Texts > 0 {
			what += fmt.Sprintf(" (%.2g %% off the margin's gain from zero vectors, with %d points)", 100*c.Share(), c.Steps)
		}
		if e := a.Estimate; e != nil && e.Asked > 0 {
			what += fmt.Sprintf("; estimated from %s random texts, seed %d; ±: 95 %% interval", format.Thousands(e.Asked), scoreSeed)
			v.Within = e.Within[0]
		}
		v.Show(of[0], what, score.Signed)
	}
	return nil
}

// scoreSeed is the seed of random scores and of the random texts of estimates.
const scoreSeed = 1

// flipWords limits the total words of all texts with the same number of changes: about half a
// minute of computing.
const flipWords = 150_000_000

// replaceAttention replaces the attention of readings by a score. before counts the
// readings that came earlier.
func replaceAttention(ctx context.Context, a *scores.Asker, score *scores.Score, list []infer.Reading, before int) error {
	texts := make([]scores.Text, len(list))
	for i, r := range list {
		texts[i] = scores.Text{Encoded: infer.Encoded{Rows: r.Rows}, Class: r.Class, Number: before + i}
	}
	of, err := a.Compute(ctx, score, texts)
	if err != nil {
		return fmt.Errorf("%s to %s: %w", list[0].ID, list[len(list)-1].ID, err)
	}
	for i := range list {
		v := infer.View{}
		v.Show(of[i], score.Title, score.Signed)
		list[i].Attended = v.Attended
	}
	return nil
}

// speaks returns the class that a word speaks for, or against.
func speaks(classes []string, predicted int, score float64) string {
	switch {
	case score == 0:
		return "for none"
	case score > 0:
		return "for " + classes[predicted]
	case len(classes) == 2:
		return "for " + classes[1-predicted]
	}
	return "against " + classes[predicted]
}

func weight(v *infer.View, i int) string {
	switch {
	case v.Signed:
		return signed(float64(v.Weights[i]))
	case v.Scored:
		return strconv.FormatFloat(float64(v.Weights[i]), 'g', 3, 32)
	}
	return format.Share(v.Weights[i])
}

func signed(x float64) string {
	text := strconv.FormatFloat(x, 'g', 3, 64)
	if x > 0 {
		return "+" + text
	}
	return format.Minus(text)
}

// picture writes a shaded text as a picture, for a paper or slides.
func (l *shown) picture(a *cli.App, o options) error {
	if len(l.list) != 1 {
		return cli.Usage(errors.New("--out draws one text"))
	}
	s := l.list[0]
	var pieces [][]chart.Part
	piece := func(text string, shade float64, faint bool) { // a blank ends a piece
		for i, part := range strings.FieldsFunc(modelview.Unbroken(term.Visible(text)), func(r rune) bool { return r == ' ' }) {
			if i > 0 || strings.HasPrefix(text, " ") || len(pieces) == 0 {
				pieces = append(pieces, nil)
			}
			last := len(pieces) - 1
			pieces[last] = append(pieces[last], chart.Part{Text: part, Shade: shade, Faint: faint})
		}
		if strings.HasSuffix(text, " ") {
			pieces = append(pieces, nil)
		}
	}
	for span, text := range modelview.Stretches(s.Text, modelview.Spans(s.view)) {
		shade := infer.Strength(math.Abs(span.Ratio))
		if span.Ratio < 0 {
			shade = -shade
		}
		piece(text, shade, span.Left || span.To == 0)
	}
	key := "the darker a word, the more attention it has: from one equal share to 32"
	if toward := directions(l.m.Classes, l.list); toward != nil {
		key = "orange " + toward[0] + ", blue " + toward[1] + "; the darker, the more: from one equal share to 32"
	} else if s.view.Signed {
		key = "orange speaks for the predicted class, blue against it; the darker, the more: from one equal share to 32"
	}
	if strings.TrimSpace(s.Text) == "" {
		pieces = [][]chart.Part{{{Text: "(no words)", Faint: true}}}
	}
	f, err := chart.Shaded("attention-"+l.run.Label(), s.name()+": "+verdict(l.m.Classes, s), l.run.Label()+" · "+l.weights+" · "+key, pieces)
	if err != nil {
		return err
	}
	see := ""
	if canvas.Lacks(strings.Join(strings.Fields(s.Text), "")) {
		see = "the font of the PNG lacks some characters of the text and shows boxes; an SVG shows them in the reader's fonts"
	}
	return a.WritePicture(f, o.out, see)
}
