// Package parallel answers in what order, and how many at a time, plans are carried out.
package parallel

import (
	"context"
	"errors"
	"sync"

	"imdbexp/experiments/estimate"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/guard"
	"imdbexp/internal/memory"
	"imdbexp/internal/ops"
	"imdbexp/runs"
)

// Grid carries out plans, several at a time, in goroutines of one process: so the
// reviews and word vectors are in memory once, however many runs use them, and
// one signal lets all of them keep a checkpoint and stop. What a run keeps does not
// depend on what else is running.
type Grid struct {
	Runner   training.Runner // as for a single run, but for its pool
	Jobs     int             // plans at a time
	Workers  int             // cores for each
	FailFast bool            // the first failure stops the others

	// Free tells how much memory may still be taken; nil: memory.Free.
	Free func() (bytes int64, ok bool)
	// Hooks returns what hears about the i-th plan as it goes; they may be called
	// from several goroutines. Nil: nothing does.
	Hooks func(i int) training.Hooks
	// Waits is told when the i-th plan has to wait for memory (alone is false), or
	// starts although it may not have enough because nothing else is left to wait for.
	Waits func(i int, need, free int64, alone bool)
	// Done is told how each plan ended, one call at a time. Its panic ends nothing: it
	// is what Run returns.
	Done func(Result)
}

// Result is how the plan of an index ended.
type Result struct {
	Index   int
	Outcome *training.Outcome // nil where Err is not
	Err     error             // it wraps context.Canceled where the plan was stopped
}

// Run carries out the plans in their order and returns when all have ended. Of
// those that were not started when ctx ended, or at a failure with FailFast, Done
// hears nothing. How plans ended is no error of Run's.
func (g *Grid) Run(ctx context.Context, plans []*plan.Plan) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	free := g.Free
	if free == nil {
		free = memory.Free
	}
	gate := newGate(free)
	next := make(chan int)
	go func() {
		defer close(next)
		for i := range plans {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	var told sync.Mutex
	var failed error // of Done
	var all sync.WaitGroup
	for range min(max(g.Jobs, 1), len(plans)) {
		all.Go(func() {
			pool := ops.NewPool(g.Workers)
			defer pool.Close()
			r := g.Runner
			r.Pool = pool
			for i := range next {
				if ctx.Err() != nil {
					return
				}
				out, err := g.one(ctx, &r, gate, i, plans[i])
				told.Lock()
				if err != nil && g.FailFast {
					stop()
				}
				failed = errors.Join(failed, guard.Call(func() error {
					if g.Done != nil {
						g.Done(Result{i, out, err})
					}
					return nil
				}))
				told.Unlock()
			}
		})
	}
	all.Wait()
	return failed
}

// one carries out a plan once there is memory for it.
func (g *Grid) one(ctx context.Context, r *training.Runner, gate *gate, i int, p *plan.Plan) (*training.Outcome, error) {
	var out *training.Outcome
	work := func() error {
		h := training.Hooks{}
		if g.Hooks != nil {
			h = g.Hooks(i)
		}
		j, err := r.Job(ctx, p)
		if err != nil {
			return err
		}
		if g.Jobs > 1 {
			leave, err := g.enter(ctx, gate, i, j, &h)
			if err != nil {
				return err
			}
			defer leave()
		}
		out, err = j.Run(ctx, h)
		return err
	}
	if err := guard.Call(work); err != nil {
		return nil, err
	}
	return out, nil
}

// enter waits for memory, unless nothing is left to train, and lets the gate hear of
// the run's first whole epoch.
func (g *Grid) enter(ctx context.Context, gate *gate, i int, j *training.Job, h *training.Hooks) (leave func(), err error) {
	if done, err := j.Done(); done || err != nil {
		return func() {}, err
	}
	need, err := estimate.Memory(j)
	if err != nil {
		return nil, err
	}
	err = gate.enter(ctx, i, need, func(free int64, alone bool) {
		if g.Waits != nil {
			g.Waits(i, need, free, alone)
		}
	})
	if err != nil {
		return nil, err
	}
	ended := h.Epoch
	h.Epoch = func(m runs.Metrics, t runs.Timing) {
		gate.settle(i)
		if ended != nil {
			ended(m, t)
		}
	}
	return func() { gate.leave(i) }, nil
}
