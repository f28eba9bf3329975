package training

import (
	"context"
	"errors"
	"math"
	"slices"

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/models"
)

// newOptimizer returns the optimiser of the settings.
func newOptimizer(r *settings.Run) optim.Optimizer {
	switch r.Optimizer.Optimizer {
	case "sgd":
		return optim.NewSGD(r.LR, r.Momentum, r.WeightDecay)
	default:
		return optim.NewAdam(r.LR, optim.AdamOptions{
			Beta1: r.Beta1, Beta2: r.Beta2, Epsilon: r.Epsilon,
			WeightDecay: r.WeightDecay, Decoupled: r.Optimizer.Optimizer == "adamw",
			Lazy: r.VectorsAdam == "lazy",
		})
	}
}

// newTrainer builds the two graphs of a model and its optimiser.
func newTrainer(p *plan.Plan, d *task.Data, pool *ops.Pool, from others) (*trainer, error) {
	r := p.Run
	t := &trainer{
		run: r, rate: r.LR, solver: newOptimizer(r),
		schedule: optim.Schedule{Kind: r.Schedule, Every: r.StepEpochs, Factor: r.StepFactor, Warmup: r.Warmup, Epochs: r.Epochs},
	}
	spec := d.Spec(p.Model, r, models.NewWeights(r.Seed), pool)
	var err error
	if t.train, err = models.NewNetwork(spec); err != nil {
		return nil, err
	}
	v, err := newEvaluator(p, d, spec)
	if err != nil {
		return nil, errors.Join(err, t.train.Close())
	}
	v.base, t.evaluator, t.start = from.base, v, from.start
	if t.start != nil {
		if err := t.start.fill(slices.Concat(spec.Weights.List(), spec.Weights.States())); err != nil {
			return nil, errors.Join(err, t.close())
		}
	}
	if spec.TrainRows {
		v.table = slices.Clone(v.table) // the loader's table is shared
		if r.TrainVectors {
			t.vectors = newWordTable(r, v.table, d.Table.Dim, pool)
		} else {
			t.vectors = newOOVRow(v.table, d.Table.Dim)
		}
	}
	if t.data, err = v.split(d.Train); err != nil {
		return nil, errors.Join(err, t.close())
	}
	t.schedule.Steps = t.steps()
	t.ngrams = newNgramInput(p.Model, r, d, pool)
	if r.WordDrop > 0 {
		t.thinner = newThinner(r.WordDrop, r.Seed)
	}
	if r.Average > 0 {
		if spec.Weights.Running() {
			return nil, errors.Join(settings.Misfit("average=%g: the running statistics of norm=batch belong to the weights of the last step, not to their average; choose another norm", r.Average), t.close())
		}
		t.average = newAverage(r.Average, t.named(), pool)
	}
	return t, nil
}

func (t *trainer) close() error { return errors.Join(t.train.Close(), t.evaluator.close()) }

// keep stores the words of the run in a folder of runs.
func (t *trainer) keep(dir string) (digest string, err error) { return t.corpus.Keep(dir) }

func (t *trainer) remark() string { return t.start.String() }

// useAverage puts the averaged weights, if there are any, in the place of the trained ones until
// restore is called.
func (t *trainer) useAverage() (restore func()) {
	a, weights := t.average, t.named()
	if a == nil {
		return func() {}
	}
	a.swap(weights)
	return func() { a.swap(weights) }
}

// headSimilarity is the similarity of the heads with the averaged weights.
func (t *trainer) headSimilarity(evaluated bool) (*float64, error) {
	defer t.useAverage()()
	return t.evaluator.headSimilarity(evaluated)
}

// exam returns an exam of the averaged weights.
func (t *trainer) exam() task.Exam { return &exam{t.evaluator.exam(), t} }

// evaluate evaluates the averaged weights on a split.
func (t *trainer) evaluate(ctx context.Context, e *dataset.Encoded, see func(*ragged.Batch, *models.Network)) (*sums, error) {
	defer t.useAverage()()
	if err := t.widen(ctx, e); err != nil {
		return nil, err
	}
	return t.evaluator.evaluate(ctx, e, see)
}

// widen computes the second input of the classifier for a split, if the model has one.
func (t *trainer) widen(ctx context.Context, e *dataset.Encoded) error {
	if t.ngrams == nil {
		return nil
	}
	s, err := t.split(e)
	if err != nil || s.inputs.Scores != nil {
		return err
	}
	if err := t.ngrams.ready(ctx, nil); err != nil {
		return err
	}
	s.inputs.Scores, err = t.ngrams.score(e)
	return err
}

// ready fits the second input of the classifier, if the model has one that is not fitted yet.
func (t *trainer) ready(ctx context.Context, tell func(Fit)) error {
	if t.ngrams == nil {
		return nil
	}
	return t.ngrams.ready(ctx, tell)
}

// done is false: only a solver ends by itself.
func (*trainer) done() bool { return false }

func (t *trainer) count() (own, beside int) {
	for _, w := range t.named() {
		own += len(w.Data)
	}
	if t.ngrams != nil {
		beside = t.ngrams.count()
	}
	return own, beside
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
