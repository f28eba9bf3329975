package estimate

import (
	"errors"
	"slices"

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/ops"
	"imdbexp/models"
)

// slack is how much more a run is said to take than its buffers hold: those that
// have grown leave smaller ones behind until the collector comes.
const slack = 1.25

// Memory predicts how many bytes a job takes at its peak, beside the reviews and
// word vectors that the loader opened first, which most runs of a grid share. It
// builds the graphs and runs nothing.
func Memory(j *training.Job) (int64, error) {
	p, d, m := j.Plan, j.Data, size{j.Plan}
	w := models.NewWeights(p.Run.Seed)
	spec := d.Spec(p.Model, p.Run, w, j.Runner.Pool)
	train, err := models.NewNetwork(spec)
	if err != nil {
		return 0, err
	}
	trainRows := spec.TrainRows
	spec.Training = false
	eval, err := models.NewNetwork(spec)
	if err != nil {
		return 0, errors.Join(err, train.Close())
	}
	largest := largestBatch(d.Train, dataset.Shuffle(d.Train.Len(), p.Run.Seed, 1), p.Run.Batch)
	floats := train.Floats(largest) + w.Count()*(m.copies()+train.Shards(largest)) // the gradient is a sum of the shards' parts
	var evaluated ops.Extent
	if eval.NeedsMeans() {
		floats += d.Train.Len() * d.Table.Dim
	}
	for _, e := range m.evaluated(d) {
		evaluated = larger(evaluated, m.largestEvaluated(e))
		if eval.NeedsMeans() {
			floats += e.Len() * d.Table.Dim
		}
	}
	floats += eval.Floats(evaluated)
	rows := len(d.Table.Rows)
	switch {
	case p.Run.TrainVectors:
		floats += rows*m.copies() + largest.Words*d.Table.Dim // and the gradients of a batch's rows
	case trainRows:
		floats += rows // a table of its own for the one row that is trained
	}
	if p.Run.Holds() {
		floats += len(d.Train.IDs) + len(d.Valid.IDs) // an int32 each
	}
	bytes := int64(slack * 4 * float64(floats))
	if !j.Runner.Loader.IsFirst(d) {
		bytes += taken(d)
	}
	return bytes, errors.Join(train.Close(), eval.Close())
}

// taken returns what the reviews and the table take, about.
func taken(d *task.Data) int64 {
	const text = 32 // a name or a word, with what points to it
	n := 4*len(d.Table.Rows) + text*len(d.Table.Words)
	for _, e := range []*dataset.Encoded{d.Train, d.Valid, d.Test} {
		if e != nil {
			n += 4*len(e.IDs) + (8+4+text)*e.Len()
		}
	}
	return int64(n)
}

// size counts what a plan's run keeps in memory.
type size struct{ *plan.Plan }

// evaluated returns the splits that a run looks at without training on them.
func (p size) evaluated(d *task.Data) (out []*dataset.Encoded) {
	if p.Run.Test != "never" {
		out = append(out, d.Test)
	}
	if d.Valid != nil {
		out = append(out, d.Valid)
	}
	return out
}

// slots returns how many numbers the optimiser keeps for each weight.
func (p size) slots() int {
	switch {
	case p.Run.Optimizer.Optimizer != "sgd":
		return 2
	case p.Run.Momentum > 0:
		return 1
	}
	return 0
}

// copies returns how many numbers there are for each that is trained at a run's end:
// itself and the optimiser's, once as they are and, when the last checkpoint is read
// back, once in the file's bytes and once out of them.
func (p size) copies() int { return 3 * (1 + p.slots()) }

// largestEvaluated returns the largest batch of an evaluation of a split.
func (p size) largestEvaluated(e *dataset.Encoded) ops.Extent {
	order, batch := training.EvaluationOrder(p.Plan, e)
	return largestBatch(e, order, batch)
}

// largestBatch returns the most words, and the longest review, of any batch of n
// reviews in that order; the same of what is translated.
func largestBatch(e *dataset.Encoded, order []int32, n int) ops.Extent {
	var out ops.Extent
	for batch := range slices.Chunk(order, n) {
		one := ops.Extent{Reviews: len(batch)}
		for _, review := range batch {
			length := len(e.Words(int(review)))
			one.Words, one.Longest = one.Words+length, max(one.Longest, length)
			if e.Targets != nil {
				rows := len(e.Targets.Words(int(review))) + 1 // and the end
				one.Targets, one.LongestTarget = one.Targets+rows, max(one.LongestTarget, rows)
			}
		}
		out = larger(out, one)
	}
	return out
}

// larger returns an extent that holds two.
func larger(a, b ops.Extent) ops.Extent {
	return ops.Extent{
		Reviews: max(a.Reviews, b.Reviews), Words: max(a.Words, b.Words), Longest: max(a.Longest, b.Longest),
		Targets: max(a.Targets, b.Targets), LongestTarget: max(a.LongestTarget, b.LongestTarget),
	}
}
