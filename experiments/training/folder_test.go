package training_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"

	"github.com/stretchr/testify/require"
)

// spoil makes a file of a run shorter.
func spoil(t *testing.T, run *runs.Run, name string) {
	t.Helper()
	path := filepath.Join(run.Path, name)
	b := must.Get(os.ReadFile(path))(t)
	require.NoError(t, os.Remove(path)) // it may have another name
	require.NoError(t, os.WriteFile(path, b[:len(b)-1], 0o666))
}

// rerun carries out a plan and returns what was noted.
func rerun(t *testing.T, r *training.Runner, p *plan.Plan) (o *training.Outcome, from int, notes string, err error) {
	t.Helper()
	o, err = r.Run(context.Background(), p, training.Hooks{
		Started: func(s training.Started) { from = s.From },
		Note:    func(s string) { notes += s },
	})
	return o, from, notes, err
}

// A damaged shorter run is in no longer run's way: that goes on from the checkpoint
// before, or from the beginning.
func TestDamagedShorterRun(t *testing.T) {
	longer := testrun.Plan(t, "tme9-simple", append([]string{"epochs=3", "select=best"}, testrun.Few...)...)
	want := testrun.Result(t, testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), longer))
	for _, k := range []struct {
		spoilt []string
		from   int
		note   string
	}{
		{[]string{"last.safetensors"}, 2, ""},
		{[]string{"last.safetensors", "prev.safetensors"}, 0, "cannot be extended: "},
		{[]string{"best.safetensors"}, 0, "best.safetensors is damaged: "},
		{[]string{"metrics.jsonl"}, 0, "metrics.jsonl is damaged: 1 of its "},
	} {
		r := testrun.Runner(t, t.TempDir(), 1)
		shorter := testrun.Train(t, r, testrun.Plan(t, "tme9-simple", append([]string{"epochs=2", "select=best"}, testrun.Few...)...))
		for _, name := range k.spoilt {
			spoil(t, shorter, name)
		}
		o, from, notes, err := rerun(t, r, longer)
		require.NoError(t, err)
		require.Equal(t, k.from, from, k.spoilt)
		require.Contains(t, notes, k.note)
		require.Equal(t, k.note == "", notes == "", notes)
		require.Equal(t, want, testrun.Result(t, o.Run))
	}
}

// A checkpoint inside an epoch that does not fit the run costs that epoch's steps,
// whether another epoch is whole or not.
func TestUnusableStep(t *testing.T) {
	p := testrun.Plan(t, "tme9-lstm", append([]string{"epochs=2", "optimizer=sgd", "momentum=0.9"}, testrun.Few...)...)
	want := testrun.Result(t, testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), p))
	for epoch := 1; epoch <= 2; epoch++ {
		r := testrun.Runner(t, t.TempDir(), 1)
		interrupted(t, r, p, epoch)
		list := must.Get(runs.List(r.Dir))(t)
		// The same steps of a run with other batches.
		other := testrun.Runner(t, t.TempDir(), 1)
		interrupted(t, other, testrun.Plan(t, "tme9-lstm", append([]string{"epochs=2", "optimizer=sgd", "momentum=0.9"}, testrun.Few[0], testrun.Few[1], "batch=8")...), epoch)
		replaceStep(t, list[0], other.Dir)
		o, from, notes, err := rerun(t, r, p)
		require.NoError(t, err)
		require.Equal(t, epoch-1, from)
		require.Contains(t, notes, "checkpoint: 8 reviews seen in 1 steps, the run wants 16; training epoch ")
		require.Equal(t, want, testrun.Result(t, o.Run))
	}
}

// replaceStep puts the sums of another run's checkpoint inside an epoch into that of
// a run.
func replaceStep(t *testing.T, run *runs.Run, dir string) {
	t.Helper()
	list := must.Get(runs.List(dir))(t)
	w, from := must.Get2(runs.Resume(list[0], runs.Environment{}))(t)
	require.NoError(t, w.Close())
	w, into := must.Get2(runs.Resume(run, runs.Environment{}))(t)
	into.Sums = from.Sums
	require.NoError(t, w.Step(into))
	require.NoError(t, w.Close())
}

// Where the weights that count are damaged, or gone, the error says what to do.
func TestDamagedBest(t *testing.T) {
	p := testrun.Plan(t, "tme9-simple", append([]string{"epochs=3", "select=best", "lr=1e-9"}, testrun.Few...)...) // the first stays the best
	for _, remove := range []bool{false, true} {
		r := testrun.Runner(t, t.TempDir(), 1)
		interrupted(t, r, p, 3)
		list, err := runs.List(r.Dir)
		require.NoError(t, err)
		if remove {
			require.NoError(t, os.Remove(filepath.Join(list[0].Path, "best.safetensors")))
		} else {
			spoil(t, list[0], "best.safetensors")
		}
		for range 2 {
			_, _, _, err = rerun(t, r, p)
			require.ErrorContains(t, err, "best.safetensors")
			require.ErrorContains(t, err, "cannot be resumed: ")
			require.ErrorContains(t, err, "Train it again with --force")
		}
	}
}

// interrupted trains until after some steps of an epoch.
func interrupted(t *testing.T, r *training.Runner, p *plan.Plan, epoch int) {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	require.ErrorIs(t, must.Fail(r.Run(ctx, p, training.Hooks{Step: func(s training.Step) {
		if s.Epoch == epoch {
			cancel()
		}
	}})), context.Canceled)
}
