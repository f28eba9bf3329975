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
	"imdbexp/cmd/exp/internal/progress"
	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/internal/format"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/term"
	"imdbexp/models"
	"imdbexp/runs"
)

const shownNumbers = 3

// steps prints how the attention to the text is computed.
func (s *shown) steps(io *term.IO, o options) error {
	steps, err := s.m.Steps(s.review.Text, o.selected)
	if err != nil {
		return fmt.Errorf("%s: %s: %w", s.run.Label(), s.name(), err)
	}
	io.Say(io.Paint(term.Bold, s.run.Label()) + ": " + s.weights)
	if info, err := models.Lookup(s.run.Config.Model); err == nil {
		for _, e := range info.Equations(plan.ModelOf(&s.run.Config)) {
			io.SayIndented(e, "  ", "    ")
		}
	}
	printSteps(io, s.m.Classes, steps)
	return nil
}

// printSteps prints the scores, their softmax and the weighted values, then the prediction.
func printSteps(io *term.IO, classes []string, s *infer.Steps) {
	d := len(s.Sum)
	io.Printf("\n%s\n", io.Wrap(fmt.Sprintf("%s: %s (%d numbers in all)", s.From, vector(s.Query), len(s.Query)), "", "  "))
	for _, line := range stepWords(s, min(d, shownNumbers), d) {
		io.SayIndented(line, "  ", "    ")
	}
	io.Printf("\n")
	stepTable(io, s, min(d, shownNumbers))
	if s.Adds != nil && len(classes) <= 6 {
		io.Heading("what each word adds to the logits: W·(weight·v)")
		stepLogits(io, classes, s)
	}
	io.Heading("the prediction")
	stepCheck(io, classes, s)
}

// stepWords explains the columns of the table.
func stepWords(s *infer.Steps, shown, d int) []string {
	scaled := "scaled = score: this model does not scale"
	if s.Scale != 1 {
		scaled = fmt.Sprintf("scaled = score × %.4f, 1/√%.0f", s.Scale, 1/(s.Scale*s.Scale))
	}
	softmax := "weight = " + s.Formula + "; the weights add up to one"
	if s.OverQueries {
		softmax = "weight: the softmax over the queries (slip.softmax_queries); the weights of a word add up to one over all queries, these weights do not"
	}
	score := "score = query · key of the word"
	if s.Additive {
		score = "score = v·tanh(query + key of the word), with the v of the equation"
	}
	return []string{
		score, scaled, softmax,
		fmt.Sprintf("v, weight·v: the first %d of the %d numbers of the word's value; the last line is their sum", shown, d),
	}
}

func digits(list ...float64) (out []string) {
	for _, x := range list {
		out = append(out, format.Fixed(x, 4))
	}
	return out
}

// vector prints the first numbers of a vector.
func vector(x []float64) string {
	out := digits(x[:min(len(x), shownNumbers)]...)
	if len(x) > shownNumbers {
		out = append(out, "…")
	}
	return "[" + strings.Join(out, ", ") + "]"
}

func stepTable(io *term.IO, s *infer.Steps, shown int) {
	t := term.NewTable(term.Left("word"), term.Right("score"), term.Right("scaled").Drop(1), term.Right("weight"))
	for j := range shown {
		t.Columns = append(t.Columns, term.Right("v"+string('₁'+rune(j))).Drop(2+j))
	}
	for j := range shown {
		t.Columns = append(t.Columns, term.Right("weight·v"+string('₁'+rune(j))).Drop(max(0, 2*j-1)))
	}
	total := 0.0
	for i, w := range s.Weights {
		numbers := append([]float64{s.Scores[i], s.Scaled[i], w}, s.Values[i][:shown]...)
		for _, v := range s.Values[i][:shown] {
			numbers = append(numbers, w*v)
		}
		t.Add(append([]string{stepWord(io, s, i)}, digits(numbers...)...)...)
		total += w
	}
	last := append([]string{"sum", "", "", digits(total)[0]}, make([]string, shown)...)
	t.Add(append(last, digits(s.Sum[:shown]...)...)...)
	t.Text(io, "  ")
}

func stepWord(io *term.IO, s *infer.Steps, i int) string {
	w := term.Visible(s.Words[i])
	if !s.Known[i] {
		w = io.Underline(w)
	}
	return w
}

// stepLogits prints what each word adds to the logits.
func stepLogits(io *term.IO, classes []string, s *infer.Steps) {
	t := term.NewTable(term.Left("word"))
	for _, c := range classes {
		t.Columns = append(t.Columns, term.Right(c))
	}
	add := func(name string, numbers []float64) { t.Add(append([]string{name}, digits(numbers...)...)...) }
	for i, v := range s.Adds {
		add(stepWord(io, s, i), v)
	}
	add("bias", s.Bias)
	add("sum", s.Logits)
	t.Text(io, "  ")
}

// stepCheck compares the computed logits with the network's.
func stepCheck(io *term.IO, classes []string, s *infer.Steps) {
	t := term.NewTable(term.Left("class"), term.Right("logit"), term.Right("the network's"), term.Right("probability"))
	highest, sum := slices.Max(s.Logits), 0.0
	for _, z := range s.Logits {
		sum += math.Exp(z - highest)
	}
	off := 0.0
	for c, z := range s.Logits {
		t.Add(classes[c], digits(z)[0], digits(float64(s.Network[c]))[0], format.Share(float32(math.Exp(z-highest)/sum)))
		off = max(off, math.Abs(z-float64(s.Network[c])))
	}
	t.Text(io, "  ")
	if s.Slip != "" {
		io.SayIndented("The logits have gone through "+s.Slip+".", "  ", "  ")
	}
	io.SayIndented(fmt.Sprintf("These numbers are computed again in double precision from the run's weights. They differ from the network's single precision by %.0e.", off), "  ", "  ")
}

// usualSpread is the default number of reviews of each class for --spread. Its numbers are
// means, and comparing all pairs of words takes time.
const usualSpread = 100

// printSpread prints the spread of the scores of each head.
func printSpread(ctx context.Context, a *cli.App, run *runs.Run, m *infer.Model, o options) error {
	heads, _, err := m.ScoringHeads()
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
		a.Warn(errors.New("predictions depend on the other reviews of a batch; --limit 0 uses the batches of the run"))
	}
	b := progress.NewBar(a.IO)
	s, err := measureSpreads(ctx, m, corpus, heads, limit, func(done, of int) { b.Reviews("scores", done, of) })
	b.Stop()
	if err != nil {
		return lacking(run, err)
	}
	t := term.NewTable(term.Left("layer"), term.Left("head"), term.Right("variance"), term.Right("unscaled").Drop(1),
		term.Right("entropy"), term.Right("of log n").Drop(2), term.Right("largest"), term.Right("slope"))
	var values []map[string]any
	for i, h := range s.heads {
		layer, head := strconv.Itoa(heads[i].Layer), strconv.Itoa(heads[i].Head)
		if heads[i].Layer == 0 {
			layer, head = "words", "–"
		}
		t.Add(layer, head, significant(h[variance]), significant(h[unscaled]), format.Fixed(h[entropy], 2), format.Fixed(h[ofLogN], 3), format.Fixed(h[largest], 3), format.Fixed(h[slope], 3))
		row := map[string]any{"layer": heads[i].Layer, "head": heads[i].Head, "reviews": s.reviews}
		for k, name := range []string{"variance", "unscaled_variance", "entropy", "of_log_n", "largest_weight", "slope", "words_above_0"} {
			row[name] = h[k]
		}
		values = append(values, row)
	}
	if !a.Terminal() || o.format != "text" {
		return cli.PrintList(a.IO, o.format, t, values)
	}
	a.Say(a.Headed(&run.Config) + ": " + format.Counted(s.reviews, "test review"))
	a.Printf("\n")
	t.Print(a.IO)
	by, over, of := "a query compares words by", "queries whose results are read", "1 − Σα² of their softmax"
	if s.by != ops.Softmax {
		of = fmt.Sprintf("of their %s, which gives %.1f words a weight above 0", s.by, s.heads[0][aboveZero])
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

// The numbers of a spread, in the order of the table's columns.
const (
	variance  = iota // of a query's scores
	unscaled         // before scaling
	entropy          // of the weights, in nats
	ofLogN           // entropy divided by log n, for n compared words
	largest          // weight
	slope            // ops.Normaliser.Slope
	aboveZero        // words with a weight above 0
	numbers
)

// spread measures the scores by which one head compares words, and their weights. Each
// number is the mean over the queries of a review (most models have one query), and then
// over reviews.
type spread [numbers]float64

// spreads holds the spreads of all heads of a model.
type spreads struct {
	heads       []spread // each head
	reviews     int      // with at least two words
	by          ops.Normaliser
	overQueries bool // the softmax is over the queries (slip.softmax_queries)
}

// measureSpreads measures the first limit test reviews of each class, 0 for all. It calls
// seen with the progress.
func measureSpreads(ctx context.Context, m *infer.Model, c *dataset.Corpus, heads []infer.Head, limit int, seen func(done, of int)) (*spreads, error) {
	s := &spreads{heads: make([]spread, len(heads))}
	read, one, compares := 0, make([]spread, len(heads)), make([]bool, len(heads))
	err := m.ReadScores(ctx, c, dataset.Test, limit, func(done, of int, weighing func(head int) ops.Weighing) error {
		err := m.Pool().For(len(heads), func(h int) {
			w := weighing(h)
			one[h], compares[h] = spreadOf(w), w.Keys.Rows > 1
			if h == 0 {
				s.overQueries, s.by = w.OverQueries, w.By
			}
		})
		read = done
		seen(done, of)
		if err == nil && !slices.Contains(compares, false) {
			s.reviews++
			for h := range one {
				s.heads[h].add(one[h], 1)
			}
		}
		return cmp.Or(err, ctx.Err())
	})
	switch {
	case err != nil:
		return nil, err
	case read == 0:
		return nil, errors.New("the run's data have no test reviews to measure")
	case s.reviews == 0:
		return nil, infer.SelectionErrorf("none of the %d reviews has two words to compare", read)
	}
	for h := range s.heads {
		s.heads[h].add(spread{}, float64(s.reviews))
	}
	return s, nil
}

// spreadOf measures how one review's queries compare its words, or with OverQueries how
// its queries compete for each word. ofLogN is NaN for a single word. Queries with unused
// results are skipped, such as all but [CLS] in the last layer.
func spreadOf(w ops.Weighing) spread {
	var s spread
	n := 0
	for scores, weights := range w.Each() {
		if n == w.Read && !w.OverQueries {
			break
		}
		n++
		mean, square, highest, above := 0.0, 0.0, 0.0, 0.0
		for _, x := range scores {
			mean += x / float64(len(scores))
		}
		for _, x := range scores {
			square += (x - mean) * (x - mean) / float64(len(scores))
		}
		for _, a := range weights {
			highest = max(highest, a)
			if a > 0 {
				above++
			}
		}
		h := infer.Entropy(weights)
		s.add(spread{w.Scale * w.Scale * square, square, h, h / math.Log(float64(len(scores))), highest, w.By.Slope(weights), above}, 1)
	}
	s.add(spread{}, float64(n))
	return s
}

// add adds numbers and divides the sums by n.
func (s *spread) add(o spread, n float64) {
	for i, x := range o {
		s[i] = (s[i] + x) / n
	}
}
