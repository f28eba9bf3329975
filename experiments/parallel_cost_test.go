package experiments_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments/parallel"
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
	for _, more := range [][]string{{"lstm.hidden=400"}, {"vectors.train=true"}, {"batch=128"}, {"wide=nbsvm", "wide.folds=2"}} {
		c := costOf(t, r, "tme9-lstm", more...).Bytes
		t.Log(more, c)
		require.Greater(t, c, small, "%v", more)
	}
	mine := costOf(t, r, "tme9-mean", "vectors=random", "vectors.dim=400").Bytes
	require.Greater(t, costOf(t, r, "tme9-mean", "vectors=random", "vectors.dim=800").Bytes, mine)
}

// Plans that differ only in the seed or the learning rate are measured once.
func TestCostIsMeasuredOnce(t *testing.T) {
	r := testrun.Alone(t, t.TempDir(), 1)
	costs := &parallel.Costs{Runner: r, AtLeast: time.Millisecond}
	plan := func(more ...string) training.Cost {
		j := must.Get(r.Job(t.Context(), testrun.Plan(t, "tme9-lstm", append(more, testrun.Few...)...)))(t)
		return must.Get(costs.Of(t.Context(), j))(t)
	}
	first := plan()
	require.Equal(t, first, plan("seed=2", "lr=0.5"))
	require.NotEqual(t, first, plan("lstm.hidden=8"))
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
	for _, name := range []string{"nbsvm", "bow-lr"} {
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
