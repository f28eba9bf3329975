package training

import (
	"context"
	"errors"
	"runtime"
	"slices"
	"time"

	"imdbexp/dataset"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/models"
	"imdbexp/runs"
)

// Cost is the time and the memory that training a model takes on this machine, as a few steps
// of it show. Evaluation is not part of the time.
type Cost struct {
	Words  float64 // words of training reviews a second
	Setup  float64 // seconds before the first step, in which n-grams are found and fitted
	Pass   float64 // seconds of a pass over all training reviews
	Passes int     // passes until a solver has converged; 0 for a network, which makes all its epochs
	Bytes  int64   // memory at the peak, without the data that the loader shares between runs
}

// maxMeasured is the number of reviews on which n-grams are counted to estimate the time for
// all of them. On IMDB a solver takes one or two steps less on so many than on 25 000.
const maxMeasured = 1500

// The memory at the peak, as a multiple of the objects that are in use after some steps. Buffers
// that have grown leave smaller ones to the collector; finding n-grams takes several times the
// memory of the result (measured on IMDB).
const (
	memoryMargin = 1.25
	solverMargin = 6
)

// The first warmUp steps do not count. After maxSteps more, as on the sample, the mean is known.
const (
	warmUp   = 5
	maxSteps = 50
)

// Measure trains a plan for the given time or a little longer, or for maxSteps, keeps nothing, and
// returns its cost.
func (r *Runner) Measure(ctx context.Context, p *plan.Plan, atLeast time.Duration) (Cost, error) {
	defer r.Pool.Until(ctx, 0)()
	before := liveBytes()
	whole, err := r.Loader.Load(ctx, p.Task(), p.Run)
	if err != nil {
		return Cost{}, err
	}
	part, scale := whole, 1.0
	counting, isCounting := p.Model.(models.Counting)
	wide, _ := models.WideInput(p.Model)
	if (isCounting || wide != nil) && whole.Train.Len() > maxMeasured {
		copied := *whole
		copied.Train = dataset.Sample(whole.Train, maxMeasured, 1)
		part, scale = &copied, float64(len(whole.Train.IDs))/float64(len(copied.Train.IDs))
	}
	if isCounting {
		c, err := r.measureSolver(ctx, p, part, scale, counting.Counts(), before)
		if err != nil && scale > 1 && ctx.Err() == nil { // a part may lack rare n-grams
			c, err = r.measureSolver(ctx, p, whole, 1, counting.Counts(), before)
		}
		return c, err
	}
	from, err := r.others(ctx, p, part)
	if err != nil {
		return Cost{}, err
	}
	t, err := newTrainer(p, part, r.Pool, from)
	if err != nil {
		return Cost{}, err
	}
	defer t.close()
	start := time.Now()
	if err := t.ready(ctx, nil); err != nil {
		return Cost{}, err
	}
	c := Cost{Setup: time.Since(start).Seconds() * scale}
	if scale > 1 {
		c.Bytes = int64((scale - 1) * float64(max(0, liveBytes()-before)))
	}
	if c.Words, err = t.speed(ctx, atLeast); err != nil {
		return Cost{}, err
	}
	c.Pass = float64(len(whole.Train.IDs)) / c.Words
	used, err := t.peak(ctx, whole)
	c.Bytes += int64(memoryMargin * float64(max(0, liveBytes()-before)+used))
	return c, err
}

// speed trains as Measure does and returns the words a second.
func (t *trainer) speed(ctx context.Context, atLeast time.Duration) (float64, error) {
	inner, stop := context.WithCancel(ctx)
	defer stop()
	steps, words, seen := 0, 0, 0
	var began time.Time
	var spent time.Duration
	onStep := func(s Step) {
		words += s.Words - seen
		seen = s.Words
		switch steps++; {
		case steps == warmUp:
			began, words = time.Now(), 0
		case steps > warmUp:
			if spent = time.Since(began); spent >= atLeast || steps == warmUp+maxSteps {
				stop()
			}
		}
	}
	for epoch := 1; inner.Err() == nil; epoch++ {
		seen = 0
		if err := t.epoch(inner, epoch, new(sums), onStep); err != nil && !(errors.Is(err, context.Canceled) && ctx.Err() == nil) {
			return 0, err
		}
	}
	return float64(words) / spent.Seconds(), ctx.Err()
}

// peak runs the largest batches of a run, so that all buffers have their final size, and
// returns the bytes that its last checkpoint takes when it is read back: once as a file and
// once as numbers.
func (t *trainer) peak(ctx context.Context, d *task.Data) (int64, error) {
	order := dataset.Shuffle(t.data.Len(), t.run.Seed, 1)
	if _, _, err := t.step(t.data.fill(largest(t.data.Encoded, order, t.run.Batch)), 0, 0); err != nil {
		return 0, err
	}
	for _, e := range []*dataset.Encoded{d.Valid, d.Test} {
		if e == nil || e == d.Test && t.run.Test == "never" {
			continue
		}
		if err := t.widen(ctx, e); err != nil {
			return 0, err
		}
		s, err := t.split(e)
		if err != nil {
			return 0, err
		}
		if err := t.eval.Run(s.fill(largest(e, s.order, s.evalBatch)), s.inputs, 0); err != nil {
			return 0, err
		}
	}
	var checkpoint runs.Checkpoint
	t.save(&checkpoint)
	var bytes int64
	for _, list := range [][]runs.Tensor{checkpoint.Params, checkpoint.States, checkpoint.Optim} {
		for _, x := range list {
			if data, ok := x.Data.([]float32); ok { // the other tensors are small
				bytes += 4 * int64(len(data))
			}
		}
	}
	return 2 * bytes, nil
}

// largest returns the batch with the most words.
func largest(e *dataset.Encoded, order []int32, size int) (reviews []int32) {
	maxWords := -1
	for batch := range slices.Chunk(order, size) {
		words := 0
		for _, review := range batch {
			words += len(e.Words(int(review)))
		}
		if words > maxWords {
			reviews, maxWords = batch, words
		}
	}
	return reviews
}

// measureSolver measures a model that counts n-grams: its solver converges on a part of the
// training reviews, of which all are scale times as many words.
func (r *Runner) measureSolver(ctx context.Context, p *plan.Plan, d *task.Data, scale float64, of models.Counts, before int64) (Cost, error) {
	start := time.Now()
	l, err := newLinear(p, d, of, r.Pool)
	if err != nil {
		return Cost{}, err
	}
	defer l.close()
	c := Cost{Setup: time.Since(start).Seconds() * scale}
	for start = time.Now(); !l.done() && c.Passes < p.Run.Epochs; c.Passes++ {
		if err := l.epoch(ctx, c.Passes+1, new(sums), func(Step) {}); err != nil {
			return Cost{}, err
		}
	}
	c.Pass = time.Since(start).Seconds() * scale / float64(c.Passes)
	words := float64(len(d.Train.IDs)) * scale
	c.Words = words / c.Pass
	evaluated := 0.0 // words of the other splits, whose n-grams are counted, too
	for _, e := range []*dataset.Encoded{d.Valid, d.Test} {
		if e != nil {
			evaluated += float64(len(e.IDs))
		}
	}
	c.Setup *= 1 + evaluated/words
	c.Bytes = int64(solverMargin * scale * (1 + evaluated/words) * float64(max(0, liveBytes()-before)))
	return c, nil
}

// liveBytes returns the size of the objects on the heap that are in use.
func liveBytes() int64 {
	runtime.GC()
	runtime.GC() // pools keep their objects for one collection
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return int64(m.HeapAlloc)
}
