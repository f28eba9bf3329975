package attend

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strconv"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/internal/format"
	"imdbexp/internal/ops"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

// usualSpread is how many reviews of each class --spread measures. Its numbers are means,
// and comparing all words with each other takes time.
const usualSpread = 100

// printSpread prints the spread of the scores of each head.
func printSpread(ctx context.Context, a *cli.App, run *runs.Run, m *infer.Model, o options) error {
	heads, err := m.ScoringHeads()
	if err != nil {
		return lacking(run, err)
	}
	corpus, err := corpusOf(ctx, a, run, m)
	if err != nil {
		return err
	}
	limit, all := o.limit, run.Config.General().Limit
	if limit == 0 || all > 0 && all < limit {
		limit = all
	}
	if m.BatchDependent() && limit != all {
		a.Warn(errors.New("the run had other reviews in its batches, on which its predictions depend; --limit 0 uses the same batches"))
	}
	seen, stop := func(int, int) {}, func() {}
	if a.IO.Terminal() {
		b := progress.NewBar(a.IO)
		stop = b.Stop
		seen = func(done, of int) {
			b.Set(int64(done), int64(of), "scores", fmt.Sprintf("%s of %s", format.Thousands(done), format.Counted(of, "review")))
		}
	}
	s, err := measureSpreads(ctx, m, corpus, heads, limit, seen)
	stop()
	if err != nil {
		return lacking(run, err)
	}
	return spreadTable(a, run, heads, s)
}

// spreadTable prints a row for each head; a pipe gets all digits.
func spreadTable(a *cli.App, run *runs.Run, heads []infer.Head, s *spreads) error {
	terminal := a.IO.Terminal()
	t := term.NewTable(term.Column{Head: "layer"}, term.Column{Head: "head"}, term.Column{Head: "variance"}, term.Column{Head: "unscaled_variance"},
		term.Column{Head: "entropy"}, term.Column{Head: "of_log_n"}, term.Column{Head: "largest_weight"}, term.Column{Head: "slope"}, term.Column{Head: "words_above_0"}, term.Column{Head: "reviews"})
	if terminal {
		right := func(head string, optional int) term.Column {
			return term.Column{Head: head, Right: true, Optional: optional}
		}
		t = term.NewTable(term.Column{Head: "layer"}, term.Column{Head: "head"}, right("variance", 0), right("unscaled", 1), right("entropy", 0),
			right("of log n", 2), right("largest", 0), right("slope", 0))
		a.Say(fmt.Sprintf("%s: %s", a.Headed(&run.Config), format.Counted(s.reviews, "test review")), "", "  ")
		a.Printf("\n")
	}
	for i, h := range s.of {
		layer, head := strconv.Itoa(heads[i].Layer), strconv.Itoa(heads[i].Head)
		if terminal {
			if heads[i].Layer == 0 {
				layer, head = "words", "–"
			}
			t.Add(layer, head, significant(h.variance), significant(h.unscaled), fmt.Sprintf("%.2f", h.entropy), fmt.Sprintf("%.3f", h.share),
				fmt.Sprintf("%.3f", h.largest), fmt.Sprintf("%.3f", h.slope))
			continue
		}
		row := []string{layer, head}
		for _, x := range []float64{h.variance, h.unscaled, h.entropy, h.share, h.largest, h.slope, h.words} {
			row = append(row, strconv.FormatFloat(x, 'g', 6, 64))
		}
		t.Add(append(row, strconv.Itoa(s.reviews))...)
	}
	if err := t.Print(a.IO); err != nil || !terminal {
		return err
	}
	by, over := "a query compares words by", "queries whose results are read"
	of := "1 − Σα² of their softmax"
	if s.by != ops.Softmax {
		of = fmt.Sprintf("of their %s, which gives %.1f words a weight above 0", s.by, s.of[0].words)
	}
	if s.overQueries {
		by, over = "queries compete for a word by (slip.softmax_queries)", "words"
	}
	a.Printf("\n%s\n", a.Wrap(fmt.Sprintf("Variance of the scores that %s; entropy in nats, largest weight and slope %s. "+
		"The slope is how much gradient reaches the scores, 0 if one weight is 1. Means over the %s, then over reviews.", by, of, over), "", ""))
	return nil
}

// significant returns a positive number with at least three digits.
func significant(x float64) string {
	if x >= 99.95 && x < 1e9 {
		return format.Thousands(int(math.Round(x)))
	}
	return fmt.Sprintf("%#.3g", x)
}
