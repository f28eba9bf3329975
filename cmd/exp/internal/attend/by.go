package attend

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/format"
)

// showBy puts a score of that name in the place of the attention in all views; "" leaves
// them as they are.
func showBy(ctx context.Context, m *infer.Model, list []subject, name string) error {
	if name == "" || name == scores.Attention {
		return nil
	}
	score, err := scores.Lookup(name)
	if err != nil {
		return err
	}
	a := scores.New(m, 1)
	defer a.Close()
	for i := range list {
		v := list[i].view
		a.Complete = scores.Completeness{}
		of, err := a.Compute(ctx, score, []scores.Text{{Encoded: m.Encode(list[i].Text), Class: v.Class, Number: i}})
		if err != nil {
			return err
		}
		what := score.Title
		if score.Signed {
			sum := 0.0
			for _, s := range of[0] {
				sum += float64(s)
			}
			what += fmt.Sprintf(" of the margin of %s, which add up to %s", m.Classes[v.Class], signed(sum))
		}
		if c := a.Complete; c.Texts > 0 {
			what += fmt.Sprintf(" (%.2g %% off what the margin gains on the way from zeros, by %d points)", 100*c.Share(), c.Steps)
		}
		v.Show(of[0], what, score.Signed)
	}
	return nil
}

// scored returns what puts a score of that name in the place of the attention of readings; nil
// where attention is asked for. Close the asker.
func scored(m *infer.Model, name string) (*scores.Asker, *scores.Score, error) {
	score, err := scores.Lookup(name)
	switch {
	case err != nil || name == scores.Attention:
		return nil, nil, err
	case score.Lacks(m) != "":
		return nil, nil, &infer.LookError{Message: score.Title + ": " + score.Lacks(m)}
	}
	return scores.New(m, 1), score, nil
}

// put puts a score in the place of the attention of readings, of which others came before.
func put(ctx context.Context, a *scores.Asker, score *scores.Score, list []infer.Reading, before int) error {
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

// speaks says which class a word speaks for, or against.
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

// weight prints one of a view's.
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
	return strings.Replace(text, "-", "−", 1)
}
