package estimate

import (
	"errors"
	"fmt"
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
	var m Memories
	n, err := m.Of(j)
	return n, errors.Join(err, m.Close())
}

// Memories predicts for many jobs. Those of a grid mostly have the graphs of the one
// before, and the batches in which it is evaluated.
type Memories struct {
	last      *graphs
	evaluated map[*dataset.Encoded]ops.Extent
}

// maxSplits bounds of how many splits the batches are known.
const maxSplits = 4

// graphs are those of a model on its data, which have the same sizes for every seed.
type graphs struct {
	key         graphKey
	train, eval *models.Network
	weights     int
}

type graphKey struct {
	model          string // and its settings
	dim, classes   int
	source, target int
	trainRows      bool
	thinned        bool
	pool           *ops.Pool
}

// Close frees the graphs.
func (m *Memories) Close() error {
	if m.last == nil {
		return nil
	}
	last := m.last
	m.last = nil
	return errors.Join(last.train.Close(), last.eval.Close())
}

// graphs returns those of a job.
func (m *Memories) graphs(j *training.Job) (*graphs, error) {
	p := j.Plan
	w := models.NewWeights(p.Run.Seed)
	spec := j.Data.Spec(p.Model, p.Run, w, j.Runner.Pool)
	key := graphKey{
		model: fmt.Sprintf("%s %+v", p.Experiment.Model, p.Model), dim: spec.Dim, classes: spec.Classes,
		source: spec.Source, target: spec.Target, trainRows: spec.TrainRows, thinned: spec.Thinned, pool: spec.Pool,
	}
	if m.last != nil && m.last.key == key {
		return m.last, nil
	}
	if err := m.Close(); err != nil {
		return nil, err
	}
	train, err := models.NewNetwork(spec)
	if err != nil {
		return nil, err
	}
	spec.Training = false
	eval, err := models.NewNetwork(spec)
	if err != nil {
		return nil, errors.Join(err, train.Close())
	}
	m.last = &graphs{key, train, eval, w.Count()}
	return m.last, nil
}

// Of predicts for a job, as Memory does.
func (m *Memories) Of(j *training.Job) (int64, error) {
	p, d, of := j.Plan, j.Data, size{j.Plan}
	if c, counts := p.Model.(models.Counting); counts {
		return beside(j, counted(c.Counts(), d, of)), nil
	}
	g, err := m.graphs(j)
	if err != nil {
		return 0, err
	}
	largest := largestBatch(d.Train, dataset.Shuffle(d.Train.Len(), p.Run.Seed, 1), p.Run.Batch)
	floats := g.train.Floats(largest) + g.weights*(of.copies()+g.train.Shards(largest)) // the gradient is a sum of the shards' parts
	var evaluated ops.Extent
	if g.eval.NeedsMeans() {
		floats += d.Train.Len() * d.Table.Dim
	}
	for _, e := range of.evaluated(d) {
		evaluated = larger(evaluated, m.largestEvaluated(p, e))
		if g.eval.NeedsMeans() {
			floats += e.Len() * d.Table.Dim
		}
	}
	floats += g.eval.Floats(evaluated)
	rows := len(d.Table.Rows)
	switch {
	case p.Run.TrainVectors:
		floats += rows*of.copies() + largest.Words*d.Table.Dim // and the gradients of a batch's rows
	case g.key.trainRows:
		floats += rows // a table of its own for the one row that is trained
	}
	if p.Run.Train > 0 || p.Run.Holds() { // copies, an int32 each word
		floats += len(d.Train.IDs)
	}
	if p.Run.Holds() {
		floats += len(d.Valid.IDs)
	}
	bytes := int64(slack * 4 * float64(floats))
	if c, folds := models.Beside(p.Model); folds > 0 {
		bytes += counted(c.Counts(), d, of) + pickedOf(c.Counts(), d)
	}
	return beside(j, bytes), nil
}

// largestEvaluated returns the largest batch of an evaluation of a split.
func (m *Memories) largestEvaluated(p *plan.Plan, e *dataset.Encoded) ops.Extent {
	if b, ok := p.Model.(models.BatchDependent); ok && b.BatchDependent() {
		order, batch := training.EvaluationOrder(p, e)
		return largestBatch(e, order, batch)
	}
	largest, known := m.evaluated[e]
	if !known { // the same for every plan
		order, batch := training.EvaluationOrder(p, e)
		largest = largestBatch(e, order, batch)
		if m.evaluated == nil || len(m.evaluated) >= maxSplits {
			m.evaluated = map[*dataset.Encoded]ops.Extent{} // it keeps them in memory
		}
		m.evaluated[e] = largest
	}
	return largest
}

// beside adds the job's data where they are not those that were opened first, which the
// program has anyway.
func beside(j *training.Job, bytes int64) int64 {
	if !j.Runner.Loader.IsFirst(j.Data) {
		bytes += taken(j.Data)
	}
	return bytes
}

// counted bounds what a model that counts n-grams takes: as many begin at a word of train as
// the longest has words. They stand in two matrices there; more than half are too rare.
func counted(c models.Counts, d *task.Data, of size) int64 {
	const found, element, feature = 24, 8, 120 // bytes: while n-grams are found, in a matrix, of the solver
	words, each := int64(len(d.Train.IDs)), int64(c.Longest)
	features := words * each / 16
	if c.Most > 0 {
		features = min(features, int64(c.Most))
	}
	bytes := words*found + element*words*each + feature*features*int64(max(1, len(d.Classes)-1))
	for _, e := range of.evaluated(d) {
		bytes += element * int64(len(e.IDs)) * each / 2
	}
	return bytes
}

// pickedOf bounds the matrix of the reviews that a fit of the n-grams beside a network sees,
// which is one more than those of a model that counts.
func pickedOf(c models.Counts, d *task.Data) int64 {
	const element = 4 // bytes: an index, for the n-grams are there or not
	return element * int64(len(d.Train.IDs)) * int64(c.Longest)
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

// slots returns how many numbers are kept beside each weight: the optimiser's, and the mean
// of the weight over the steps.
func (p size) slots() int {
	n := 0
	switch {
	case p.Run.Optimizer.Optimizer != "sgd":
		n = 2
	case p.Run.Momentum > 0:
		n = 1
	}
	if p.Run.Average > 0 {
		n++
	}
	return n
}

// copies returns how many numbers there are for each that is trained at a run's end:
// itself and what is beside it, once as they are and, when the last checkpoint is read
// back, once in the file's bytes and once out of them.
func (p size) copies() int { return 3 * (1 + p.slots()) }

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
