package training_test

import (
	"context"
	"path/filepath"
	"testing"

	"imdbexp/experiments/training"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"

	"github.com/stretchr/testify/require"
)

var baselines = map[string][]string{
	"nbsvm":  {"data=sample", "data.limit=64", "test=each"},
	"bow-lr": {"data=sample", "data.limit=64", "select=best", "ngrams=2"},
}

// A model that counts has the same bits for any number of workers and on every level of the
// kernels.
func TestLinearSameBits(t *testing.T) {
	for name, settings := range baselines {
		testrun.SameBits(t, name, settings...)
	}
}

// Stopped after each of its epochs, a run ends with the bytes that it would have had; so
// does one that goes on from a shorter one.
func TestLinearResumes(t *testing.T) {
	for name, settings := range baselines {
		whole := testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, name, settings...))
		want := testrun.Result(t, whole)
		require.Less(t, whole.Status.Epoch, whole.Config.Epochs(), "%s converges", name)

		r, p := testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, name, settings...)
		stopped := 0
		for {
			ctx, cancel := context.WithCancel(t.Context())
			o, err := r.Run(ctx, p, training.Hooks{Epoch: func(runs.Metrics, runs.Timing) { cancel() }})
			cancel()
			if err == nil {
				require.Equal(t, want, testrun.Result(t, o.Run), name)
				break
			}
			require.ErrorIs(t, err, context.Canceled)
			stopped++
		}
		require.Greater(t, stopped, 2, name)

		r = testrun.Runner(t, t.TempDir(), 1)
		testrun.Train(t, r, testrun.Plan(t, name, append(settings[:len(settings):len(settings)], "epochs=2")...))
		require.Equal(t, want, testrun.Result(t, testrun.Train(t, r, p)), name)
	}
}

// Stopped while the weights of its only step are being asked about, an epoch makes no second
// one; where the solver had come to an end with it, the epoch is not forgotten. One that can
// get no further stays at its end when it is resumed, and with more epochs.
func TestLinearStoppedInEvaluation(t *testing.T) {
	for _, settings := range [][]string{
		{"data=sample", "data.limit=64", "test=each"},
		{"data=sample", "data.limit=64", "test=each", "tolerance=1e-15", "epochs=60"},
	} {
		p := testrun.Plan(t, "nbsvm", settings...)
		whole := testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), p)
		want, epochs := testrun.Result(t, whole), whole.Status.Epoch
		require.Less(t, epochs, whole.Config.Epochs(), "it comes to an end")
		r := testrun.Runner(t, t.TempDir(), 1)
		for sessions := 1; ; sessions++ {
			ctx, cancel := context.WithCancel(t.Context())
			o, err := r.Run(ctx, p, training.Hooks{Step: func(training.Step) { cancel() }})
			cancel()
			if err == nil {
				require.Equal(t, epochs+1, sessions)
				require.Equal(t, want, testrun.Result(t, o.Run))
				break
			}
			require.ErrorIs(t, err, context.Canceled)
		}
		longer := testrun.Train(t, r, testrun.Plan(t, "nbsvm", append(settings[:3:3], append(settings[3:], "epochs=70")...)...))
		require.Equal(t, epochs, longer.Status.Epoch)
	}
}

// Nothing is drawn: seeds make no difference, and what would draw or step is refused.
func TestLinearIsDeterministic(t *testing.T) {
	r := testrun.Runner(t, t.TempDir(), 1)
	var results []string
	for _, seed := range []string{"seed=1", "seed=2"} {
		run := testrun.Train(t, r, testrun.Plan(t, "nbsvm", "data=sample", "data.limit=64", seed))
		p, err := run.Predictions()
		require.NoError(t, err)
		results = append(results, p.Rows[0].Review)
		for _, row := range p.Rows {
			results[len(results)-1] += " " + row.Review + string(rune('0'+row.Predicted))
		}
	}
	require.Equal(t, results[0], results[1])
}

// N-grams that tell nothing end a run before it has a folder, with what to do.
func TestLinearNeedsDifferences(t *testing.T) {
	dir := t.TempDir()
	_, err := testrun.Runner(t, dir, 1).Run(context.Background(), testrun.Plan(t, "nbsvm", "ngrams=1", "ngrams.most=1"), training.Hooks{})
	require.ErrorContains(t, err, "data=sample: the counted n-grams are equally frequent in all classes")
	require.NoDirExists(t, filepath.Join(dir, "nbsvm"))
}
