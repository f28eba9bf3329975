package training

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/ngrams"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/internal/convex"
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/internal/sparse"
	"imdbexp/models"
	"imdbexp/models/counts"
	"imdbexp/runs"
)

// linear is the learner of a model of n-gram counts: an epoch is a step of a solver on all of train.
// It uses no random numbers.
type linear struct {
	*evaluator
	run    *settings.Run
	counts models.Counts
	scorer *counts.Scorer
	solver *convex.Solver
	scale  []float64 // [F, K] log-count ratios; nil without
	x      map[*dataset.Encoded]*sparse.Matrix
}

// newLinear finds the n-grams of train, and starts the solver at weights of 0.
func newLinear(p *plan.Plan, d *task.Data, of models.Counts, pool *ops.Pool) (*linear, error) {
	v, err := newEvaluator(p, d, d.Spec(p.Model, p.Run, models.NewWeights(p.Run.Seed), pool))
	if err != nil {
		return nil, err
	}
	l := &linear{evaluator: v, run: p.Run, counts: of, x: map[*dataset.Encoded]*sparse.Matrix{}}
	if err := l.start(); err != nil {
		return nil, errors.Join(fmt.Errorf("data=%s: %w", d.Name, err), v.close())
	}
	return l, nil
}

func (l *linear) start() error {
	d := l.corpus
	f, err := ngrams.Learn(l.pool, worded{d.Train}, d.Table.Words, ngrams.Options{Max: l.counts.Longest, MinCount: l.counts.MinCount, Top: l.counts.Most})
	if err != nil {
		return err
	}
	l.scorer = counts.New(l.counts, f, len(d.Classes))
	x, err := l.matrix(d.Train)
	if err != nil {
		return err
	}
	if err := l.setUp(l.pool, x, d.Train.Labels, len(d.Classes)); err != nil {
		return err
	}
	if l.done() {
		return errors.New("the counted n-grams are equally frequent in all classes: there is nothing to learn from them. Count more of them: ngrams, ngrams.min_count, ngrams.most")
	}
	return nil
}

// setUp creates the solver, with weights of 0, for the features x [B, F] and the classes [B] of
// reviews.
func (l *linear) setUp(pool *ops.Pool, x *sparse.Matrix, labels []int32, classes int) error {
	transposed := x.Transpose()
	var err error
	if l.counts.Ratios {
		if l.scale, err = convex.LogCountRatios(pool, transposed, labels, classes, l.counts.Smoothing); err != nil {
			return err
		}
	}
	var weights []float64
	for _, w := range task.ClassWeights(l.run, labels, classes) {
		weights = append(weights, float64(w))
	}
	l.solver, err = convex.New(pool, convex.Problem{
		Weights: weights,
		X:       x, Transposed: transposed, Labels: labels, Classes: classes, Loss: convex.Loss(l.counts.Loss), C: l.counts.C, Scale: l.scale,
	}, l.counts.Tolerance)
	return err
}

// worded are reviews without the stand-in word of empty ones.
type worded struct{ *dataset.Encoded }

func (w worded) Words(b int) []int32 {
	if ids := w.Encoded.Words(b); len(ids) != 1 || ids[0] != embedding.OOVRow {
		return ids
	}
	return nil
}

// matrix returns the features of a split, computed once.
func (l *linear) matrix(e *dataset.Encoded) (*sparse.Matrix, error) {
	if x := l.x[e]; x != nil {
		return x, nil
	}
	x, err := l.scorer.Matrix(l.pool, worded{e}, l.corpus.Table.Words)
	l.x[e] = x
	return x, err
}

func (l *linear) remark() string {
	if seed := l.plan.Run.Seed; seed != 1 {
		return fmt.Sprintf("%s uses no random numbers: seed=%d gives the same result as seed=1", l.plan.Experiment.Name, seed)
	}
	return ""
}

func (l *linear) count() (own, ngrams int) { return len(l.scorer.W.Data) + len(l.scorer.B.Data), 0 }

// ready does nothing: newLinear has found the n-grams.
func (*linear) ready(context.Context, func(Fit)) error { return nil }

func (l *linear) keep(dir string) (digest string, err error) {
	b, err := l.scorer.Features.MarshalBinary()
	if err != nil {
		return "", err
	}
	return runs.PutFeatures(dir, b)
}

// epoch makes one step of the solver and evaluates its weights on train. The step may have been made
// before an interruption.
func (l *linear) epoch(ctx context.Context, epoch int, sum *sums, after func(Step)) error {
	if sum.steps > 0 {
		return nil
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	report, err := l.solver.Step()
	if err != nil {
		return err
	}
	l.setWeights()
	train := l.corpus.Train
	seen, err := l.evaluate(ctx, train, nil)
	if err != nil {
		return err
	}
	*sum = *seen
	sum.steps, sum.norm = 1, report.GradientNorm
	after(Step{epoch, l.plan.Run.Epochs, train.Len(), train.Len(), sum.words, sum.meanLoss()})
	return nil
}

// setWeights copies the solver's weights to the scorer, without the scale of the features.
func (l *linear) setWeights() {
	w, b := l.solver.Weights()
	convex.Interpolate(w, l.scorer.W.Cols, l.counts.Share)
	for i, x := range w {
		if l.scale != nil {
			x *= l.scale[i]
		}
		l.scorer.W.Data[i] = float32(x)
	}
	for k, x := range b {
		l.scorer.B.Data[k] = float32(x)
	}
	l.scorer.Refresh()
}

func (l *linear) done() bool { return l.solver.Report().Done }

// seen is all of train: an epoch is one step.
func (l *linear) seen(int) int { return l.corpus.Train.Len() }

func (l *linear) evaluate(ctx context.Context, e *dataset.Encoded, see func(*ragged.Batch, *models.Network)) (*sums, error) {
	x, err := l.matrix(e)
	if err != nil {
		return nil, err
	}
	s, err := l.split(e)
	if err != nil {
		return nil, err
	}
	if s.inputs.Scores, err = l.scorer.Scores(l.pool, x); err != nil {
		return nil, err
	}
	return l.evaluator.evaluate(ctx, e, see)
}

// Names of the state of the solver in a checkpoint.
const (
	pointName  = "point"   // [F·K + K] weights before scaling and interpolation, and biases
	regionName = "region"  // radius of the trust region, length of the gradient at 0
	stallName  = "stalled" // present if no step changes anything any more
)

func (l *linear) save(c *runs.Checkpoint) {
	for _, w := range l.scorer.Weights() {
		c.Params = append(c.Params, runs.Tensor{Name: w.Name, Shape: []int{w.Rows, w.Cols}, Data: w.Data})
	}
	s := l.solver.State()
	c.Optim = append(c.Optim,
		runs.Tensor{Name: pointName, Shape: []int{len(s.Point)}, Data: s.Point},
		runs.Tensor{Name: regionName, Shape: []int{2}, Data: []float64{s.Radius, s.Initial}},
		runs.Tensor{Name: stepsName, Shape: []int{1}, Data: []int64{int64(s.Iteration)}})
	if s.Stalled {
		c.Optim = append(c.Optim, runs.Tensor{Name: stallName, Shape: []int{1}, Data: []int64{1}})
	}
}

func (l *linear) load(c *runs.Checkpoint) error {
	if err := models.Fill(l.scorer.Weights(), runs.Matrices(c.Params)); err != nil {
		return err
	}
	l.scorer.Refresh()
	return nil
}

func (l *linear) resume(c *runs.Checkpoint) error {
	point, err1 := runs.TensorValues[float64](c.Optim, pointName, len(l.scorer.W.Data)+len(l.scorer.B.Data))
	region, err2 := runs.TensorValues[float64](c.Optim, regionName, 2)
	steps, err3 := runs.TensorValues[int64](c.Optim, stepsName, 1)
	if err := errors.Join(err1, err2, err3, l.load(c)); err != nil {
		return err
	}
	stalled := slices.ContainsFunc(c.Optim, func(t runs.Tensor) bool { return t.Name == stallName })
	return l.solver.Restore(convex.State{Iteration: int(steps[0]), Point: point, Radius: region[0], Initial: region[1], Stalled: stalled})
}
