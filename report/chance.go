package report

import (
	"math"
	"slices"

	"imdbexp/runs"
)

// Chance is a run at chance level: its model predicts no better than the shares of the classes.
type Chance struct {
	Loss, Acc    float64 // on test, else on the validation split, else on train; nats, percent
	Guess, Start float64 // the loss of guessing by the shares, and of an untrained model, in nats
}

// At chance level the loss is at least atGuess times the loss of guessing. Up to nearGuess times it
// equals that loss; above exploded times the loss at the start the model is sure of wrong predictions.
// The accuracy may be up to guessSigmas standard errors above the largest share.
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
