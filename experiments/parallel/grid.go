// Package parallel trains several plans, some at the same time, and estimates what they cost.
package parallel

import (
	"cmp"
	"context"
	"errors"
	"runtime/debug"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/errgroup"
	"golang.org/x/sync/semaphore"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/guard"
	"imdbexp/internal/ops"
	"imdbexp/internal/system"
	"imdbexp/runs"
)

// Grid trains plans in goroutines of one process: they share reviews and word vectors, and one
// signal stops all of them after a checkpoint. The result of a run does not depend on the
// other runs.
type Grid struct {
	Runner  training.Runner // as for a single run; its pool is not used
	Jobs    int             // plans at a time
	Workers int             // cores for each

	// Free returns how much memory is free; nil means system.FreeMemory.
	Free func() (bytes int64, ok bool)
	// Hooks returns the hooks of the i-th plan, which may be called from several goroutines.
	// It may be nil.
	Hooks func(i int) training.Hooks
	// Waits is called if the i-th plan has to wait for memory, or needs more than is free at all.
	Waits func(i int, need, free int64)
	// Taken is called once if another process is training the run of the i-th plan. The plan
	// is tried again when the others are done.
	Taken func(i int, by error)
	// Poll is the time between two such tries; 0 means two seconds.
	Poll time.Duration
	// Done is called when a plan has ended, for one plan at a time. It is not called for plans
	// that never started, because ctx was cancelled.
	Done func(Result)

	mu     sync.Mutex
	failed error                 // from Done and Taken
	held   map[int]*training.Job // plans whose runs other processes are training
	told   map[int]bool          // plans for which Taken was called
	costs  Costs
	free   int64 // bytes for all runs together
	room   *semaphore.Weighted
}

// Result is the result of the plan with that index.
type Result struct {
	Index   int
	Outcome *training.Outcome // nil if Err is not
	Err     error             // wraps context.Canceled if the plan was stopped
}

// Run trains the plans in their order and returns when all have ended. The error is not that
// of a plan, but of Done or Taken, if one of them panics.
func (g *Grid) Run(ctx context.Context, plans []*plan.Plan) error {
	g.failed, g.held, g.told, g.room = nil, map[int]*training.Job{}, map[int]bool{}, nil
	if g.Jobs > 1 {
		g.measure(ctx, plans)
	}
	turn := make([]int, len(plans))
	for i := range turn {
		turn[i] = i
	}
	for ; len(turn) > 0; turn = g.wait(ctx) {
		var group errgroup.Group
		group.SetLimit(max(g.Jobs, 1))
		for _, i := range turn {
			group.Go(func() error {
				if ctx.Err() == nil {
					g.end(i, g.train(ctx, i, plans[i]))
				}
				return nil
			})
		}
		_ = group.Wait() // every error is that of a plan
	}
	return g.failed
}

// measure finds out how much memory each kind of plan needs before any is trained. A plan that
// cannot be measured reports its error when it is trained.
func (g *Grid) measure(ctx context.Context, plans []*plan.Plan) {
	r := g.Runner
	r.Pool = ops.NewPool(g.Workers)
	defer r.Pool.Close()
	g.costs = Costs{Runner: &r}
	for _, p := range plans {
		if _, known := g.costs.Known(p); known || ctx.Err() != nil {
			continue
		}
		_ = guard.Call(func() error {
			j, err := r.Job(ctx, p)
			if err != nil {
				return err
			}
			if done, err := j.Done(); done || err != nil {
				return err
			}
			_, err = g.costs.Of(ctx, j)
			return err
		})
	}
	free := g.Free
	if free == nil {
		free = system.FreeMemory
	}
	debug.FreeOSMemory()
	var ok bool
	if g.free, ok = free(); ok {
		g.room = semaphore.NewWeighted(max(g.free, 1))
	}
}

// enter waits until there is memory for the i-th plan.
func (g *Grid) enter(ctx context.Context, i int, p *plan.Plan) (leave func(), err error) {
	cost, _ := g.costs.Known(p)
	if g.room == nil || cost.Bytes == 0 {
		return func() {}, nil
	}
	need := min(cost.Bytes, max(g.free, 1))
	if got := g.room.TryAcquire(need); !got || need < cost.Bytes {
		if g.Waits != nil {
			g.Waits(i, cost.Bytes, g.free)
		}
		if !got {
			err = g.room.Acquire(ctx, need)
		}
	}
	return func() {
		debug.FreeOSMemory()
		g.room.Release(need)
	}, err
}

// train trains a plan; a panic becomes its error.
func (g *Grid) train(ctx context.Context, i int, p *plan.Plan) Result {
	out := Result{Index: i}
	err := guard.Call(func() error {
		r := g.Runner
		r.Pool = ops.NewPool(g.Workers)
		defer r.Pool.Close()
		h := training.Hooks{}
		if g.Hooks != nil {
			h = g.Hooks(i)
		}
		j, err := r.Job(ctx, p)
		if err != nil {
			return err
		}
		if done, err := j.Done(); err != nil {
			return err
		} else if !done {
			leave, err := g.enter(ctx, i, p)
			if err != nil {
				return err
			}
			defer leave()
		}
		out.Outcome, err = j.Run(ctx, h)
		if _, held := errors.AsType[*runs.TakenError](err); held {
			g.mu.Lock()
			g.held[i] = j
			g.mu.Unlock()
		}
		return err
	})
	if err != nil {
		out.Outcome, out.Err = nil, err
	}
	return out
}

// end reports the result of a plan.
func (g *Grid) end(i int, r Result) {
	g.mu.Lock()
	defer g.mu.Unlock()
	report := func() error {
		if g.Done != nil {
			g.Done(r)
		}
		return nil
	}
	if g.held[i] != nil {
		report = func() error {
			if by, _ := errors.AsType[*runs.TakenError](r.Err); g.Taken != nil && !g.told[i] {
				g.told[i] = true
				g.Taken(i, by.By)
			}
			return nil
		}
	}
	g.failed = errors.Join(g.failed, guard.Call(report))
}

// wait returns the plans whose runs other processes no longer train, as soon as there is one;
// none if ctx ends.
func (g *Grid) wait(ctx context.Context) (free []int) {
	for len(g.held) > 0 && len(free) == 0 {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(cmp.Or(g.Poll, 2*time.Second)):
		}
		for i, j := range g.held {
			if !j.Taken() {
				free = append(free, i)
				delete(g.held, i)
			}
		}
	}
	slices.Sort(free)
	return free
}
