package training

import (
	"context"

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/models"
	"imdbexp/runs"
)

// learner is what a session trains: a network that learns batch by batch (trainer), or a model of
// n-gram counts with a solver (linear). Most methods that do not learn are those of its evaluator.
type learner interface {
	// remark returns a note to print before the run begins, or "".
	remark() string
	// ready prepares the first step, unless that is done; tell may be nil.
	ready(ctx context.Context, tell func(Fit)) error
	// count returns the number of trained weights, and of the weights of n-grams of a network's
	// second input, 0 until these are fitted.
	count() (own, beside int)
	// keep stores the words of the run in a folder of runs and returns their digest.
	keep(dir string) (digest string, err error)

	// epoch makes one pass over train and adds it to sum, which is empty or has the steps that are
	// done; after each step it calls after.
	epoch(ctx context.Context, epoch int, sum *sums, after func(Step)) error
	// done reports whether another epoch would change nothing.
	done() bool
	// seen returns the number of reviews in the first steps of an epoch.
	seen(steps int) int

	evaluate(ctx context.Context, e *dataset.Encoded, see func(*ragged.Batch, *models.Network)) (*sums, error)
	exam() task.Exam
	headSimilarity(evaluated bool) (*float64, error)

	// save puts the weights and the state of the optimiser into a checkpoint. resume restores both,
	// load only the weights.
	save(c *runs.Checkpoint)
	load(c *runs.Checkpoint) error
	resume(c *runs.Checkpoint) error

	close() error
}

// newLearner returns the learner of a plan.
func newLearner(p *plan.Plan, d *task.Data, pool *ops.Pool, from others) (learner, error) {
	if m, counts := p.Model.(models.Counting); counts {
		return newLinear(p, d, m.Counts(), pool)
	}
	return newTrainer(p, d, pool, from)
}
