package training_test

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments/plan"
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

var baselines = map[string][]string{
	"nbsvm":  {"data=sample", "data.limit=64", "test=each"},
	"bow-lr": {"data=sample", "data.limit=64", "select=best", "ngrams=2"},
}

// A model that counts has the same bits for any number of workers and on every level of the
// kernels.
func TestLinearSameBits(t *testing.T) {
	testrun.SameBits(t, "nbsvm", baselines["nbsvm"]...)
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

// N-grams that tell nothing end a run before it has a folder, with what to do.
func TestLinearNeedsDifferences(t *testing.T) {
	dir := t.TempDir()
	_, err := testrun.Runner(t, dir, 1).Run(context.Background(), testrun.Plan(t, "nbsvm", "ngrams=1", "ngrams.most=1"), training.Hooks{})
	require.ErrorContains(t, err, "data=sample: the counted n-grams are equally frequent in all classes")
	require.NoDirExists(t, filepath.Join(dir, "nbsvm"))
}

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
