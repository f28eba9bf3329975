package training_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"
)

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
