package training

import (
	"context"
	"errors"
	"math"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/models"
	"imdbexp/runs"
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
		run: r, rate: r.LR, opt: newOptimizer(r),
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
		dim := d.Table.Dim
		t.vectors = &oovRow{row: v.table[int(embedding.OOVRow)*dim:][:dim], grad: make([]float32, dim)}
		if r.TrainVectors {
			t.vectors = newWordTable(r, v.table, dim, pool)
		}
	}
	if t.data, err = v.split(d.Train); err != nil {
		return nil, errors.Join(err, t.close())
	}
	t.schedule.Steps = t.steps()
	t.ngrams = newNgramInput(p.Model, r, d, pool)
	if r.WordDrop > 0 {
		t.wordDrop = newWordDrop(r.WordDrop, r.Seed)
	}
	if r.Average > 0 {
		if spec.Weights.Running {
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

// tester returns a tester of the averaged weights.
func (t *trainer) tester() task.Tester { return &averageTester{t.evaluator.tester(), t} }

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

func (t *trainer) count() (own, ngrams int) {
	for _, w := range t.named() {
		own += len(w.Data)
	}
	if t.ngrams != nil {
		ngrams = t.ngrams.count()
	}
	return own, ngrams
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

// average is a running mean of the weights over the steps (Polyak and Juditsky 1992). The run is
// evaluated with it and keeps it as its weights:
//
//	ā ← ā + (1−β)(w − ā)
//
// In the first 1/(1−β) steps it is the plain mean over all steps so far.
type average struct {
	decay float64
	pool  *ops.Pool
	mean  [][]float32 // ā, a slice for each weight
}

func newAverage(decay float64, weights []*models.Weight, pool *ops.Pool) *average {
	a := &average{decay: decay, pool: pool}
	for _, w := range weights {
		a.mean = append(a.mean, slices.Clone(w.Data))
	}
	return a
}

// averaged is the number of weights that a worker averages at a time.
const averaged = 1 << 14

// add adds the weights to the mean; steps counts the steps so far.
func (a *average) add(weights []*models.Weight, steps int64) error {
	share := float32(max(1-a.decay, 1/float64(steps)))
	for i, w := range weights {
		mean := a.mean[i]
		err := a.pool.For((len(mean)+averaged-1)/averaged, func(k int) {
			lo, hi := k*averaged, min((k+1)*averaged, len(mean))
			simd.Scale(mean[lo:hi], 1-share)
			simd.Axpy(mean[lo:hi], share, w.Data[lo:hi])
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// swap exchanges the means and the weights.
func (a *average) swap(weights []*models.Weight) {
	for i, w := range weights {
		for j, x := range a.mean[i] {
			a.mean[i][j], w.Data[j] = w.Data[j], x
		}
	}
}

// averageTester is a task.Tester that runs the model with the averaged weights.
type averageTester struct {
	task.Tester
	trainer *trainer
}

func (e *averageTester) Score(ctx context.Context, m *runs.Metrics) error {
	defer e.trainer.useAverage()()
	return e.Tester.Score(ctx, m)
}

func (e *averageTester) Answers(ctx context.Context, m *runs.Metrics) (runs.Answers, error) {
	defer e.trainer.useAverage()()
	return e.Tester.Answers(ctx, m)
}

// Names of the optimiser's tensors in a checkpoint: the number of steps, and the raw weights if the
// weights are averaged.
const (
	stepsName    = "steps"
	learningName = "learning"
)

// named returns the trained arrays by name, in the order of the optimiser.
func (t *trainer) named() []*models.Weight {
	list := t.spec.Weights.List()
	if t.vectors != nil {
		list = append(list[:len(list):len(list)], t.vectors.weight())
	}
	return list
}

// save puts weights and optimiser into a checkpoint; memory is shared.
func (t *trainer) save(c *runs.Checkpoint) {
	list := t.named()
	for i, w := range list {
		shape, data := []int{w.Rows, w.Cols}, w.Data
		if t.average != nil {
			c.Optim = append(c.Optim, runs.Tensor{Name: w.Name + "/" + learningName, Shape: shape, Data: data})
			data = t.average.mean[i]
		}
		c.Params = append(c.Params, runs.Tensor{Name: w.Name, Shape: shape, Data: data})
	}
	for _, w := range t.spec.Weights.States() {
		c.States = append(c.States, runs.Tensor{Name: w.Name, Shape: []int{w.Rows, w.Cols}, Data: w.Data})
	}
	if t.ngrams != nil {
		t.ngrams.save(c)
	}
	s := t.opt.State()
	c.Optim = append(c.Optim, runs.Tensor{Name: stepsName, Shape: []int{1}, Data: []int64{s.Steps}})
	for _, slot := range s.Slots {
		w := list[slot.Weight]
		c.Optim = append(c.Optim, runs.Tensor{Name: w.Name + "/" + slot.Name, Shape: []int{w.Rows, w.Cols}, Data: slot.Data})
	}
}

// load restores the weights and running statistics for evaluation: the trainer cannot learn after it.
func (t *trainer) load(c *runs.Checkpoint) error {
	t.average = nil
	if err := models.Fill(t.named(), runs.Matrices(c.Params)); err != nil {
		return err
	}
	return models.Fill(t.spec.Weights.States(), runs.Matrices(c.States))
}

// resume restores weights and optimiser.
func (t *trainer) resume(c *runs.Checkpoint) error {
	mean := t.average
	if err := t.load(c); err != nil {
		return err
	}
	if t.average = mean; mean != nil {
		for i, w := range t.named() {
			learning, err := runs.TensorValues[float32](c.Optim, w.Name+"/"+learningName, len(w.Data))
			if err != nil {
				return err
			}
			copy(mean.mean[i], w.Data)
			copy(w.Data, learning)
		}
	}
	if t.ngrams != nil {
		if err := t.ngrams.load(c); err != nil {
			return err
		}
	}
	steps, err := runs.TensorValues[int64](c.Optim, stepsName, 1)
	if err != nil {
		return err
	}
	s := optim.State{Steps: steps[0]}
	for i, w := range t.named() {
		for _, name := range t.opt.Slots() {
			data, err := runs.TensorValues[float32](c.Optim, w.Name+"/"+name, len(w.Data))
			if err != nil {
				return err
			}
			s.Slots = append(s.Slots, optim.Slot{Weight: i, Name: name, Data: data})
		}
	}
	t.opt.Restore(s)
	return nil
}
