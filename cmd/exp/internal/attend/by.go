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

// scoring puts a score in the place of the attention of readings before others see them. It asks
// about many at a time, whose words the model then reads together.
type scoring struct {
	ctx   context.Context
	asker *scores.Asker
	score *scores.Score
	list  []infer.Reading // that wait
	done  int             // readings before these
	see   func(*infer.Reading) error
}

// together is how many readings are asked about at a time.
const together = 256

// scored returns the scoring by a score of that name; nil where attention is asked for.
func scored(ctx context.Context, m *infer.Model, name string) (*scoring, error) {
	score, err := scores.Lookup(name)
	switch {
	case err != nil || name == scores.Attention:
		return nil, err
	case score.Lacks(m) != "":
		return nil, &infer.LookError{Message: score.Title + ": " + score.Lacks(m)}
	}
	return &scoring{ctx: ctx, asker: scores.New(m, scores.Options{Seed: 1}), score: score}, nil
}

func (s *scoring) close() { s.asker.Close() }

// add takes a reading, whose slices are its own.
func (s *scoring) add(r *infer.Reading) error {
	s.list = append(s.list, *r)
	if len(s.list) < together {
		return nil
	}
	return s.flush()
}

// flush lets the readings that wait be seen.
func (s *scoring) flush() error {
	if len(s.list) == 0 {
		return nil
	}
	texts := make([]scores.Text, len(s.list))
	for i, r := range s.list {
		texts[i] = scores.Text{Encoded: infer.Encoded{Rows: r.Rows}, Class: r.Class, Number: s.done + i}
	}
	of, err := s.asker.Of(s.ctx, s.score, texts)
	if err != nil {
		return fmt.Errorf("%s to %s: %w", s.list[0].ID, s.list[len(s.list)-1].ID, err)
	}
	for i := range s.list {
		r, v := &s.list[i], infer.View{}
		v.Show(of[i], s.score.Title, s.score.Signed)
		r.Attended = v.Attended
		if err := s.see(r); err != nil {
			return err
		}
	}
	s.done += len(s.list)
	s.list = s.list[:0]
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
