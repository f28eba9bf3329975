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

// atGuess is how near to the loss of guessing a loss is that tells nothing; accuracies
// may be so many standard errors above the largest share. A loss beyond exploded times
// that of guessing is no guess: it is sure of wrong answers.
const (
	atGuess     = 0.985
	guessSigmas = 3
	exploded    = 2
)

// AtChance tells whether a run of reviews is at chance, on train as well as where it
// was evaluated; nil where it is not, or where that is not known.
func AtChance(run *runs.Run) *Chance {
	m, err := run.Chosen()
	if err != nil || run.Config.Task() != runs.Reviews || m.TrainAcc == nil {
		return nil
	}
	c := &Chance{}
	largest := 0.0
	for _, p := range shares(run) {
		largest = max(largest, p)
		if p > 0 {
			c.Guess -= p * math.Log(p)
		}
	}
	above := func(acc *float64, reviews int) bool {
		deviation := math.Sqrt(largest * (1 - largest) / float64(max(reviews, 1)))
		return *acc/100 > largest+guessSigmas*deviation
	}
	d := run.Config.Data
	loss, acc, reviews := m.TrainLoss, m.TrainAcc, d.Train.Reviews
	switch {
	case m.TestAcc != nil && m.TestLoss != nil:
		loss, acc, reviews = m.TestLoss, m.TestAcc, d.Test.Reviews
	case m.ValidAcc != nil && m.ValidLoss != nil:
		loss, acc, reviews = m.ValidLoss, m.ValidAcc, d.Valid.Reviews
	}
	if loss == nil || *loss < atGuess*c.Guess || above(m.TrainAcc, d.Train.Reviews) || above(acc, reviews) {
		return nil
	}
	c.Loss, c.Acc = *loss, *acc
	return c
}

// Exploded reports whether its loss is far above that of guessing.
func (c *Chance) Exploded() bool { return c.Loss > exploded*c.Guess }

// shares are those of the classes among the test reviews: equal ones but in own data, and
// where their labels are not known.
func shares(run *runs.Run) []float64 {
	n := len(run.Config.Classes)
	out := make([]float64, n)
	var rows []runs.Prediction
	if ownData(&run.Config) {
		if p, err := run.Predictions(); err == nil {
			rows = p.Rows
		}
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
