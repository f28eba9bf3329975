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

// Jobs decides how a grid shares the machine.
type Jobs struct {
	N     int
	Given bool // the number of workers was given
}

// Share returns the number of runs at a time and the cores of each, which together are at most the
// cores of the machine. Without a given number of workers the cores are divided; with it, as many runs as fit.
func (j Jobs) Share(cores, workers, plans int) (atOnce, each int) {
	atOnce = max(1, min(j.N, cores, plans))
	if !j.Given {
		return atOnce, max(1, min(workers, cores/atOnce))
	}
	return max(1, min(atOnce, cores/workers)), workers
}

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
	// that had not started when ctx was cancelled, or waited for another process.
	Done func(Result)

	mu        sync.Mutex
	failed    error                 // from Done and Taken
	held      map[int]*training.Job // plans whose runs other processes are training
	announced map[int]bool          // plans for which Taken was called
	costs     Costs
	free      int64 // bytes for all runs together
	room      *semaphore.Weighted
}

// Result is the result of the plan with that index.
type Result struct {
	Index   int
	Outcome *training.Outcome // nil if Err is not
	Err     error             // wraps context.Canceled if the plan was stopped
}

// Run trains the plans in their order and returns when all have ended. It returns an error only if
// Done or Taken panics; Done gets the errors of plans.
func (g *Grid) Run(ctx context.Context, plans []*plan.Plan) error {
	g.failed, g.held, g.announced, g.room = nil, map[int]*training.Job{}, map[int]bool{}, nil
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
	if g.Free == nil {
		g.Free = system.FreeMemory
	}
	debug.FreeOSMemory()
	var ok bool
	if g.free, ok = g.Free(); ok {
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

func (g *Grid) end(i int, r Result) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.failed = errors.Join(g.failed, guard.Call(func() error {
		by, _ := errors.AsType[*runs.TakenError](r.Err)
		switch held := g.held[i] != nil; {
		case held && g.Taken != nil && !g.announced[i]:
			g.announced[i] = true
			g.Taken(i, by.By)
		case !held && g.Done != nil:
			g.Done(r)
		}
		return nil
	}))
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

// Costs measures the time and memory of plans, once for plans of the same cost.
type Costs struct {
	Runner  *training.Runner
	AtLeast time.Duration // of each measurement

	shared *training.Job // its data stay in memory for all measurements
	known  map[string]training.Cost
	spent  time.Duration
}

// costBudget bounds the time of all measurements.
const costBudget = 20 * time.Second

// costless lists the settings that change neither time nor memory of an epoch.
var costless = []string{"variant", "seed", "data.train_seed", "data.split_seed", "data.test_seed", "epochs", "patience", "lr", "vectors.lr", "weight_decay", "clip",
	"schedule", "schedule.every", "schedule.factor", "schedule.warmup"}

// kindOf returns a text that is equal for plans of the same cost.
func kindOf(p *plan.Plan) string { return p.Experiment.Model + p.Key(costless...) }

// Of returns the cost of a job's plan; a zero Cost means that it is unknown, because the
// measurements took too long or the model diverged.
func (c *Costs) Of(ctx context.Context, j *training.Job) (training.Cost, error) {
	if cost, known := c.Known(j.Plan); known || c.spent >= costBudget {
		return cost, nil
	}
	if c.shared == nil {
		c.shared = j
	}
	if _, err := c.Runner.Job(ctx, c.shared.Plan); err != nil { // the loader keeps these data and no others
		return training.Cost{}, err
	}
	began := time.Now()
	inner, cancel := context.WithTimeout(ctx, costBudget-c.spent)
	defer cancel()
	cost, err := c.Runner.Measure(inner, j.Plan, c.AtLeast)
	c.spent += time.Since(began)
	if _, diverged := errors.AsType[*training.DivergedError](err); diverged || inner.Err() != nil && ctx.Err() == nil {
		cost, err = training.Cost{}, nil
	}
	if err != nil {
		return training.Cost{}, err
	}
	if c.known == nil {
		c.known = map[string]training.Cost{}
	}
	c.known[kindOf(j.Plan)] = cost
	return cost, nil
}

// Known returns the cost of a plan if it has been measured. It may be called from several goroutines, but not
// while Of is.
func (c *Costs) Known(p *plan.Plan) (training.Cost, bool) {
	cost, known := c.known[kindOf(p)]
	return cost, known
}

// The time that evaluation and greedy decoding take for a word, as a multiple of training.
// Evaluation is between 0.36 and 0.41 for LSTM, self-attention and Transformer on IMDB.
const (
	evaluating = 0.4
	decoding   = 1.0
)

// Seconds estimates how long the epochs of a run take that come after the first done ones.
func Seconds(cost training.Cost, c *runs.Config, done int) float64 {
	g := c.General()
	epochs := g.Epochs - done
	if cost.Passes > 0 {
		epochs = min(epochs, max(1, cost.Passes-done))
	}
	words := float64(epochs) * (float64(c.Data.Train.Words) + evaluating*float64(c.Data.Valid.Words))
	tested := float64(g.TestsUntil(done+epochs)-g.TestsUntil(done)) * float64(c.Data.Test.Words)
	words += evaluating * tested
	if len(c.Task().Decoded) > 0 {
		words += decoding * tested
	}
	seconds := words / cost.Words
	if done == 0 || cost.Passes > 0 { // a resumed solver collects its n-grams again
		seconds += cost.Setup
	}
	return seconds
}
