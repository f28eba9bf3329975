package attend

import (
	"context"
	"fmt"
	"math"
	"strconv"
	"strings"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/number"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/term"
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
	a := scores.New(m, scores.Options{Seed: 1})
	defer a.Close()
	for i := range list {
		v := list[i].view
		a.Complete = scores.Completeness{}
		of, err := a.Of(ctx, score, []scores.Text{{Encoded: m.Encode(list[i].Text), Class: v.Class, Number: i}})
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

// scored returns what puts a score of that name in the place of a reading's attention
// before others see it; done frees it.
func scored(ctx context.Context, m *infer.Model, name string) (by func(func(*infer.Reading) error) func(*infer.Reading) error, done func(), err error) {
	score, err := scores.Lookup(name)
	switch {
	case err != nil || name == scores.Attention:
		return func(f func(*infer.Reading) error) func(*infer.Reading) error { return f }, func() {}, err
	case score.Lacks(m) != "":
		return nil, nil, &infer.LookError{Message: score.Title + ": " + score.Lacks(m)}
	}
	a, number := scores.New(m, scores.Options{Seed: 1}), 0
	return func(f func(*infer.Reading) error) func(*infer.Reading) error {
		return func(r *infer.Reading) error {
			of, err := a.Of(ctx, score, []scores.Text{{Encoded: infer.Encoded{Rows: r.Rows}, Class: r.Class, Number: number}})
			if err != nil {
				return fmt.Errorf("%s: %w", r.ID, err)
			}
			number++
			v := infer.View{}
			v.Show(of[0], score.Title, score.Signed)
			r.Attended = v.Attended
			return f(r)
		}
	}, func() { a.Close() }, nil
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
	return number.Share(v.Weights[i])
}

func signed(x float64) string {
	text := strconv.FormatFloat(x, 'g', 3, 64)
	if x > 0 {
		return "+" + text
	}
	return strings.Replace(text, "-", "−", 1)
}

// largestScores prints the words with the largest scores that have signs.
func largestScores(io *term.IO, classes []string, v *infer.View, n int) error {
	t := term.NewTable(term.Column{Head: "", Right: true}, term.Column{Head: "word"}, term.Column{Head: "score", Right: true},
		term.Column{Head: "speaks"}, term.Column{Head: "× equal", Right: true, Optional: 2}, term.Column{Head: "place", Right: true, Optional: 3})
	for rank, i := range v.Top(n) {
		t.Add(strconv.Itoa(rank+1), wordAt(io, v, i), signed(float64(v.Weights[i])), speaks(classes, v.Class, v.Ratio[i]),
			fmt.Sprintf("%.1f", math.Abs(v.Ratio[i])), strconv.Itoa(i+1))
	}
	return t.Text(io, "  ")
}
