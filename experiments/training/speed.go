package training

import (
	"context"
	"errors"
	"fmt"
	"time"

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/models"
)

// Speed is how fast a model trains: steps only, without evaluation.
type Speed struct {
	Words  float64 // a second
	Before float64 // seconds that go by before the first step: n-grams are found, or fitted
	Pass   float64 // seconds of a pass over all of train
	Passes int     // until a solver has converged; 0 of a network, which makes as many as it is asked for
}

// mostCounted is of how many reviews n-grams are counted to see how long that takes of all:
// it goes by the words. On IMDB a solver converges on so many in a step or two less than on 25 000.
const mostCounted = 1500

// trainer loads what a plan trains on, for what keeps no run. A plan that trains no network has
// no steps to look at.
func (r *Runner) trainer(ctx context.Context, p *plan.Plan) (*trainer, error) {
	if _, counts := p.Model.(models.Counting); counts {
		return nil, fmt.Errorf("%s is no network: it counts n-grams, and a solver finds its weights without rates and batches", p.Experiment.Name)
	}
	d, err := r.Loader.Load(ctx, p.Task(), p.Run)
	if err != nil {
		return nil, err
	}
	return r.trainerOn(ctx, p, d)
}

func (r *Runner) trainerOn(ctx context.Context, p *plan.Plan, d *task.Data) (*trainer, error) {
	base, err := r.base(ctx, p, d)
	if err != nil {
		return nil, err
	}
	return newTrainer(p, d, r.Pool, base)
}

// sample returns data with a part of train and how many times as many words the whole has,
// or them as they are where they are small.
func sample(d *task.Data) (*task.Data, float64, error) {
	if d.Train.Len() <= mostCounted {
		return d, 1, nil
	}
	part := *d
	var err error
	part.Train, err = dataset.Draw(d.Train, mostCounted, 1)
	if err != nil {
		return nil, 0, err
	}
	return &part, float64(len(d.Train.IDs)) / float64(len(part.Train.IDs)), nil
}

// counting is Speed of a model that counts, whose solver has converged on a part of train
// then. The fastest of a few tries counts: what else runs on the machine only slows it down.
func (r *Runner) counting(ctx context.Context, p *plan.Plan, d *task.Data, of models.Counts) (fastest Speed, err error) {
	part, times, err := sample(d)
	if err != nil {
		return Speed{}, err
	}
	const tries = 3
	for i := range tries {
		s, err := r.counted(ctx, p, d, part, times, of)
		if err != nil && times > 1 && ctx.Err() == nil { // what is rare is not in every part
			part, times = d, 1
			s, err = r.counted(ctx, p, d, part, times, of)
		}
		if err != nil {
			return Speed{}, err
		}
		if whole := func(s Speed) float64 { return s.Before + s.Pass*float64(s.Passes) }; i == 0 || whole(s) < whole(fastest) {
			fastest = s
		}
	}
	return fastest, nil
}

// counted is one such try.
func (r *Runner) counted(ctx context.Context, p *plan.Plan, d, part *task.Data, times float64, of models.Counts) (Speed, error) {
	began := time.Now()
	took := func() float64 {
		seconds := time.Since(began).Seconds()
		began = time.Now()
		return seconds
	}
	l, err := newLinear(p, part, of, r.Pool)
	if err != nil {
		return Speed{}, err
	}
	defer l.close()
	before, steps := took()*times, 0
	for !l.done() && steps < p.Run.Epochs {
		steps++
		if err := l.epoch(ctx, steps, new(sums), func(Step) {}); err != nil {
			return Speed{}, err
		}
	}
	pass := took() * times / float64(steps)
	if _, err := l.scorer.Matrix(l.pool, worded{part.Train}, part.Table.Words); err != nil {
		return Speed{}, err
	}
	words := float64(len(part.Train.IDs))
	word := took() / words // of a split that is evaluated
	for _, e := range []*dataset.Encoded{d.Valid, d.Test} {
		if e != nil {
			before += word * float64(len(e.IDs))
		}
	}
	return Speed{Words: words * times / pass, Before: before, Pass: pass, Passes: steps}, nil
}

// Speed trains a plan for some time, keeps nothing of it, and tells how fast it
// went. What the first steps pay for (graphs, memory) is not counted. Where n-grams are
// counted that is done on a part of train.
func (r *Runner) Speed(ctx context.Context, p *plan.Plan, least time.Duration) (Speed, error) {
	whole, err := r.Loader.Load(ctx, p.Task(), p.Run)
	if err != nil {
		return Speed{}, err
	}
	if c, counts := p.Model.(models.Counting); counts {
		return r.counting(ctx, p, whole, c.Counts())
	}
	d, times := whole, 1.0
	if beside, _ := models.Beside(p.Model); beside != nil {
		if d, times, err = sample(whole); err != nil {
			return Speed{}, err
		}
	}
	t, err := r.trainerOn(ctx, p, d)
	if err != nil {
		return Speed{}, err
	}
	defer t.close()
	start := time.Now()
	if err := t.ready(ctx, nil); err != nil {
		return Speed{}, err
	}
	ready := time.Since(start).Seconds() * times
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
	return Speed{Words: rate, Before: ready, Pass: float64(len(whole.Train.IDs)) / rate}, ctx.Err()
}
