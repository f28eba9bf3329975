package training_test

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"
)

// With EXP_CI=1 the runs of this package are synced at each epoch's end, as users' are.
func init() { fsx.Unsynced = !testrun.Long() }

// A run interrupted in the middle of an epoch, and one extended by raising its
// epochs, end with the bytes of one that was left alone.
func TestResumedIsUninterrupted(t *testing.T) {
	settings := map[string][]string{
		"tme9-lstm":      {"epochs=3", "clip=1", "dropout=0.2", "oov=learned"},
		"tme9-values":    {"epochs=3", "select=best", "patience=3", "schedule=step", "schedule.every=2"},
		"tme10-self":     {"epochs=3", "layers=2", "attention.dropout=0.1"},
		"tme10-cls":      {"epochs=3", "layers=2", "variant=original"}, // running statistics with padding
		"tme9-bilstm":    {"epochs=3", "average=0.9", "word.dropout=0.3", "state.dropout=0.2", "pool.max=true", "select=best"},
		"ngram-mean":     {"epochs=3", "average=0.9", "word.dropout=0.3", "vectors.ngrams=3", "select=best"},
		"tme9-lstm-mean": {"epochs=3", "wide=nbsvm", "wide.folds=3", "select=best"},
		"tme9-lstm-last": {"epochs=3", "members=2", "dropout=0.2", "average=0.9", "select=best"},
		"tme9-mean":      {"epochs=3", "vectors.train=true", "optimizer=sgd", "momentum=0.9", "test.every=3", "clip=1"},
	}
	for name, more := range settings {
		t.Run(name, func(t *testing.T) {
			p := func(last ...string) *plan.Plan {
				return testrun.Plan(t, name, slices.Concat(testrun.Few, []string{"data.limit=32"}, more, last)...)
			}
			want := testrun.Result(t, testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), p()))

			r := testrun.Runner(t, t.TempDir(), 1)
			ctx, cancel := context.WithCancel(context.Background())
			_, err := r.Run(ctx, p(), training.Hooks{Step: func(s training.Step) {
				if s.Epoch == 2 && s.Done > 20 {
					cancel()
				}
			}})
			require.ErrorIs(t, err, context.Canceled)
			from, step := 0, 0
			o := must.Get(r.Run(context.Background(), p(), training.Hooks{Started: func(s training.Started) { from, step = s.From, s.Step }}))(t)
			require.Equal(t, [2]int{1, 2}, [2]int{from, step})
			require.Equal(t, want, testrun.Result(t, o.Run))
			parts := must.Get(o.Run.Environments())(t)
			require.Len(t, parts, 2)
			require.InDelta(t, parts[0].Seconds+parts[1].Seconds, runs.Seconds(parts), 1e-9)
			passes, _ := o.Run.Trained()
			require.Greater(t, runs.Seconds(parts), passes)

			r = testrun.Runner(t, t.TempDir(), 1)
			testrun.Train(t, r, p("epochs=2"))
			o, err = r.Run(context.Background(), p(), training.Hooks{Started: func(s training.Started) { from = s.From }})
			require.NoError(t, err)
			require.Equal(t, 2, from, "extended")
			parts, err = o.Run.Environments()
			require.NoError(t, err)
			require.True(t, math.IsNaN(runs.Seconds(parts)), "the shorter run's are not among them")
			require.Equal(t, want, testrun.Result(t, o.Run))

			o, err = r.Run(context.Background(), p(), training.Hooks{})
			require.NoError(t, err)
			require.True(t, o.Skipped)
		})
	}
}

// A run goes on from the whole epochs of one that was interrupted, be that planned longer or
// shorter, and ends with the bytes of one that was left alone; from none where test was
// looked at after other epochs.
func TestExtendedFromInterrupted(t *testing.T) {
	p := func(set ...string) *plan.Plan {
		return testrun.Plan(t, "tme9-simple", slices.Concat(testrun.Few, []string{"data.limit=32", "test.every=2", "select=best", "patience=5"}, set)...)
	}
	interrupted := testrun.Runner(t, t.TempDir(), 1)
	ctx, cancel := context.WithCancel(context.Background())
	_, err := interrupted.Run(ctx, p("epochs=6"), training.Hooks{Step: func(s training.Step) {
		if s.Epoch == 3 && s.Done > 20 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	for _, c := range []struct {
		set  []string
		from int
	}{
		{[]string{"epochs=2"}, 2},
		{[]string{"epochs=4"}, 2},
		{[]string{"epochs=8"}, 2},
		{[]string{"epochs=6", "test.tail=5"}, 2},
		{[]string{"epochs=6", "test.tail=6"}, 0},
	} {
		want := testrun.Result(t, testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), p(c.set...)))
		r := testrun.Runner(t, t.TempDir(), 1)
		require.NoError(t, os.CopyFS(r.Dir, os.DirFS(interrupted.Dir)))
		from := 0
		o := must.Get(r.Run(context.Background(), p(c.set...), training.Hooks{Started: func(s training.Started) { from = s.From }}))(t)
		require.Equal(t, c.from, from, c.set)
		require.Equal(t, want, testrun.Result(t, o.Run))
	}
}

// Stopped at every step of an epoch, and in its evaluation, a run still ends with
// the bytes of one that was left alone.
func TestStoppedAtEveryStep(t *testing.T) {
	settings := map[string][]string{
		"tme9-lstm":  {"optimizer=sgd", "momentum=0.9", "dropout=0.2", "data.limit=32"},
		"tme9-mean":  {"vectors.train=true", "data.limit=32", "average=0.9", "word.dropout=0.1"},
		"tme10-self": {"layers=2", "heads=2", "slip.drop_last=true", "data.limit=35"},
	}
	for name, more := range settings {
		t.Run(name, func(t *testing.T) {
			p := testrun.Plan(t, name, append(append([]string{"epochs=2"}, testrun.Few...), more...)...)
			want := testrun.Result(t, testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), p))
			r := testrun.Runner(t, t.TempDir(), 1)
			for sessions := 1; ; sessions++ {
				ctx, cancel := context.WithCancel(context.Background())
				o, err := r.Run(ctx, p, training.Hooks{Step: func(training.Step) { cancel() }})
				cancel()
				if err == nil {
					require.Equal(t, 9, sessions, "4 steps an epoch, the last of the run and its end in one")
					require.Equal(t, want, testrun.Result(t, o.Run))
					return
				}
				require.ErrorIs(t, err, context.Canceled)
			}
		})
	}
}

// Checkpoints inside an epoch change no bit, and a disk that cannot take them is
// no reason to stop.
func TestCheckpointEvery(t *testing.T) {
	p := testrun.Plan(t, "tme9-simple", append([]string{"epochs=2"}, testrun.Few...)...)
	want := testrun.Result(t, testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), p))
	for _, full := range []bool{false, true} {
		r := testrun.Runner(t, t.TempDir(), 1)
		r.CheckpointEvery = 1
		kept, notes := 0, ""
		restore := fsx.Inject(func(op fsx.Op) error {
			if op.Do != fsx.Rename || filepath.Base(op.Path) != "step.safetensors" {
				return nil
			}
			if kept++; full {
				return syscall.ENOSPC
			}
			return nil
		})
		o, err := r.Run(context.Background(), p, training.Hooks{Note: func(s string) { notes += s }})
		restore()
		require.NoError(t, err)
		require.Equal(t, 16, kept)
		require.Equal(t, full, strings.Contains(notes, "no checkpoint inside epoch 1: rename "), notes)
		require.Equal(t, want, testrun.Result(t, o.Run))
		require.NoFileExists(t, filepath.Join(o.Run.Path, "step.safetensors"))
	}
}

// A run whose last checkpoint is damaged goes on from the one before, with a
// message, also where it had finished.
func TestDamagedCheckpoint(t *testing.T) {
	r, p := testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "tme9-simple", append([]string{"epochs=2"}, testrun.Few...)...)
	run := testrun.Train(t, r, p)
	want := testrun.Result(t, run)
	last := filepath.Join(run.Path, "last.safetensors")
	whole := must.Get(os.ReadFile(last))(t)
	require.NoError(t, os.WriteFile(last, whole[:len(whole)-1], 0o666))
	notes := ""
	o := must.Get(r.Run(context.Background(), p, training.Hooks{Note: func(s string) { notes += s }}))(t)
	require.False(t, o.Skipped)
	require.Contains(t, notes, "last.safetensors is damaged: ")
	require.Contains(t, notes, "continues from the checkpoint before it, after epoch 2")
	require.Equal(t, want, testrun.Result(t, o.Run))

	for _, name := range []string{last, filepath.Join(run.Path, "prev.safetensors")} {
		require.NoError(t, os.WriteFile(name, nil, 0o666))
	}
	require.ErrorContains(t, must.Fail(r.Run(context.Background(), p, training.Hooks{})), "Train it again with --force")
}

// A loss that has exploded ends the run with advice, even if it is finite, and the folder keeps the state.
func TestDiverged(t *testing.T) {
	for words, advice := range map[string]string{
		"tme9-mean lr=1e30": "Try its own lr=0.01",
		"tme9-mean lr=1000": "", // does not diverge
		"tme9-entropy optimizer=sgd lr=1e30 clip=0 lambda=1": "Try its own lr=0.1 or clip=1",
	} {
		r, w := testrun.Runner(t, t.TempDir(), 1), strings.Fields(words)
		p := testrun.Plan(t, w[0], slices.Concat(testrun.Few, []string{"epochs=2"}, w[1:])...)
		_, err := r.Run(context.Background(), p, training.Hooks{})
		if advice == "" {
			require.NoError(t, err, words)
			continue
		}
		for range 2 { // the second time the folder remembers
			var d *training.DivergedError
			require.ErrorAs(t, err, &d, words)
			require.ErrorContains(t, err, advice)
			require.ErrorContains(t, err, w[0]+" diverged at epoch 1, step ")
			_, err = r.Run(context.Background(), p, training.Hooks{})
		}
		list := must.Get(runs.List(r.Dir))(t)
		require.Len(t, list, 1)
		require.Equal(t, runs.Diverged, list[0].Status.State)
	}
}

func TestAdviceAfterDivergence(t *testing.T) {
	for words, want := range map[string]string{
		"tme9-mean lr=0.01 clip=0": "lr=0.001 or clip=1",
		"tme9-mean lr=0.05 clip=1": "its own lr=0.01",
	} {
		w := strings.Fields(words)
		kept := &runs.Run{Status: runs.Status{State: runs.Diverged, Message: "diverged at epoch 1"}}
		require.EqualError(t, training.DivergedIn(kept, testrun.Plan(t, w[0], w[1:]...)), w[0]+" diverged at epoch 1. No epoch was completed. Try "+want, words)
	}
}

// The same seed gives the same bits for any number of workers and every level of the kernels.
func TestSameBits(t *testing.T) {
	settings := []string{"data=sample", "batch=64", "data.limit=64", "epochs=2"}
	if !testrun.Long() {
		settings = append(settings, "data.limit=40", "epochs=1", "lstm.hidden=21") // portable Go is slow; 21 is a vector and a tail
	}
	testrun.SameBits(t, "tme9-lstm", settings...)
	testrun.SameBits(t, "tme9-bilstm", append(settings, "pool.max=true", "word.dropout=0.2", "average=0.9", "wide=nbsvm", "test=last")...)
}
