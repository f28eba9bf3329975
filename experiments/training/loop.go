package experiments

import (
	"context"
	"fmt"
	"math"
	"slices"

	"imdbexp/dataset"
	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/models"

	G "gorgonia.org/gorgonia"
)

// trainer is the training loop. It knows no model: only a network that gives
// losses and gradients, and an optimiser that moves the weights.
type trainer struct {
	run      *settings.Run
	model    models.Model
	weights  *models.Weights
	train    *models.Network
	eval     *models.Network
	solver   optim.Optimizer
	schedule optim.Schedule
	oov      *oovRow    // nil unless it is learned alone
	vectors  *wordTable // nil unless they are trained
	data     *split
	grads    []G.ValueGrad
	decoder  *models.Decoder // nil until something is translated
}

// Step tells how far an epoch has come.
type Step struct {
	Epoch, Epochs int
	Done, Total   int // reviews
	Words         int
	Loss          float64 // mean so far
}

// epoch makes one pass over train and adds it up in sum, which is empty or says
// what the steps before gave: then it goes on behind them. After each step it calls
// after. An end of ctx is heard between steps.
func (t *trainer) epoch(ctx context.Context, epoch int, sum *tally, after func(Step)) error {
	order := dataset.Shuffle(t.data.Len(), t.run.Seed, uint64(epoch))
	end := t.passLength()
	if end == 0 {
		return fmt.Errorf("slip.drop_last=true leaves none of %d reviews in batches of %d: use a smaller batch", len(order), t.run.Batch)
	}
	steps := (end + t.run.Batch - 1) / t.run.Batch
	for step := sum.steps; step < steps; step++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		lo := step * t.run.Batch
		b := t.data.fill(order[lo:min(lo+t.run.Batch, end)])
		if err := t.differentiate(b, uint64((epoch-1)*steps+step)); err != nil {
			return err
		}
		loss := float64(t.train.Cost())
		norm, err := t.move(float64(epoch-1) + float64(step)/float64(steps))
		if err != nil {
			return err
		}
		if !finite(loss) || !finite(norm) {
			return &divergedError{epoch, step + 1, loss, norm}
		}
		sum.add(b, t.train, loss)
		sum.norm += norm
		after(Step{epoch, t.run.Epochs, sum.reviews, end, sum.words, sum.meanLoss()})
	}
	return nil
}

// passLength is the number of reviews of a pass over train.
func (t *trainer) passLength() int {
	n := t.data.Len()
	if t.run.DropLast {
		n -= n % t.run.Batch
	}
	return n
}

// differentiate computes the loss of a batch and its gradients.
func (t *trainer) differentiate(b *ragged.Batch, step uint64) error {
	in := t.data.inputs
	if t.vectors != nil {
		in.Beside = func() { t.vectors.expect(b.IDs) }
	}
	return t.train.Run(b, in, step)
}

// move clips the gradients and makes one step of the optimiser. It returns
// their global norm.
func (t *trainer) move(epochs float64) (norm float64, err error) {
	t.grads = t.grads[:0]
	for i, w := range t.weights.List() {
		t.grads = append(t.grads, optim.Weight{W: w.Data, G: t.train.Gradient(i)})
	}
	if t.oov != nil {
		t.grads = append(t.grads, optim.Weight{W: t.oov.row, G: t.oov.gradient(t.data.batch.IDs, t.train.RowGradients())})
	}
	if t.vectors != nil {
		if err := t.vectors.see(t.train.RowGradients()); err != nil {
			return 0, err
		}
		t.grads = append(t.grads, &t.vectors.rows)
	}
	if norm, err = optim.Clip(t.grads, t.run.Clip); err != nil || !finite(norm) {
		return norm, err
	}
	factor := t.schedule.At(epochs)
	t.solver.SetLR(t.run.LR * factor)
	if t.vectors != nil {
		t.vectors.setLR(t.run.LR, factor)
	}
	return norm, t.solver.Step(t.grads)
}

// evalBatch is how many reviews of like length are evaluated at once.
const evalBatch = 128

// evaluate makes one forward pass over a split. see, if not nil, is called for
// each batch that the network has just seen.
func (t *trainer) evaluate(ctx context.Context, s *split, see func(*split)) (*tally, error) {
	batch := s.evalBatch
	var sum tally
	for lo := 0; lo < len(s.order); lo += batch {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		b := s.fill(s.order[lo:min(lo+batch, len(s.order))])
		if err := t.eval.Run(b, s.inputs, 0); err != nil {
			return nil, err
		}
		var loss float64
		for _, l := range t.eval.Losses() {
			loss += float64(l)
		}
		sum.add(b, t.eval, loss/float64(t.eval.Positions()))
		if see != nil {
			see(s)
		}
	}
	return &sum, nil
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

func (t *trainer) close() {
	t.train.Close()
	t.eval.Close()
	if t.decoder != nil {
		t.decoder.Close()
	}
}

func finite(x float64) bool { return !math.IsNaN(x) && !math.IsInf(x, 0) }

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
func newTrainer(p *Plan, d *Data, pool *ops.Pool) (*trainer, error) {
	r := p.Run
	t := &trainer{
		run: r, model: p.Model, weights: models.NewWeights(r.Seed), solver: newOptimizer(r),
		schedule: optim.Schedule{Kind: r.Schedule, Every: r.StepEpochs, Factor: r.StepFactor, Warmup: r.Warmup, Epochs: r.Epochs},
	}
	spec := p.spec(d, t.weights, pool)
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
			t.oov = newOOVRow(table, d.Table.Dim)
		}
	}
	if t.data, err = t.split(d.Train, d, table, pool); err != nil {
		t.close()
		return nil, err
	}
	return t, nil
}

// split readies a split for the networks.
func (t *trainer) split(e *dataset.Encoded, d *Data, table []float32, pool *ops.Pool) (*split, error) {
	s := &split{Encoded: e, inputs: models.Inputs{Table: table}, order: dataset.ByLength(e), evalBatch: evalBatch}
	if m, ok := t.model.(models.BatchDependent); ok && m.BatchDependent() {
		// Batches as in training: of its size, reviews as they come.
		s.order, s.evalBatch = dataset.Shuffle(e.Len(), t.run.Seed, 0), t.run.Batch
	}
	if n := e.Len(); t.run.DropLast && n >= t.run.Batch {
		end := int32(n - n%t.run.Batch)
		s.order = slices.DeleteFunc(s.order, func(r int32) bool { return r >= end })
	}
	var err error
	if t.eval.NeedsMeans() {
		s.inputs.Means, err = means(pool, e, d.Table)
	}
	return s, err
}

// count returns the number of trained numbers.
func (t *trainer) count() int {
	n := 0
	for _, w := range t.named() {
		n += len(w.Data)
	}
	return n
}
