package training

import (
	"context"
	"errors"
	"time"

	"imdbexp/experiments/plan"
	"imdbexp/models"
)

// Speed is how fast a model trains: steps only, without evaluation.
type Speed struct {
	Words  float64 // a second
	Before float64 // seconds that go by before the first step: n-grams are fitted
	Pass   float64 // seconds of a pass over all of train
}

// NoNetworkError says that a plan trains no network, whose steps could be looked at.
type NoNetworkError struct{ Name string }

func (e *NoNetworkError) Error() string {
	return e.Name + " is no network: it counts n-grams, and a solver finds its weights without rates and batches"
}

// trainer loads what a plan trains on, for what keeps no run.
func (r *Runner) trainer(ctx context.Context, p *plan.Plan) (*trainer, error) {
	if _, counts := p.Model.(models.Counting); counts {
		return nil, &NoNetworkError{p.Experiment.Name}
	}
	d, err := r.Loader.Load(ctx, p.Task(), p.Run)
	if err != nil {
		return nil, err
	}
	base, err := r.base(ctx, p, d)
	if err != nil {
		return nil, err
	}
	return newTrainer(p, d, r.Pool, base)
}

// Speed trains a plan for some time, keeps nothing of it, and tells how fast it
// went. What the first steps pay for (graphs, memory) is not counted.
func (r *Runner) Speed(ctx context.Context, p *plan.Plan, least time.Duration) (Speed, error) {
	t, err := r.trainer(ctx, p)
	if err != nil {
		return Speed{}, err
	}
	defer t.close()
	start := time.Now()
	if err := t.ready(ctx, nil); err != nil {
		return Speed{}, err
	}
	ready := time.Since(start).Seconds()
	const warmUp = 5
	inner, stop := context.WithCancel(ctx)
	defer stop()
	steps, words, before := 0, 0, 0
	var began time.Time
	var spent time.Duration
	onStep := func(s Step) {
		words += s.Words - before
		before = s.Words
		switch steps++; {
		case steps == warmUp:
			began, words = time.Now(), 0
		case steps > warmUp:
			if spent = time.Since(began); spent >= least {
				stop()
			}
		}
	}
	for epoch := 1; inner.Err() == nil; epoch++ {
		before = 0
		if err := t.epoch(inner, epoch, new(sums), onStep); err != nil && !(errors.Is(err, context.Canceled) && ctx.Err() == nil) {
			return Speed{}, err
		}
	}
	rate := float64(words) / spent.Seconds()
	return Speed{Words: rate, Before: ready, Pass: float64(len(t.data.IDs)) / rate}, ctx.Err()
}
