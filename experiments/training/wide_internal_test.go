package training

import (
	"context"
	"imdbexp/internal/settings"
	"testing"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/experiments/task"
	"imdbexp/internal/ops"
	"imdbexp/internal/testkit/must"
	"imdbexp/models"

	"github.com/stretchr/testify/require"
)

// The score of a training review comes from a fit that has not seen its label: another label changes
// the scores of other folds, but not those of its own fold.
func TestWideScoresOfTrainAreOfOthers(t *testing.T) {
	pool := ops.NewPool(1)
	defer pool.Close()
	scores := func(exchanged bool) (own []float32, w *ngramInput) {
		train := &dataset.Encoded{Offsets: []int{0}}
		for b := range 24 {
			y := int32(b % 2)
			words := []int32{1 + y, 3 + int32(b%5), 1 + int32(b/2%2), 8 + int32(b%3)}
			train.IDs = append(train.IDs, words...)
			train.Offsets = append(train.Offsets, len(train.IDs))
			if exchanged && b >= 22 {
				y = 1 - y
			}
			train.Labels = append(train.Labels, y)
		}
		d := &task.Data{Train: train, Classes: []string{"neg", "pos"}, Table: embedding.NewTable([]string{"", "bad", "good", "a", "b", "c", "d", "e", "f", "g", "h"}, make([]float32, 11), 1, embedding.OOVMean)}
		w = newNgramInput(&models.LSTM{Wide: models.Wide{Counter: "nbsvm", Folds: 3}}, new(settings.Run), d, pool)
		var told []Fit
		require.NoError(t, w.ready(context.Background(), func(f Fit) { told = append(told, f) }))
		require.Equal(t, Fit{What: "finding n-grams", Total: 5}, told[0])
		require.Equal(t, Fit{What: "fitting n-grams without part 3 of 3", Done: 3, Total: 5}, told[3])
		require.Equal(t, Fit{What: "n-grams fitted", Done: 5, Total: 5, Weights: w.scorer.Features.Len()}, told[5])
		require.NoError(t, w.ready(context.Background(), func(Fit) { t.Error("fitted again") }))
		own = must.Get(w.score(train))(t)
		require.Len(t, own, 2*train.Len())
		again := must.Get(w.scorer.Matrix(pool, worded{train}, d.Table.Words))(t)
		all := must.Get(w.scorer.Scores(pool, again))(t)
		require.NotEqual(t, all, own, "the fit on all is for other reviews")
		return own, w
	}
	before, _ := scores(false)
	// The last review of each class gets the other's label, so all reviews keep their folds.
	after, _ := scores(true)
	other := 0
	for b := range 24 {
		if b >= 16 {
			require.Equal(t, before[2*b:2*b+2], after[2*b:2*b+2], "review %d is in the last fold, and scored by fits without it", b)
		} else if before[2*b] != after[2*b] {
			other++
		}
	}
	require.Positive(t, other)
}
