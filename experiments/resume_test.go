package experiments_test

import (
	"context"
	"testing"

	"imdbexp/experiments"
	"imdbexp/runs"

	"github.com/stretchr/testify/require"
)

var few = []string{"data=sample", "data.limit=64", "batch=16"}

// A run interrupted in the middle of an epoch, and one extended by raising its
// epochs, end with the bytes of one that was left alone.
func TestResumedIsUninterrupted(t *testing.T) {
	settings := map[string][]string{
		"tme9-lstm":   {"epochs=4", "clip=1", "dropout=0.2", "oov=learned"},
		"tme9-values": {"epochs=4", "select=best", "patience=3", "schedule=step", "schedule.every=2"},
		"tme9-simple": {"epochs=4", "optimizer=sgd", "momentum=0.9"},
		"tme9-query":  {"epochs=4", "vectors.train=true", "clip=1", "schedule=step", "schedule.every=2"},
		"tme10-self":  {"epochs=4", "layers=2", "attention.dropout=0.1"},
		"transformer": {"epochs=4", "layers=1", "select=best", "schedule=constant"},
		"tme9-mean":   {"epochs=4", "vectors.train=true", "optimizer=sgd", "momentum=0.9", "select=best"},
	}
	for name, more := range settings {
		t.Run(name, func(t *testing.T) {
			p := func(last ...string) *experiments.Plan {
				return plan(t, name, append(append(append([]string{}, few...), more...), last...)...)
			}
			want := result(t, train(t, runner(t, t.TempDir(), 2), p()))

			r := runner(t, t.TempDir(), 2)
			ctx, cancel := context.WithCancel(context.Background())
			_, err := r.Run(ctx, p(), experiments.Hooks{Step: func(s experiments.Step) {
				if s.Epoch == 3 && s.Done > 20 {
					cancel()
				}
			}})
			require.ErrorIs(t, err, context.Canceled)
			from := 0
			o, err := r.Run(context.Background(), p(), experiments.Hooks{Started: func(s experiments.Started) { from = s.From }})
			require.NoError(t, err)
			require.Equal(t, 2, from)
			require.Equal(t, want, result(t, o.Run))

			r = runner(t, t.TempDir(), 2)
			train(t, r, p("epochs=2"))
			o, err = r.Run(context.Background(), p(), experiments.Hooks{Started: func(s experiments.Started) { from = s.From }})
			require.NoError(t, err)
			require.Equal(t, 2, from, "extended")
			require.Equal(t, want, result(t, o.Run))

			o, err = r.Run(context.Background(), p(), experiments.Hooks{})
			require.NoError(t, err)
			require.True(t, o.Skipped)
		})
	}
}

// A loss that is not finite ends the run with advice, and the epochs before stay.
func TestDiverged(t *testing.T) {
	r := runner(t, t.TempDir(), 1)
	p := plan(t, "tme9-entropy", append([]string{"epochs=3", "optimizer=sgd", "lr=1e30", "lambda=1"}, few...)...)
	_, err := r.Run(context.Background(), p, experiments.Hooks{})
	var d *experiments.DivergedError
	require.ErrorAs(t, err, &d)
	require.ErrorContains(t, err, "tme9-entropy diverged at epoch 1, step ")
	require.ErrorContains(t, err, "Try lambda=0.1 or clip=1")
	_, err = r.Run(context.Background(), p, experiments.Hooks{})
	require.ErrorAs(t, err, &d, "the folder remembers")
	list, err := runs.List(r.Dir)
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, runs.Diverged, list[0].Status.State)
}
