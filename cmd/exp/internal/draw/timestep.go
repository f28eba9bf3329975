package draw

import (
	"context"
	"errors"
	"time"

	G "gorgonia.org/gorgonia"

	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/models"
)

// stepper runs training steps of a model on synthetic batches.
type stepper struct {
	pool    *ops.Pool
	network *models.Network
	weights *models.Weights
	solver  optim.Optimizer
	table   []float32 // [stepperWords, stepWidth]
	grads   []G.ValueGrad
	step    uint64
}

// stepperWords is the size of the vocabulary.
const stepperWords = 5000

// stepWidth is the width of the word vectors.
const stepWidth = 50

// newStepper builds a model with its default settings.
func newStepper(name string, workers int) (*stepper, error) {
	info, err := models.Lookup(name)
	if err != nil {
		return nil, err
	}
	var run settings.Run
	model := info.New()
	if _, err := settings.New(&run, model); err != nil {
		return nil, err
	}
	const classes = 2
	s := &stepper{pool: ops.NewPool(workers), weights: models.NewWeights(run.Seed), table: make([]float32, stepperWords*stepWidth)}
	simd.Normal(s.table, simd.Key(run.Seed, "words"), 0, 0.5)
	s.network, err = models.NewNetwork(models.Spec{
		Model: model, Weights: s.weights, Pool: s.pool, In: stepWidth, Out: classes, Training: true, Seed: run.Seed,
	})
	if err != nil {
		s.pool.Close()
		return nil, err
	}
	s.solver = optim.NewAdam(run.LR, optim.AdamOptions{Beta1: run.Beta1, Beta2: run.Beta2, Epsilon: run.Epsilon})
	return s, nil
}

func (s *stepper) close() error {
	defer s.pool.Close()
	return s.network.Close()
}

// uniform returns a batch of as many reviews of n words as fit into the given
// number of words, at least one.
func uniform(n, words int) *ragged.Batch {
	b := &ragged.Batch{Offsets: []int{0}}
	for i := range max(1, words/n) {
		b.Offsets = append(b.Offsets, (i+1)*n)
		b.Reviews = append(b.Reviews, int32(i))
		b.Labels = append(b.Labels, int32(i%2))
	}
	b.IDs = make([]int32, b.Offsets[b.Len()])
	for i := range b.IDs {
		b.IDs[i] = int32(i % stepperWords)
	}
	return b
}

// time returns the shortest time of a step. It measures for about the given duration, at
// least three steps after a first that does not count. Other processes can only add time.
func (s *stepper) time(ctx context.Context, b *ragged.Batch, duration time.Duration) (time.Duration, error) {
	in := models.Inputs{Table: s.table}
	if s.network.NeedsMeans() {
		in.Means = make([]float32, b.Len()*stepWidth)
	}
	var best, spent time.Duration
	for steps := 0; steps < 4 || spent < duration; steps++ {
		if err := ctx.Err(); err != nil {
			return 0, err
		}
		began := time.Now()
		if err := s.make(b, in); err != nil {
			return 0, err
		}
		took := time.Since(began)
		switch {
		case steps == 0:
			continue
		case best == 0 || took < best:
			best = took
		}
		spent += took
	}
	if best <= 0 {
		return 0, errors.New("the clock of this machine does not advance within a step: use more --words")
	}
	return best, nil
}

// make runs one training step.
func (s *stepper) make(b *ragged.Batch, in models.Inputs) error {
	s.step++
	if err := s.network.Run(b, in, s.step); err != nil {
		return err
	}
	s.grads = s.grads[:0]
	for i, w := range s.weights.List() {
		s.grads = append(s.grads, optim.Weight{W: w.Data, G: s.network.Gradient(i)})
	}
	return s.solver.Step(s.grads)
}
