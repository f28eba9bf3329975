package report

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/bleu"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// LengthBin is a group of reviews of similar length.
type LengthBin struct {
	Reviews         int
	Shortest, Words int // words of the shortest review and of the median one
	Longest         int
	Right           int // reviews predicted right
}

// Accuracy returns the share of the bin's reviews that are predicted right, 0 … 1.
func (b LengthBin) Accuracy() float64 { return float64(b.Right) / float64(b.Reviews) }

// Range names the bin by its words: 3–7.
func (b LengthBin) Range() string {
	if b.Shortest == b.Longest {
		return strconv.Itoa(b.Shortest)
	}
	return fmt.Sprintf("%d–%d", b.Shortest, b.Longest)
}

// ByLength sorts the reviews with a known label into at most that many bins of equal size, by rising
// number of words. Reviews of the same length stay in one bin.
func ByLength(p *runs.Predictions, bins int) []LengthBin {
	var all []lengthened
	for _, r := range p.Rows {
		if r.Label >= 0 {
			all = append(all, lengthened{r.Words, r.Label == r.Predicted})
		}
	}
	return lengthBins(all, bins)
}

// lengthened is a review, or a sentence to be translated, and whether the model got
// it right.
type lengthened struct {
	words int
	right bool
}

// lengthBins sorts the items by length and splits them into bins.
func lengthBins(all []lengthened, bins int) []LengthBin {
	slices.SortFunc(all, func(a, b lengthened) int { return cmp.Compare(a.words, b.words) })
	var out []LengthBin
	stats.EqualParts(len(all), bins, func(i, j int) bool { return all[i].words == all[j].words }, func(from, to int) {
		b := LengthBin{Reviews: to - from, Shortest: all[from].words, Words: all[(from+to-1)/2].words, Longest: all[to-1].words}
		for _, r := range all[from:to] {
			if r.right {
				b.Right++
			}
		}
		out = append(out, b)
	})
	return out
}

// translationBins is how many bins of sentence lengths exact match is shown in.
const translationBins = 6

// decoded holds the scores of one decoding method on the test pairs, in percent.
type decoded struct {
	Exact float64 // translations equal to the reference, word for word
	BLEU  float64 // of the words without further tokenization
}

// Translated holds the scores of a run's translations.tsv.
type Translated struct {
	Greedy, Beam decoded
	Lengths      []LengthBin // of greedy decoding, by words of the source; Right are exact
}

// Translations scores a run's translations; there must be at least one.
func Translations(list []runs.Translation) Translated {
	var greedy, beam bleu.Corpus
	var sentences []lengthened
	var exact [2]float64
	for _, t := range list {
		reference := strings.Fields(t.Reference)
		greedy.Add(strings.Fields(t.Greedy), reference)
		beam.Add(strings.Fields(t.Beam), reference)
		sentences = append(sentences, lengthened{len(strings.Fields(t.Source)), t.Greedy == t.Reference})
		for i, right := range []bool{t.Greedy == t.Reference, t.Beam == t.Reference} {
			if right {
				exact[i]++
			}
		}
	}
	n := float64(len(list))
	return Translated{decoded{100 * exact[0] / n, greedy.Score().BLEU}, decoded{100 * exact[1] / n, beam.Score().BLEU}, lengthBins(sentences, translationBins)}
}

// translated reads the translations of a finished run. It returns nil if there are none.
func translated(run *runs.Run) (*Translated, error) {
	if run.Status.State != runs.Finished {
		return nil, nil
	}
	list, err := run.Translations()
	if errors.Is(err, fs.ErrNotExist) || err == nil && len(list) == 0 {
		return nil, nil // of reviews, or test=never
	}
	if err != nil {
		return nil, err
	}
	t := Translations(list)
	return &t, nil
}

// Confusion counts the predictions of reviews with a known label.
func Confusion(p *runs.Predictions) stats.Confusion {
	c := stats.NewConfusion(len(p.Classes))
	for _, r := range p.Rows {
		if r.Label >= 0 {
			c[r.Label][r.Predicted]++
		}
	}
	return c
}

// MacroF1 returns the macro-F1 of predictions in percent, see runs.MacroF1. It is NaN without reviews.
func MacroF1(c stats.Confusion) float64 {
	labels, predicted, _ := c.Sums()
	right, named := make([]int, len(c)), make([]int, len(c))
	for i := range c {
		right[i], named[i] = c[i][i], labels[i]+predicted[i]
	}
	return runs.MacroF1(right, named)
}

// OwnData reports whether a run is on data that a user has added. Its classes may differ in number
// and size. For IMDB and the sample macro-F1 adds little, because their two classes are equal.
func OwnData(c *runs.Config) bool {
	return c.Data.Name != "imdb" && c.Data.Name != "sample" && c.Task() == runs.Reviews
}

// ownPredictions returns the predictions of a finished run on own data; nil for other runs, and for
// those never evaluated on the test set.
func ownPredictions(run *runs.Run) (*runs.Predictions, error) {
	if !OwnData(&run.Config) || run.Status.State != runs.Finished || run.Config.Untested() {
		return nil, nil
	}
	return run.Predictions()
}

// AnyMacroF1 returns the macro-F1 of a finished run on any data. It reads the predictions if needed.
func (r *Result) AnyMacroF1() (float64, error) {
	if !math.IsNaN(r.MacroF1) || !r.Finished || r.Config.Untested() {
		return r.MacroF1, nil
	}
	p, err := r.Run.Predictions()
	if err != nil {
		return math.NaN(), err
	}
	r.MacroF1 = MacroF1(Confusion(p))
	return r.MacroF1, nil
}

// Chance is a run at chance level: its model predicts no better than the shares of the classes.
type Chance struct {
	Loss, Acc    float64 // on test, else on the validation split, else on train; nats, percent
	Guess, Start float64 // the loss of guessing by the shares, and of an untrained model, in nats
}

// At chance level the loss is at least atGuess times the loss of guessing, and the accuracy at most guessSigmas standard
// errors above the largest share. Above exploded times the loss at the start the model is sure of wrong predictions.
const (
	atGuess     = 0.985
	nearGuess   = 1.05
	exploded    = 2
	guessSigmas = 3
)

// AtChance returns a result if a run on reviews is at chance level, in training as well as in
// evaluation. It returns nil if the run is not, or if that is unknown.
func AtChance(run *runs.Run) *Chance {
	m, err := run.Chosen()
	if err != nil {
		return nil
	}
	own, _ := ownPredictions(run) // read reports this error
	return chance(&run.Config, &m, own)
}

// chance is AtChance for the metrics of the chosen epoch and the predictions on own data.
func chance(config *runs.Config, m *runs.Metrics, own *runs.Predictions) *Chance {
	if config.Task() != runs.Reviews || m.TrainAcc == nil {
		return nil
	}
	c := &Chance{Start: math.Log(float64(len(config.Classes)))}
	largest := 0.0
	for _, p := range shares(len(config.Classes), own) {
		largest = max(largest, p)
		if p > 0 {
			c.Guess -= p * math.Log(p)
		}
	}
	if config.General().ClassWeights == "balanced" && m.TrainLoss != nil { // the weighted loss on train is judged: test weighs no class
		c.Guess, c.Loss, c.Acc = c.Start, *m.TrainLoss, *m.TrainAcc
		if c.Loss < atGuess*c.Guess {
			return nil
		}
		return c
	}
	above := func(acc *float64, reviews int) bool {
		deviation := math.Sqrt(largest * (1 - largest) / float64(max(reviews, 1)))
		return *acc/100 > largest+guessSigmas*deviation
	}
	d := config.Data
	loss, acc, reviews := m.TrainLoss, m.TrainAcc, d.Train.Reviews
	switch {
	case m.TestAcc != nil && m.TestLoss != nil:
		loss, acc, reviews = m.TestLoss, m.TestAcc, d.Test.Reviews
	case m.ValidAcc != nil && m.ValidLoss != nil:
		loss, acc, reviews = m.ValidLoss, m.ValidAcc, d.Valid.Reviews
	}
	// The train numbers are means over the epoch. If a model collapses during the epoch, its
	// mean accuracy is still above chance, but its mean loss is at the level of guessing.
	fits := above(m.TrainAcc, d.Train.Reviews) && (m.TrainLoss == nil || *m.TrainLoss < atGuess*c.Guess)
	if loss == nil || *loss < atGuess*c.Guess || above(acc, reviews) || fits {
		return nil
	}
	c.Loss, c.Acc = *loss, *acc
	return c
}

// Exploded reports whether the loss is far above the loss at the start.
func (c *Chance) Exploded() bool { return c.Loss > exploded*c.Start }

// Guesses reports whether the loss is close to the loss of guessing.
func (c *Chance) Guesses() bool { return c.Loss <= nearGuess*c.Guess }

// shares returns the shares of n classes among the test reviews of own data. They are equal for
// other data, and if no labels are known.
func shares(n int, own *runs.Predictions) []float64 {
	out := slices.Repeat([]float64{1 / float64(n)}, n)
	if own == nil || len(own.Rows) == 0 {
		return out
	}
	clear(out)
	for _, row := range own.Rows {
		if row.Label >= 0 && row.Label < n {
			out[row.Label] += 1 / float64(len(own.Rows))
		}
	}
	return out
}
