// Package parallel answers in what order, and how many at a time, plans are carried out.
package parallel

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync"
	"time"

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
	// Taken is told of the i-th plan, once, that another process is training its run: it
	// is looked at again when the others are done.
	Taken func(i int, by error)
	// Poll is how often that is done; 0: every two seconds.
	Poll time.Duration
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
	p := &pass{Grid: g, gate: newGate(free), plans: plans, stop: stop, taken: map[int]*training.Job{}, told: map[int]bool{}}
	turn := make([]int, len(plans))
	for i := range turn {
		turn[i] = i
	}
	for len(turn) > 0 {
		p.carryOut(ctx, turn)
		turn = p.wait(ctx)
	}
	return p.failed
}

// pass is plans being carried out, some of them again.
type pass struct {
	*Grid
	gate  *gate
	plans []*plan.Plan
	stop  func()

	mu     sync.Mutex
	failed error                 // of Done
	taken  map[int]*training.Job // whose runs other processes are training
	told   map[int]bool          // that Taken has heard of
}

// carryOut carries out the plans of those indices.
func (g *pass) carryOut(ctx context.Context, turn []int) {
	next := make(chan int)
	go func() {
		defer close(next)
		for _, i := range turn {
			select {
			case next <- i:
			case <-ctx.Done():
				return
			}
		}
	}()
	var all sync.WaitGroup
	for range min(max(g.Jobs, 1), len(turn)) {
		all.Go(func() {
			pool := ops.NewPool(g.Workers)
			defer pool.Close()
			r := g.Runner
			r.Pool = pool
			for i := range next {
				if ctx.Err() != nil {
					return
				}
				job, out, err := g.one(ctx, &r, g.gate, i, g.plans[i])
				g.end(i, job, out, err)
			}
		})
	}
	all.Wait()
}

// end takes in how plan i ended.
func (g *pass) end(i int, job *training.Job, out *training.Outcome, err error) {
	g.mu.Lock()
	defer g.mu.Unlock()
	if by, taken := errors.AsType[*runs.TakenError](err); taken && job != nil {
		g.taken[i] = job
		if g.Taken != nil && !g.told[i] {
			g.told[i] = true
			g.failed = errors.Join(g.failed, guard.Call(func() error { g.Taken(i, by.By); return nil }))
		}
		return
	}
	if err != nil && g.FailFast {
		g.stop()
	}
	g.failed = errors.Join(g.failed, guard.Call(func() error {
		if g.Done != nil {
			g.Done(Result{i, out, err})
		}
		return nil
	}))
}

// wait returns the plans, of those whose runs other processes were training, whose runs
// they have left: finished, or to be gone on with. None at the end of ctx.
func (g *pass) wait(ctx context.Context) (left []int) {
	every := cmp.Or(g.Poll, 2*time.Second)
	for len(g.taken) > 0 && len(left) == 0 {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(every):
		}
		for i, j := range g.taken {
			if !j.Taken() {
				left = append(left, i)
				delete(g.taken, i)
			}
		}
	}
	slices.Sort(left)
	return left
}

// one carries out a plan once there is memory for it.
func (g *Grid) one(ctx context.Context, r *training.Runner, gate *gate, i int, p *plan.Plan) (j *training.Job, out *training.Outcome, err error) {
	work := func() error {
		h := training.Hooks{}
		if g.Hooks != nil {
			h = g.Hooks(i)
		}
		var err error
		if j, err = r.Job(ctx, p); err != nil {
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
		return j, nil, err
	}
	return j, out, nil
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
