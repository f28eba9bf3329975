package training_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments/training"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"
)

// test=last gives what test=each gives at the epoch that counts, and the same
// weights; going on from it gives the same as training through.
func TestWhenTestIsLookedAt(t *testing.T) {
	for _, sel := range []string{"last", "best"} {
		r := testrun.Runner(t, t.TempDir(), 1)
		base := append([]string{"epochs=3", "select=" + sel}, testrun.Few...)
		chosen := func(test string, more ...string) (*runs.Run, runs.Metrics) {
			run := testrun.Train(t, r, testrun.Plan(t, "tme9-simple", append(append(base[:len(base):len(base)], "test="+test), more...)...))
			m := must.Get(run.Chosen())(t)
			return run, m
		}
		each, want := chosen("each")
		last, got := chosen("last")
		require.Equal(t, want.TestAcc, got.TestAcc)
		require.Equal(t, want.TestLoss, got.TestLoss)
		require.Equal(t, want.TestQuantiles, got.TestQuantiles)
		require.Equal(t, want.ValidAcc, got.ValidAcc)
		all := must.Get(last.Metrics())(t)
		tested := 0
		for _, m := range all {
			if m.TestAcc != nil {
				tested++
			}
		}
		require.Equal(t, 1, tested)
		a := must.Get(each.Predictions())(t)
		b := must.Get(last.Predictions())(t)
		require.Equal(t, a, b)

		never, m := chosen("never")
		require.Nil(t, m.TestAcc)
		require.Equal(t, want.TrainLoss, m.TrainLoss)
		require.Error(t, must.Fail(never.Predictions()))
		require.Equal(t, []int{3, 1, 0}, []int{each.TestEvaluations(), last.TestEvaluations(), never.TestEvaluations()})

		through := testrun.Result(t, last)
		again := testrun.Runner(t, t.TempDir(), 1)
		testrun.Train(t, again, testrun.Plan(t, "tme9-simple", append(base[:len(base):len(base)], "test=last", "epochs=2")...))
		o := must.Get(again.Run(context.Background(), testrun.Plan(t, "tme9-simple", append(base[:len(base):len(base)], "test=last")...), training.Hooks{}))(t)
		require.Equal(t, through, testrun.Result(t, o.Run))
	}
}

// What a run says of its heads is said of the weights that it keeps, however often test is
// looked at; weights that are never trained are no statistics, and may be averaged around.
func TestAveragedWeightsCount(t *testing.T) {
	likeness := func(test string) []float64 {
		r := testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "multihead", append([]string{"average=0.9", "epochs=2", test}, testrun.Few...)...))
		all := must.Get(r.Metrics())(t)
		var out []float64
		for _, m := range all {
			out = append(out, *m.HeadSimilarity)
		}
		return out
	}
	require.Equal(t, likeness("test=each"), likeness("test=last"))
	testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "tme9-lstm", append([]string{"average=0.9", "epochs=1", "attention=frozen"}, testrun.Few...)...))
}

// With test.every the test split is looked at after some epochs, and at the end where the
// epoch that counts has not been tested. The numbers are those of a run that tests each.
func TestEvery(t *testing.T) {
	metrics := func(more ...string) ([]runs.Metrics, *runs.Run) {
		p := testrun.Plan(t, "tme9-simple", append([]string{"data=sample", "data.limit=16", "epochs=5"}, more...)...)
		run := testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), p)
		all := must.Get(run.Metrics())(t)
		return all, run
	}
	each, _ := metrics()
	some, run := metrics("test.every=2")
	for i, m := range some {
		if m.Epoch == 1 || m.Epoch == 3 {
			require.Nil(t, m.TestAcc)
			require.Nil(t, m.TestQuantiles)
			continue
		}
		require.Equal(t, each[i], m)
	}
	require.Equal(t, 3, run.TestEvaluations())
	whole, run := metrics("test.every=5")
	require.Equal(t, each[4], whole[4])
	require.Equal(t, 1, run.TestEvaluations())
	text := must.Get(run.TestedText())(t)
	require.Nil(t, text, "tested anyway")

	tail, run := metrics("test.every=3", "test.tail=2")
	for i, m := range tail {
		if m.Epoch < 3 {
			require.Nil(t, m.TestAcc)
			continue
		}
		require.Equal(t, each[i], m)
	}
	require.Equal(t, 3, run.TestEvaluations())
}
