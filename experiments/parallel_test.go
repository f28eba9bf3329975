package experiments_test

import (
	"context"
	"fmt"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments/parallel"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"
)

// costOf measures a small run of an experiment with additional settings.
func costOf(t *testing.T, r *training.Runner, name string, more ...string) training.Cost {
	t.Helper()
	j := must.Get(r.Job(t.Context(), testrun.Plan(t, name, append(append([]string{}, testrun.Few...), more...)...)))(t)
	cost := must.Get((&parallel.Costs{Runner: r, AtLeast: time.Millisecond}).Of(t.Context(), j))(t)
	require.Positive(t, cost.Words)
	return cost
}

// A wider model, trained vectors and n-grams take more memory.
func TestMemoryGrows(t *testing.T) {
	r := testrun.Alone(t, t.TempDir(), 1)
	small := costOf(t, r, "tme9-lstm").Bytes
	t.Log(small)
	require.Positive(t, small)
	for _, more := range [][]string{{"lstm.hidden=200"}, {"vectors.train=true"}, {"wide=nbsvm", "wide.folds=2"}} {
		c := costOf(t, r, "tme9-lstm", more...).Bytes
		t.Log(more, c)
		require.Greater(t, c, small, "%v", more)
	}
}

// Evaluation takes time only in the epochs after which the test set is evaluated.
func TestSeconds(t *testing.T) {
	config := func(test string, more ...runs.Value) *runs.Config {
		return &runs.Config{
			Settings: append(runs.Values{{Key: "test", Value: test}, {Key: "epochs", Value: "10"}}, more...),
			Data:     runs.DataFacts{Train: runs.Part{Words: 1000}, Valid: runs.Part{Words: 100}, Test: runs.Part{Words: 500}},
		}
	}
	cost := training.Cost{Words: 10}
	require.InDelta(t, 1240, parallel.Seconds(cost, config("each"), 0), 1e-9)
	require.InDelta(t, 1040, parallel.Seconds(cost, config("last"), 0), 1e-9)
	require.InDelta(t, 1040, parallel.Seconds(cost, config("never"), 0), 1e-9)

	tail := config("each", runs.Value{Key: "test.every", Value: "4"}, runs.Value{Key: "test.tail", Value: "3"})
	require.InDelta(t, 1040+4*20, parallel.Seconds(cost, tail, 0), 1e-9)
	require.InDelta(t, 3*124, parallel.Seconds(cost, tail, 7), 1e-9)
}

// A model that counts n-grams is measured until its solver has converged.
func TestCountingIsMeasured(t *testing.T) {
	r := testrun.Alone(t, t.TempDir(), 1)
	for _, name := range []string{"nbsvm"} {
		p := testrun.Plan(t, name, "data=sample")
		j := must.Get(r.Job(t.Context(), p))(t)
		cost := must.Get((&parallel.Costs{Runner: r}).Of(t.Context(), j))(t)
		require.Positive(t, cost.Setup)
		require.Positive(t, cost.Bytes)
		out := must.Get(r.Run(t.Context(), p, training.Hooks{}))(t)
		times := must.Get(out.Run.Timing())(t)
		require.InDelta(t, len(times), cost.Passes, 2)
		require.Less(t, cost.Passes, p.Run.Epochs)
		require.Less(t, parallel.Seconds(cost, &j.Config, cost.Passes), parallel.Seconds(cost, &j.Config, 0))
	}
}

// gridOf returns a grid of tiny runs in a new folder.
func gridOf(t *testing.T, jobs int) *parallel.Grid {
	r := testrun.Runner(t, t.TempDir(), 1)
	return &parallel.Grid{Runner: *r, Jobs: jobs, Workers: 1}
}

// carryOut runs the grid and returns the result of each plan by its index.
func carryOut(t *testing.T, g *parallel.Grid, plans []*plan.Plan) map[int]parallel.Result {
	t.Helper()
	out := map[int]parallel.Result{}
	g.Done = func(r parallel.Result) { out[r.Index] = r }
	require.NoError(t, g.Run(context.Background(), plans))
	return out
}

func tinyPlans(t *testing.T, seeds int, more ...string) []*plan.Plan {
	var out []*plan.Plan
	for seed := 1; seed <= seeds; seed++ {
		out = append(out, testrun.Plan(t, "tme9-lstm", append(append([]string{"epochs=2", fmt.Sprintf("seed=%d", seed)}, testrun.Few...), more...)...))
	}
	return out
}

// The result of a run does not depend on the runs that train at the same time.
func TestGridGivesTheBitsOfSingleRuns(t *testing.T) {
	plans := append(tinyPlans(t, 2), testrun.Plan(t, "tme10-self", append([]string{"epochs=2", "layers=1"}, testrun.Few...)...))
	want := make([]any, len(plans))
	r := testrun.Runner(t, t.TempDir(), 2)
	for i, p := range plans {
		want[i] = testrun.Result(t, testrun.Train(t, r, p))
	}
	g := gridOf(t, 2)
	var at sync.Mutex
	running, peak := map[int]bool{}, 0
	g.Hooks = func(i int) training.Hooks {
		return training.Hooks{
			Started: func(training.Started) {
				at.Lock()
				defer at.Unlock()
				running[i] = true
				peak = max(peak, len(running))
			},
			Epoch: func(m runs.Metrics, _ runs.Timing) {
				at.Lock()
				defer at.Unlock()
				if m.Epoch == 2 {
					delete(running, i)
				}
			},
		}
	}
	ended := carryOut(t, g, plans)
	require.Len(t, ended, len(plans))
	for i, res := range ended {
		require.NoError(t, res.Err)
		require.False(t, res.Outcome.Skipped)
		require.Equal(t, want[i], testrun.Result(t, res.Outcome.Run), "plan %d", i)
	}
	require.LessOrEqual(t, peak, 2)
	for _, res := range carryOut(t, g, plans) {
		require.NoError(t, res.Err)
		require.True(t, res.Outcome.Skipped)
	}
}

// A panic in one run fails that run alone.
func TestGridGuards(t *testing.T) {
	g := gridOf(t, 2)
	g.Hooks = func(i int) training.Hooks {
		return training.Hooks{Started: func(training.Started) {
			if i == 0 {
				panic("a mistake")
			}
		}}
	}
	ended := carryOut(t, g, tinyPlans(t, 2))
	require.ErrorContains(t, ended[0].Err, "internal error: a mistake")
	require.NoError(t, ended[1].Err)
}

// If there is memory for one run, the others wait.
func TestGridWaitsForMemory(t *testing.T) {
	g := gridOf(t, 2)
	plans := tinyPlans(t, 3, "epochs=1")
	g.Free = func() (int64, bool) { return 1000, true }
	var waited, running atomic.Int32
	g.Waits = func(_ int, need, free int64) {
		require.Greater(t, need, free)
		waited.Add(1)
	}
	g.Hooks = func(int) training.Hooks {
		return training.Hooks{
			Started: func(training.Started) { require.EqualValues(t, 1, running.Add(1)) },
			Epoch:   func(runs.Metrics, runs.Timing) { running.Add(-1) },
		}
	}
	ended := carryOut(t, g, plans)
	require.Len(t, ended, 3)
	for _, res := range ended {
		require.NoError(t, res.Err)
	}
	require.EqualValues(t, 3, waited.Load())
}

// Several processes on one grid: a grid waits for a run that another process is training, and resumes
// it when that process has stopped. Nothing fails and nothing is trained twice.
func TestGridsShareRuns(t *testing.T) {
	for _, jobs := range []int{2} {
		plans := tinyPlans(t, 3)
		dir := t.TempDir()
		other := testrun.Runner(t, dir, 1)
		ctx, stop := context.WithCancel(t.Context())
		holds, release := make(chan bool), make(chan bool)
		ended := make(chan error)
		go func() { // the other process: it stops in the first run
			_, err := other.Run(ctx, plans[0], training.Hooks{Epoch: func(m runs.Metrics, _ runs.Timing) {
				if m.Epoch == 1 {
					close(holds)
					<-release
				}
			}})
			ended <- err
		}()
		<-holds
		g := gridOf(t, jobs)
		g.Runner.Dir, g.Poll = dir, time.Millisecond
		var taken, order []int
		letGo := func() { // not before the grid has seen it: two runs may end sooner than it gives up waiting
			if len(taken) == 1 && len(order) == 2 {
				stop()
				close(release)
			}
		}
		g.Taken = func(i int, by error) {
			require.ErrorContains(t, by, "is held by")
			taken = append(taken, i)
			letGo()
		}
		out := map[int]parallel.Result{}
		g.Done = func(r parallel.Result) {
			order, out[r.Index] = append(order, r.Index), r
			letGo()
		}
		require.NoError(t, g.Run(t.Context(), plans))
		require.ErrorIs(t, <-ended, context.Canceled)
		require.Equal(t, []int{0}, taken)
		require.Len(t, order, 3)
		require.Equal(t, 0, order[2])
		for i, r := range out {
			require.NoError(t, r.Err)
			require.False(t, r.Outcome.Skipped)
			require.Equal(t, testrun.Result(t, testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), plans[i])), testrun.Result(t, r.Outcome.Run))
		}
	}
}

// A grid that waits for a run held forever ends only when its context ends.
func TestGridStopsWaiting(t *testing.T) {
	plans := tinyPlans(t, 2)
	g := gridOf(t, 1)
	j := must.Get(g.Runner.Job(t.Context(), plans[0]))(t)
	j.Config.Table = must.Get(j.Data.Keep(g.Runner.Dir))(t)
	w := must.Get(runs.Create(g.Runner.Dir, j.Config, runs.Environment{}))(t)
	defer w.Close()
	ctx, stop := context.WithCancel(t.Context())
	g.Poll = time.Millisecond
	done := 0
	g.Done = func(r parallel.Result) {
		require.NoError(t, r.Err)
		done++
		stop()
	}
	require.NoError(t, g.Run(ctx, plans))
	require.Equal(t, 1, done)
}

func TestShare(t *testing.T) {
	for _, c := range []struct {
		jobs, cores, workers, plans int
		given                       bool
		wantJobs, wantEach          int
	}{
		{1, 8, 8, 10, false, 1, 8},
		{2, 8, 8, 10, false, 2, 4},
		{3, 8, 8, 10, false, 3, 2},
		{16, 8, 8, 10, false, 8, 1},
		{4, 8, 8, 2, false, 2, 4},   // no more than there are runs
		{4, 8, 4, 10, true, 2, 4},   // --workers 4: two jobs fit
		{4, 8, 16, 10, true, 1, 16}, // as asked, for one
		{2, 1, 1, 10, false, 1, 1},
	} {
		jobs, each := parallel.Jobs{N: c.jobs, Given: c.given}.Share(c.cores, c.workers, c.plans)
		require.Equal(t, []int{c.wantJobs, c.wantEach}, []int{jobs, each}, "%+v", c)
	}
}
