package grid

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments/parallel"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/term"
	"imdbexp/runs"
)

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
		jobs, each := Jobs{N: c.jobs, Given: c.given}.Share(c.cores, c.workers, c.plans)
		require.Equal(t, []int{c.wantJobs, c.wantEach}, []int{jobs, each}, "%+v", c)
	}
}

func gridPlans(t *testing.T, words ...string) []*plan.Plan {
	t.Helper()
	plans, err := plan.Resolve(t.Context(), words, "sample")
	require.NoError(t, err)
	return plans
}

// Time passes as the clock says; each epoch of the LSTM takes 10 s, of the mean 2 s.
func TestGridState(t *testing.T) {
	plans := gridPlans(t, "tme9-lstm", "tme9-mean", "seed=1..2", "epochs=4")
	s := newState(plans, Labels(plans), 2)
	require.Equal(t, "0 of 4 done, 0 running", s.summary())
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	s.started(0, 0, now)
	s.started(2, 2, now) // two epochs are there
	s.epoch(0, runs.Metrics{Epoch: 1}, now.Add(10*time.Second))
	s.epoch(2, runs.Metrics{Epoch: 3}, now.Add(2*time.Second))
	s.stepped(2, training.Step{Done: 50, Total: 100})
	// 3 epochs of 10 s, half a one of 2 s, and 4 of each of the others: 79 s, two at a
	// time; but one of these alone takes 40 s.
	require.Equal(t, "0 of 4 done, 2 running, 40 s left", s.summary(), "no less than the longest run")

	s.end(parallel.Result{Index: 0, Err: errors.New("x")})
	require.Equal(t, "0 of 4 done, 1 running, 1 failed, 40 s left", s.summary())
	require.InDelta(t, (4+3.5)/16, s.finished(), 1e-9)
}

// A grid in a pipe prints a line a minute with the running runs.
func TestGridInPipeIsNeverQuietForLong(t *testing.T) {
	var out strings.Builder
	plans := gridPlans(t, "tme9-lstm", "seed=1..2", "epochs=4")
	v := newView(term.New(&out, &out, 0, false), newState(plans, Labels(plans), 2))
	now := time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)
	v.now, v.printed = func() time.Time { return now }, now
	a, b := v.hooks(0), v.hooks(1)
	a.Started(training.Started{})
	b.Started(training.Started{From: 2})
	for range 13 {
		now = now.Add(10 * time.Second)
		a.Step(training.Step{Done: 10, Total: 100})
	}
	require.Equal(t, []string{
		"0 of 2 done, 2 running; tme9-lstm seed=1 epoch 1/4; tme9-lstm seed=2 epoch 3/4",
		"0 of 2 done, 2 running; tme9-lstm seed=1 epoch 1/4; tme9-lstm seed=2 epoch 3/4",
	}, strings.Split(strings.TrimSpace(out.String()), "\n"))
	require.Equal(t, "tme9-lstm seed=2 after epoch 2 of 4", v.position(1))
	v.bar.Stop()
}
