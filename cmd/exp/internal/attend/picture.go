package attend

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/modelview"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/term"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
)

// showBy shows the score of --by instead of attention. With --flip it finds the words that change
// the answer, in the order of that score.
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
		what += fmt.Sprintf(" (%.2g %% off the margin's gain from zero vectors, with %d points)", 100*c.Share(), c.Steps)
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

// picture writes the shaded text as a picture, for a paper or slides.
func (s *shown) picture(a *cli.App, o options) error {
	text := s.review.Text
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
