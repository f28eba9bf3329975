package report

import (
	"math"

	"imdbexp/runs"
)

// Chance is a run whose model says no more about a review than the shares of the
// classes do.
type Chance struct {
	Loss, Acc float64 // on test, else on the validation split, else on train; nats, percent
	Guess     float64 // the loss of guessing by the shares, in nats
}

// The loss of a model that knows no more than the shares is at least atGuess times that of
// guessing; up to nearGuess times it is that of guessing, and beyond exploded times it
// is sure of wrong answers. Accuracies may be guessSigmas standard errors above the largest
// share.
const (
	atGuess     = 0.985
	nearGuess   = 1.05
	exploded    = 2
	guessSigmas = 3
)

// AtChance tells whether a run of reviews is at chance, on train as well as where it
// was evaluated; nil where it is not, or where that is not known.
func AtChance(run *runs.Run) *Chance {
	m, err := run.Chosen()
	if err != nil {
		return nil
	}
	own, _ := ownPredictions(run) // what is wrong with them is told elsewhere
	return chance(&run.Config, &m, own)
}

// chance is AtChance by the epoch that counts and the predictions of own data.
func chance(config *runs.Config, m *runs.Metrics, own *runs.Predictions) *Chance {
	if config.Task() != runs.Reviews || m.TrainAcc == nil {
		return nil
	}
	c := &Chance{}
	largest := 0.0
	for _, p := range shares(len(config.Classes), own) {
		largest = max(largest, p)
		if p > 0 {
			c.Guess -= p * math.Log(p)
		}
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
	// Train's numbers are means over the epoch: of a model that has forgotten everything in it
	// the accuracy is still above chance, while its loss is that of guessing.
	fits := above(m.TrainAcc, d.Train.Reviews) && (m.TrainLoss == nil || *m.TrainLoss < atGuess*c.Guess)
	if loss == nil || *loss < atGuess*c.Guess || above(acc, reviews) || fits {
		return nil
	}
	c.Loss, c.Acc = *loss, *acc
	return c
}

// Exploded reports whether its loss is far above that of guessing.
func (c *Chance) Exploded() bool { return c.Loss > exploded*c.Guess }

// Guesses reports whether its loss is that of guessing, not one above it.
func (c *Chance) Guesses() bool { return c.Loss <= nearGuess*c.Guess }

// shares are those of n classes among the test reviews of own data; equal ones of other
// data, or where labels are not known.
func shares(n int, own *runs.Predictions) []float64 {
	out := make([]float64, n)
	var rows []runs.Prediction
	if own != nil {
		rows = own.Rows
	}
	if len(rows) == 0 {
		for i := range out {
			out[i] = 1 / float64(n)
		}
		return out
	}
	for _, row := range rows {
		if row.Label >= 0 && row.Label < n {
			out[row.Label] += 1 / float64(len(rows))
		}
	}
	return out
}
