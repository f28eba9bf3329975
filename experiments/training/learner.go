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

// learner is what a session trains: a network that learns batch by batch (trainer), or a
// model that counts and is solved for (linear).
// Its evaluator gives it most of what is not learning.
type learner interface {
	// remark is what whoever asked for the run should hear before it begins, "" for nothing.
	remark() string
	// ready does what comes before the first step and is not there yet; tell may be nil.
	ready(ctx context.Context, tell func(Fit)) error
	// count returns the number of trained numbers, and of the weights of n-grams beside
	// them, 0 until these are there.
	count() (own, beside int)
	// keep keeps what the run's words are beside the runs of a folder.
	keep(dir string) (digest string, err error)

	// epoch makes one pass over train and adds it up in sum, which is empty or says what
	// the steps before gave; after each step it calls after.
	epoch(ctx context.Context, epoch int, sum *sums, after func(Step)) error
	// done reports whether another epoch would change nothing.
	done() bool
	// seen returns how many reviews the first so many steps of an epoch see.
	seen(steps int) int

	evaluate(ctx context.Context, e *dataset.Encoded, see func(*ragged.Batch, *models.Network)) (*sums, error)
	exam() task.Exam
	headSimilarity(evaluated bool) (*float64, error)

	// save puts weights and what learning has beside them into a checkpoint, resume
	// brings back both, load the weights alone.
	save(c *runs.Checkpoint)
	load(c *runs.Checkpoint) error
	resume(c *runs.Checkpoint) error

	close() error
}

// newLearner returns what trains a plan. base may be nil where no other run is needed.
func newLearner(p *plan.Plan, d *task.Data, pool *ops.Pool, base baseOf) (learner, error) {
	if m, counts := p.Model.(models.Counting); counts {
		return newLinear(p, d, m.Counts(), pool)
	}
	return newTrainer(p, d, pool, base)
}
