package training

import (
	"errors"
	"math"
	"slices"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
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

// newTrainer builds the two graphs of a model and its optimiser. base may be nil where no
// other run is needed.
func newTrainer(p *plan.Plan, d *task.Data, pool *ops.Pool, base baseOf) (*trainer, error) {
	r := p.Run
	t := &trainer{
		base: base,

		run: r, weights: models.NewWeights(r.Seed), solver: newOptimizer(r),
		schedule: optim.Schedule{Kind: r.Schedule, Every: r.StepEpochs, Factor: r.StepFactor, Warmup: r.Warmup, Epochs: r.Epochs},
	}
	spec := d.Spec(p.Model, r, t.weights, pool)
	var err error
	if t.train, err = models.NewNetwork(spec); err != nil {
		return nil, err
	}
	spec.Training = false
	if t.eval, err = models.NewNetwork(spec); err != nil {
		t.train.Close()
		return nil, err
	}
	table := d.Table.Rows
	if spec.TrainRows {
		table = slices.Clone(table) // the loader's stays as it is
		if r.TrainVectors {
			t.vectors = newWordTable(r, table, d.Table.Dim, pool)
		} else {
			t.vectors = newOOVRow(table, d.Table.Dim)
		}
	}
	if t.data, err = t.split(p, d.Train, d, table, pool); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

func (t *trainer) close() error { return errors.Join(t.train.Close(), t.eval.Close()) }

// count returns the number of trained numbers.
func (t *trainer) count() int {
	n := 0
	for _, w := range t.named() {
		n += len(w.Data)
	}
	return n
}

// headSimilarity is that of the weights as they are, or nil where heads are not
// compared. The graph for evaluation computes it: where nothing has been evaluated
// since the last step, it runs on one review.
func (t *trainer) headSimilarity(evaluated bool) (*float64, error) {
	if !t.eval.ComparesHeads() {
		return nil, nil
	}
	if !evaluated {
		if err := t.eval.Run(t.data.fill([]int32{0}), t.data.inputs, 0); err != nil {
			return nil, err
		}
	}
	return number(t.eval.HeadSimilarity()), nil
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }
