package parallel_test

import (
	"context"
	"testing"
	"time"

	"imdbexp/experiments/parallel"
	"imdbexp/experiments/training"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"

	"github.com/stretchr/testify/require"
)

// Several processes on one grid: what another is at is waited for, and gone on with when
// it has stopped; nothing fails and nothing is trained twice.
func TestGridsShareRuns(t *testing.T) {
	for _, jobs := range []int{1, 2} {
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

// A run that is never let go of ends a grid only by its context.
func TestGridStopsWaiting(t *testing.T) {
	plans := tinyPlans(t, 2)
	g := gridOf(t, 1)
	j, err := g.Runner.Job(t.Context(), plans[0])
	require.NoError(t, err)
	j.Config.Table, err = j.Data.Keep(g.Runner.Dir)
	require.NoError(t, err)
	w, err := runs.Create(g.Runner.Dir, j.Config, runs.Environment{})
	require.NoError(t, err)
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
