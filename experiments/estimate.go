package experiments

import (
	"context"
	"errors"
	"slices"

	"imdbexp/dataset"
	"imdbexp/internal/ops"
	"imdbexp/models"
)

// slack is how much more a run is said to take than its buffers hold: those that
// have grown leave smaller ones behind until the collector comes.
const slack = 1.25

// Memory predicts how many bytes a run takes at its peak, beside the reviews and
// word vectors, which all runs on the same data share. It opens the data and builds
// the graphs, and runs nothing.
func (r *Runner) Memory(ctx context.Context, p *Plan) (int64, error) {
	d, err := r.Loader.Load(ctx, p.Run)
	if err != nil {
		return 0, err
	}
	w := models.NewWeights(p.Run.Seed)
	spec := p.spec(d, w, r.Pool)
	train, err := models.NewNetwork(spec)
	if err != nil {
		return 0, err
	}
	spec.Training = false
	eval, err := models.NewNetwork(spec)
	if err != nil {
		return 0, errors.Join(err, train.Close())
	}
	largest := largestBatch(d.Train, dataset.Shuffle(d.Train.Len(), p.Run.Seed, 1), p.Run.Batch)
	floats := train.Floats(largest) + eval.Floats(p.largestEvaluated(d))
	floats += p.weightFloats(w.Count(), largest.Words)
	if p.Run.TrainVectors {
		floats += len(d.Table.Rows) * (1 + p.slots())
	} else {
		floats += (d.Train.Len() + d.Test.Len()) * d.Table.Dim // means
	}
	return int64(slack * 4 * float64(floats)), errors.Join(train.Close(), eval.Close())
}

// slots returns how many numbers the optimiser keeps for each weight.
func (p *Plan) slots() int {
	switch {
	case p.Run.Optimizer.Optimizer != "sgd":
		return 2
	case p.Run.Momentum > 0:
		return 1
	}
	return 0
}

// weightFloats counts weights, their gradient as a sum of the shards' parts, and
// the optimiser's numbers, all of them twice: a checkpoint is read back at the end.
func (p *Plan) weightFloats(weights, words int) int {
	return weights * (2*(1+p.slots()) + ops.Shards(words, p.Run.Batch))
}

// largestEvaluated returns the largest batch of an evaluation.
func (p *Plan) largestEvaluated(d *Data) ops.Extent {
	if m, ok := p.Model.(models.BatchDependent); ok && m.BatchDependent() {
		return largestBatch(d.Test, dataset.Shuffle(d.Test.Len(), p.Run.Seed, 0), p.Run.Batch)
	}
	return largestBatch(d.Test, dataset.ByLength(d.Test), evalBatch)
}

// largestBatch returns the most words, and the longest review, of any batch of n
// reviews in that order.
func largestBatch(e *dataset.Encoded, order []int32, n int) ops.Extent {
	out := ops.Extent{Reviews: min(n, len(order))}
	for batch := range slices.Chunk(order, n) {
		words := 0
		for _, review := range batch {
			length := len(e.Words(int(review)))
			words += length
			out.Longest = max(out.Longest, length)
		}
		out.Words = max(out.Words, words)
	}
	return out
}
