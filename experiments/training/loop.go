package training

import (
	"context"

	"imdbexp/dataset"
	"imdbexp/internal/optim"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/models"
)

// trainer is the training loop. It knows no model, no task and no penalty: only a network that gives
// losses and gradients, and an optimiser that updates the weights.
type trainer struct {
	*evaluator
	run      *settings.Run
	rate     float64 // lr, until a measurement sets it
	train    *models.Network
	opt      optim.Optimizer
	schedule optim.Schedule
	vectors  trainedVectors // nil unless word vectors are trained
	wordDrop *wordDrop      // nil unless words are dropped
	average  *average       // nil unless weights are averaged; the weights are the raw ones, not their average
	ngrams   *ngramInput    // nil unless the classifier has a second input
	start    *start         // nil unless the weights are those of another run at first
	data     *split
	grads    []optim.ValueGrad
}

// Step is the progress of an epoch.
type Step struct {
	Epoch, Epochs int
	Done, Total   int // reviews
	Words         int
	Loss          float64 // mean so far
}

// epoch makes one pass over train and adds it to sum. If sum has steps already, the pass continues
// after them. After each step it calls after. Cancelling ctx stops it between two steps.
func (t *trainer) epoch(ctx context.Context, epoch int, sum *sums, after func(Step)) error {
	order := dataset.Shuffle(t.data.Len(), t.run.Seed, uint64(epoch))
	end := t.passLength()
	if end == 0 {
		return settings.Misfit("slip.drop_last=true leaves none of %d reviews in batches of %d: use a smaller batch", len(order), t.run.Batch)
	}
	if err := t.widen(ctx, t.corpus.Train); err != nil {
		return err
	}
	steps := t.steps()
	for step := sum.steps; step < steps; step++ {
		if err := ctx.Err(); err != nil {
			return err
		}
		lo := step * t.run.Batch
		n := uint64((epoch-1)*steps + step)
		b := t.batch(order[lo:min(lo+t.run.Batch, end)], n)
		loss, norm, err := t.step(b, n, float64(epoch-1)+float64(step)/float64(steps))
		if err != nil {
			return err
		}
		if exploded(loss) || !finite(norm) {
			return divergedAt(epoch, step+1, loss, norm)
		}
		if t.average != nil {
			if err := t.average.add(t.named(), int64(n)+1); err != nil {
				return err
			}
		}
		sum.add(b, t.train, loss)
		sum.norm += norm
		after(Step{epoch, t.run.Epochs, sum.reviews, end, sum.words, sum.meanLoss()})
	}
	return nil
}

// batch returns the n-th batch of the run, with these reviews of train.
func (t *trainer) batch(reviews []int32, n uint64) *ragged.Batch {
	b := t.data.fill(reviews)
	if t.wordDrop != nil {
		b = t.wordDrop.drop(b, n)
	}
	return b
}

// passLength is the number of reviews of a pass over train.
func (t *trainer) passLength() int {
	n := t.data.Len()
	if t.run.DropLast {
		n -= n % t.run.Batch
	}
	return n
}

// steps returns the number of steps of a pass over train.
func (t *trainer) steps() int { return (t.passLength() + t.run.Batch - 1) / t.run.Batch }

// seen returns the number of reviews in the first steps.
func (t *trainer) seen(steps int) int { return min(steps*t.run.Batch, t.passLength()) }

// step learns from the n-th batch of the run; epochs is the time since the beginning, in epochs. It
// returns the loss and the global norm of the gradients.
func (t *trainer) step(b *ragged.Batch, n uint64, epochs float64) (loss, norm float64, err error) {
	if err := t.differentiate(b, n); err != nil {
		return 0, 0, err
	}
	loss = float64(t.train.Cost())
	norm, err = t.update(epochs)
	return loss, norm, err
}

// differentiate computes the loss of a batch and its gradients.
func (t *trainer) differentiate(b *ragged.Batch, n uint64) error {
	in := t.data.inputs
	if t.vectors != nil {
		in.Overlap = func() { t.vectors.expect(b.IDs) }
	}
	return t.train.Run(b, in, n)
}

// update clips the gradients and makes one step of the optimiser. It returns the global norm of the
// gradients.
func (t *trainer) update(epochs float64) (norm float64, err error) {
	t.grads = t.grads[:0]
	for i, w := range t.spec.Weights.List() {
		t.grads = append(t.grads, optim.Weight{W: w.Data, G: t.train.Gradient(i), Rate: t.start.factor(w.Name, t.run.InitLR)})
	}
	factor := t.schedule.At(epochs)
	if t.vectors != nil {
		g, err := t.vectors.gradient(t.train.RowGradients())
		if err != nil {
			return 0, err
		}
		t.grads = append(t.grads, g)
		t.vectors.setLR(t.rate, factor)
	}
	if norm = optim.Clip(t.grads, t.run.Clip); !finite(norm) {
		return norm, nil
	}
	t.opt.SetLR(t.rate * factor)
	return norm, t.opt.Step(t.grads)
}
