package attend

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
	"imdbexp/internal/term"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/runs"
)

// showBy shows the score of --by instead of attention. With --flip it finds the words whose change
// flips the prediction, by that score.
func (s *shown) showBy(ctx context.Context, o options) (err error) {
	a := scores.New(s.m, scoreSeed)
	defer a.Close()
	score, v := scores.Named(o.by), s.view
	t := scores.Text{Encoded: s.m.Encode(s.review.Text), Class: v.Class}
	of := [][]float32{nil}
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
		s.found = f.Says(t.Names(), s.m.Classes)
	}
	if o.by == scores.Attention {
		return nil
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
		what += fmt.Sprintf(" (%.2g %% from the margin's gain over zero vectors, with %d points)", 100*c.Share(), c.Steps)
	}
	if e := a.Estimate; e != nil && e.Asked > 0 {
		what += fmt.Sprintf("; estimated from %s random texts, seed %d; ±: 95 %% interval", format.Thousands(e.Asked), scoreSeed)
		v.Within = e.Within[0]
	}
	v.Show(of[0], what, score.Signed)
	return nil
}

// scoreSeed is the seed of random scores and of the random texts of estimates.
const scoreSeed = 1

// flipWords limits the total words of all texts with the same number of changes: about half a
// minute of computing.
const flipWords = 150_000_000

// replaceAttention replaces the attention of readings with a score. before is the
// number of earlier readings.
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

// picture writes the shaded text as a picture, for a paper or slides.
func (s *shown) picture(a *cli.App, o options) error {
	text := s.review.Text
	var pieces [][]chart.Part
	piece := func(text string, shade float64, faint bool) { // a space ends a piece
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
	for span, text := range modelview.Stretches(text, modelview.Spans(s.view)) {
		shade := infer.Strength(math.Abs(span.Ratio))
		if span.Ratio < 0 {
			shade = -shade
		}
		piece(text, shade, span.Left || span.To == 0)
	}
	key := "the darker a word, the more attention it has: from one equal share to 32"
	if s.view.Explained != nil {
		above, below := toward(s.m.Classes, s.view.Explained)
		key = "orange " + above + ", blue " + below + "; the darker, the more: from one equal share to 32"
	} else if s.view.Signed {
		key = "orange speaks for the predicted class, blue against it; the darker, the more: from one equal share to 32"
	}
	if strings.TrimSpace(text) == "" {
		pieces = [][]chart.Part{{{Text: "(no words)", Faint: true}}}
	}
	f, err := chart.Shaded("attention-"+s.run.Label(), s.name()+": "+s.verdict(), s.run.Label()+" · "+s.weights+" · "+key, pieces)
	if err != nil {
		return err
	}
	see := ""
	if canvas.Lacks(strings.Join(strings.Fields(text), "")) {
		see = "the font of the PNG lacks some characters of the text and leaves gaps; an SVG shows them in the reader's fonts"
	}
	return a.WritePicture(f, o.out, see)
}

const (
	padded   = 915  // length to which the original padded the review of figure 18
	maxDrawn = 5000 // words; more would not be distinguishable
	maxNamed = 40   // words; more labels have no room
)

// dots draws the dot products of the text's words with their positions, and next to it the same
// padded with zero vectors, as in the original (figure 18 of the published report).
func (s *shown) dots(a *cli.App, out string) error {
	fail := func(err error) error { return fmt.Errorf("%s: %s %w", s.run.Label(), s.name(), err) }
	words, rows, err := s.vectors()
	if err != nil {
		return fail(err)
	}
	p, err := positionsOf(&s.run.Config, s.m)
	if err != nil {
		return fail(err)
	}
	n, d, front := len(words), s.m.Dim(), 0
	if s.hasCLS() {
		front = 1
	}
	all := max(n, min(padded, cmp.Or(len(p.table)/d, padded)))
	rows = append(rows, make([]float32, (all-n)*d)...)
	if err := p.add(rows, d); err != nil {
		return fail(err)
	}
	products := make([]float32, all*all)
	for i := range all {
		simd.DotRows(products[i*all:][:all], rows, d, d, rows[i*d:][:d])
	}
	low, high := math.Inf(1), math.Inf(-1) // of the words; [CLS] may lie beyond
	for i := front; i < all; i++ {
		row := products[i*all:][front:all]
		low, high = min(low, float64(slices.Min(row))), max(high, float64(slices.Max(row)))
	}
	at := func(i, j int) float64 { return float64(products[i*all+j]) }
	list := []chart.Matrix{{Title: "the review's words", X: "word", Y: "word", Rows: n, Cols: n, At: at, Low: low, High: high}}
	if n <= maxNamed {
		list[0].Words, list[0].X, list[0].Y = words, "", ""
	}
	see := "Light rows are rare words; the vectors of frequent words point the same way, so they are dark. The bands along the diagonal are from the positions."
	if all > n {
		list = append(list, chart.Matrix{Title: fmt.Sprintf("padded to %d, as the original", all), X: "word", Y: "word", Rows: all, Cols: all, At: at, Low: low, High: high})
		see += " Padding shows only bands: zero vectors with positions, which the original used like words."
	}
	about := s.name() + ": " + format.Counted(n-front, "word")
	f, err := chart.Heatmaps("dots-"+s.run.Config.Name, "Dot products of position-encoded words", fmt.Sprintf("%s · %s · %s", s.run.Label(), about, p.what), list...)
	if err != nil {
		return err
	}
	a.Say(about)
	return a.WritePicture(f, out, see)
}

func (s *shown) hasCLS() bool { return s.run.Config.Setting("pool") == "cls" }

// vectors returns the words that the model sees, with [CLS], and their vectors [n, d].
func (s *shown) vectors() (words []string, rows []float32, err error) {
	e := s.m.Encode(s.review.Text)
	switch {
	case s.m.Scorer() != nil:
		return nil, nil, errors.New("cannot be drawn: " + infer.NoGraph + "it has no word vectors")
	case infer.Wordless(e.Words):
		return nil, nil, errors.New("has no words to draw")
	case len(e.Words) > maxDrawn:
		return nil, nil, fmt.Errorf("has %d words; at most %d can be drawn", len(e.Words), maxDrawn)
	}
	if s.hasCLS() {
		words = []string{infer.CLS}
		if rows, err = s.m.Weight("cls"); err != nil {
			return nil, nil, err
		}
		rows = slices.Clone(rows)
	}
	for i, w := range e.Words {
		words, rows = append(words, w.Word), append(rows, s.m.Vector(e.Rows[i])...)
	}
	return words, rows, nil
}

// positions are the encodings of a run's positions, by default the sinusoids of Vaswani et al.
type positions struct {
	what   string // in a caption
	table  []float32
	layout ops.PositionLayout
	base   float64
}

func positionsOf(c *runs.Config, m *infer.Model) (p positions, err error) {
	layouts := map[string]ops.PositionLayout{"sinusoid": ops.Interleaved, "halves": ops.Halves}
	p.base = 10000
	switch kind := c.Setting("positions"); {
	case kind == "learned":
		p.what = "learned positions"
		p.table, err = m.Weight("positions")
	case kind == "" || kind == "none":
		p.what = "positions=sinusoid, base 10000, added for the drawing (the model has none)"
	default:
		p.layout = layouts[kind]
		if b := c.Setting("positions.base"); b != "" {
			p.base, err = strconv.ParseFloat(b, 64)
		}
		p.what = fmt.Sprintf("positions=%s, base %g", kind, p.base)
	}
	return p, err
}

// add adds the encodings of the positions from 0 to rows [n, d].
func (p positions) add(rows []float32, d int) error {
	if p.table != nil {
		if len(rows) > len(p.table) {
			return fmt.Errorf("has %d words, but the run has learned %d positions", len(rows)/d, len(p.table)/d)
		}
		simd.Add(rows, p.table[:len(rows)])
		return nil
	}
	row := make([]float32, d)
	for i := range len(rows) / d {
		ops.PositionEncoding(row, i, d, p.base, p.layout)
		simd.Add(rows[i*d:][:d], row)
	}
	return nil
}
