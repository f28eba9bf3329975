package scores

import (
	"context"

	"imdbexp/dataset/embedding"
)

// Sampled estimates Shapley values from random sets of words, also of a short text, and returns them
// with half their intervals; Enumerated computes them from all sets.
func (a *Asker) Sampled(ctx context.Context, t Text, pairs int) (score, within []float64, err error) {
	score, within, _, err = a.shapley(ctx, t, embedding.OOVRow, pairs)
	return score, within, err
}

func (a *Asker) Enumerated(ctx context.Context, t Text) ([]float64, error) {
	return a.enumerate(ctx, t, embedding.OOVRow)
}

// Linear fits LIME to a number of random texts.
func (a *Asker) Linear(ctx context.Context, t Text, samples int) (score, within []float64, err error) {
	score, within, _, err = a.lime(ctx, t, samples)
	return score, within, err
}

// Few limits the words that leave-one-out has in memory, until restore is called.
func Few(words int) (restore func()) {
	before := maxRows
	maxRows = words
	return func() { maxRows = before }
}
