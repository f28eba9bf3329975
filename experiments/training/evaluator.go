package training

import (
	"context"
	"slices"

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/models"
	"imdbexp/runs"
)

// evalBatch is the number of reviews of similar length that are evaluated at once.
const evalBatch = 128

// evaluator evaluates a model on splits. It has the weights, which a learner updates.
type evaluator struct {
	plan   *plan.Plan
	corpus *task.Data
	pool   *ops.Pool
	spec   models.Spec // of the model in training
	eval   *models.Network
	table  []float32 // [R, d] word vectors, updated in training
	splits map[*dataset.Encoded]*split
	base   baseOf // nil if no other run is needed
}

// newEvaluator builds the network for evaluation.
func newEvaluator(p *plan.Plan, d *task.Data, spec models.Spec) (*evaluator, error) {
	v := &evaluator{plan: p, corpus: d, pool: spec.Pool, spec: spec, table: d.Table.Rows, splits: map[*dataset.Encoded]*split{}}
	spec.Training = false
	var err error
	v.eval, err = models.NewNetwork(spec)
	return v, err
}

// evaluate makes one forward pass over a split. see, if not nil, is called after each batch.
func (v *evaluator) evaluate(ctx context.Context, e *dataset.Encoded, see func(*ragged.Batch, *models.Network)) (*sums, error) {
	s, err := v.split(e)
	if err != nil {
		return nil, err
	}
	var sum sums
	for lo := 0; lo < len(s.order); lo += s.evalBatch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := s.fill(s.order[lo:min(lo+s.evalBatch, len(s.order))])
		if err := v.eval.Run(b, s.inputs, 0); err != nil {
			return nil, err
		}
		var loss float64
		for _, l := range v.eval.Losses() {
			loss += float64(l)
		}
		sum.add(b, v.eval, loss/float64(max(v.eval.Predictions(), 1)))
		sum.addClasses(b, v.eval)
		if see != nil {
			see(b, v.eval)
		}
	}
	return &sum, nil
}

// split returns a split prepared for the networks. It prepares each split once.
func (v *evaluator) split(e *dataset.Encoded) (*split, error) {
	if s := v.splits[e]; s != nil {
		return s, nil
	}
	s, run := &split{Encoded: e, inputs: models.Inputs{Table: v.table}}, v.plan.Run
	s.order, s.evalBatch = dataset.ByLength(e), evalBatch
	if models.BatchDependent(v.plan.Model) { // random batches, as large as in training
		s.order, s.evalBatch = dataset.Shuffle(e.Len(), run.Seed, 0), run.Batch
	}
	if end := int32(run.Evaluated(e.Len())); run.DropLast {
		s.order = slices.DeleteFunc(s.order, func(r int32) bool { return r >= end })
	}
	if v.eval.NeedsMeans() {
		t := v.corpus.Table // whose vectors are not trained
		s.inputs.Means = make([]float32, e.Len()*t.Dim)
		if err := models.Means(v.pool, s.inputs.Means, t.Rows, t.Dim, e.Len(), e.Words); err != nil {
			return nil, err
		}
	}
	if v.base != nil && (v.eval.NeedsBase() || e == v.corpus.Train) {
		var err error
		if s.inputs.Base, err = v.base(e); err != nil {
			return nil, err
		}
	}
	v.splits[e] = s
	return s, nil
}

// headSimilarity returns the similarity of the heads, or nil if heads are not compared. The network
// computes it when it runs: without an evaluation since the last update, it runs on one review.
func (v *evaluator) headSimilarity(evaluated bool) (*float64, error) {
	if len(v.eval.Output().HeadSimilarity) == 0 {
		return nil, nil
	}
	if !evaluated {
		train, err := v.split(v.corpus.Train)
		if err == nil {
			err = v.eval.Run(train.fill([]int32{0}), train.inputs, 0)
		}
		if err != nil {
			return nil, err
		}
	}
	return new(v.eval.HeadSimilarity()), nil
}

func (v *evaluator) tester() task.Tester { return v.plan.Task().Tester(v.corpus, v.spec) }

func (v *evaluator) close() error { return v.eval.Close() }

// split is a split with the inputs of its batches.
type split struct {
	*dataset.Encoded
	inputs    models.Inputs
	order     []int32 // of evaluation
	evalBatch int     // reviews at once in evaluation
	batch     ragged.Batch
}

func (s *split) fill(reviews []int32) *ragged.Batch {
	dataset.Pack(s.Encoded, reviews, &s.batch)
	return &s.batch
}

// learner is what a session trains: a network that learns batch by batch (trainer), or a model of
// n-gram counts with a solver (linear). Its evaluator has most methods that do not learn.
type learner interface {
	// remark returns a note to print before the run begins, or "".
	remark() string
	// ready prepares the first step, once; tell may be nil.
	ready(ctx context.Context, tell func(Fit)) error
	// count returns the number of trained weights, and of the n-gram weights next to a network,
	// 0 until these are fitted.
	count() (own, ngrams int)
	// keep stores the words of the run in a folder of runs and returns their digest.
	keep(dir string) (digest string, err error)

	// epoch makes one pass over train, or the rest of it if sum has the first steps, and adds it to
	// sum. It calls after when a step is done.
	epoch(ctx context.Context, epoch int, sum *sums, after func(Step)) error
	// done reports whether another epoch would change nothing.
	done() bool
	// seen returns the number of reviews in the first steps of an epoch.
	seen(steps int) int

	evaluate(ctx context.Context, e *dataset.Encoded, see func(*ragged.Batch, *models.Network)) (*sums, error)
	tester() task.Tester
	headSimilarity(evaluated bool) (*float64, error)

	// save puts the weights and the state of the optimiser into a checkpoint. resume restores both,
	// load only the weights.
	save(c *runs.Checkpoint)
	load(c *runs.Checkpoint) error
	resume(c *runs.Checkpoint) error

	close() error
}
