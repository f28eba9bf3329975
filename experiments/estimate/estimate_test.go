package estimate_test

import (
	"context"
	"testing"
	"time"

	"imdbexp/experiments/estimate"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"

	"github.com/stretchr/testify/require"
)

// memoryOf predicts for a small run of an experiment with more settings.
func memoryOf(t *testing.T, r *training.Runner, name string, more ...string) int64 {
	t.Helper()
	return memoryOfPlan(t, r, testrun.Plan(t, name, append(append([]string{}, testrun.Few...), more...)...))
}

func memoryOfPlan(t *testing.T, r *training.Runner, p *plan.Plan) int64 {
	t.Helper()
	j, err := r.Job(context.Background(), p)
	require.NoError(t, err)
	m, err := estimate.Memory(j)
	require.NoError(t, err)
	return m
}

// A larger batch, a wider model, trained vectors and a table of its own take more.
func TestMemoryGrows(t *testing.T) {
	r := testrun.Alone(t, t.TempDir(), 1)
	own := func(name string, more ...string) int64 { return memoryOf(t, r, name, more...) }
	small := own("tme9-lstm")
	require.Greater(t, own("tme9-lstm", "batch=64"), small)
	require.Greater(t, own("tme9-lstm", "lstm.hidden=200"), small)
	require.Greater(t, own("tme9-lstm", "vectors.train=true"), small)
	require.Greater(t, small, own("tme9-mean"))

	j, err := r.Job(context.Background(), testrun.Plan(t, "tme9-lstm", testrun.Few...))
	require.NoError(t, err)
	d := j.Data
	table, mean := int64(4*len(d.Table.Rows)), int64(4*d.Table.Dim)
	// Adam has two numbers for each, the end of a run three copies of all.
	sgd, adam := own("tme9-mean", "vectors.train=true", "optimizer=sgd", "momentum=0"), own("tme9-mean", "vectors.train=true")
	require.Greater(t, own("tme9-mean", "vectors.train=true", "average=0.9")-adam, 3*table-1, "and the mean is one more")
	require.Greater(t, adam-sgd, 6*table)
	require.Less(t, adam-sgd, 8*table)
	// Means are kept of the splits that are looked at, train always.
	require.Greater(t, own("tme9-mean"), own("tme9-mean", "test=never")+mean*int64(d.Test.Len()))
	require.Greater(t, own("tme9-mean", "select=best"), own("tme9-mean"), "the splits are copies")
}

// What the loader opened first is in memory for all; other data is the run's own.
func TestMemoryCountsOwnData(t *testing.T) {
	r, other := testrun.Alone(t, t.TempDir(), 1), testrun.Alone(t, t.TempDir(), 1)
	first := []string{"vectors=random", "vectors.dim=200"}
	second := append([]string{"seed=2"}, first...)
	memoryOf(t, r, "tme9-mean", first...)
	j, err := r.Job(context.Background(), testrun.Plan(t, "tme9-mean", append(second, testrun.Few...)...))
	require.NoError(t, err)
	d := j.Data
	alone := memoryOf(t, other, "tme9-mean", second...)
	require.Greater(t, memoryOf(t, r, "tme9-mean", second...), alone+int64(4*len(d.Table.Rows)))
	require.Equal(t, alone, memoryOf(t, r, "tme9-mean", first...))
}

// What translates has no vectors, but a decoder.
func TestMemoryOfTranslations(t *testing.T) {
	r := testrun.Alone(t, t.TempDir(), 1)
	few := []string{"batch=16", "data.limit=32", "embedding=8", "hidden=8"}
	require.Greater(t, memoryOfPlan(t, r, testrun.Plan(t, "seq2seq-luong", few...)), int64(100_000))
}

// An epoch takes a pass over the test reviews only where it looks at them.
func TestEpochSeconds(t *testing.T) {
	config := func(test string) *runs.Config {
		return &runs.Config{
			Settings: runs.Values{{Key: "test", Value: test}},
			Data:     runs.DataFacts{Train: runs.Part{Words: 1000}, Valid: runs.Part{Words: 100}, Test: runs.Part{Words: 500}},
		}
	}
	rate := estimate.Rate{Words: 10}
	require.InDelta(t, 124, rate.EpochSeconds(config("each")), 1e-9)
	require.InDelta(t, 104, rate.EpochSeconds(config("last")), 1e-9)
	require.InDelta(t, 104, rate.EpochSeconds(config("never")), 1e-9)

	tail := config("each") // of ten epochs the fourth, and the last three
	tail.Settings = append(tail.Settings, runs.Value{Key: "test.every", Value: "4"}, runs.Value{Key: "test.tail", Value: "3"})
	require.InDelta(t, 104+0.4*20, rate.EpochSeconds(tail), 1e-9)
	require.InDelta(t, 3*124, rate.Seconds(tail, 7), 1e-9)
	require.InDelta(t, 7*104+20, rate.Seconds(tail, 0)-rate.Seconds(tail, 7), 1e-9)
}

// A model that counts n-grams is tried on a part of train until its solver has converged, so
// that its time is known without a run of it, and not taken for that of all its epochs.
func TestCountingIsTried(t *testing.T) {
	r := testrun.Alone(t, t.TempDir(), 1)
	for _, name := range []string{"nbsvm", "bow-lr"} {
		p := testrun.Plan(t, name, "data=sample")
		j, err := r.Job(context.Background(), p)
		require.NoError(t, err)
		rates := estimate.Rates{Runner: r, Workers: 1, Trial: time.Millisecond, Budget: time.Minute}
		rate, err := rates.Of(context.Background(), p, &j.Config)
		require.NoError(t, err)
		require.Equal(t, estimate.FromSteps, rate.From)
		require.Positive(t, rate.Before)
		start := time.Now()
		out, err := r.Run(context.Background(), p, training.Hooks{})
		require.NoError(t, err)
		took := time.Since(start).Seconds()
		times, err := out.Run.Timing()
		require.NoError(t, err)
		require.InDelta(t, len(times), rate.Passes, 2)
		require.Less(t, rate.Passes, p.Run.Epochs)
		predicted := rate.Seconds(&j.Config, 0)
		require.InDelta(t, predicted-rate.Before, float64(rate.Passes)*rate.EpochSeconds(&j.Config), 1e-9)
		require.Less(t, rate.Seconds(&j.Config, rate.Passes), predicted, "the last step alone")
		t.Logf("%s: predicted %.2f s, took %.2f s", name, predicted, took)
	}
}

// The n-grams beside a network take memory, and time before the first step, by a trial as
// by what earlier runs took.
func TestNgramsBesideTheNetwork(t *testing.T) {
	r := testrun.Alone(t, t.TempDir(), 1)
	wide := []string{"wide=nbsvm", "wide.folds=2", "epochs=2"}
	require.Greater(t, memoryOf(t, r, "tme9-lstm", wide...), memoryOf(t, r, "tme9-lstm"))

	p := testrun.Plan(t, "tme9-lstm", append(wide, testrun.Few...)...)
	rate := func() estimate.Rate {
		j, err := r.Job(context.Background(), p)
		require.NoError(t, err)
		rates := estimate.Rates{Runner: r, Workers: 1, Trial: time.Millisecond, Budget: time.Minute}
		out, err := rates.Of(context.Background(), p, &j.Config)
		require.NoError(t, err)
		return out
	}
	tried := rate()
	require.Equal(t, estimate.FromSteps, tried.From)
	require.Positive(t, tried.Before)

	var fitted []training.Fit
	out, err := r.Run(context.Background(), p, training.Hooks{Fit: func(f training.Fit) { fitted = append(fitted, f) }})
	require.NoError(t, err)
	require.Len(t, fitted, 5)
	earlier := rate()
	require.Equal(t, estimate.FromRuns, earlier.From)
	times, err := out.Run.Timing()
	require.NoError(t, err)
	require.Less(t, earlier.Before, times[0].Seconds, "it is part of the first epoch's")
}
