package training_test

import (
	"context"
	"slices"
	"testing"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"

	"github.com/stretchr/testify/require"
)

// A run that needs another one names it by its citation, which is part of its ID, and
// ends with the same bytes however often it was interrupted, for any number of workers.
func TestRunsOnARun(t *testing.T) {
	few := slices.Concat(testrun.Few, []string{"data.limit=32", "epochs=2"})
	based := func(name string, more ...string) *plan.Plan {
		return testrun.Plan(t, name, slices.Concat(few, more)...)
	}
	dir := t.TempDir()
	r := testrun.Runner(t, dir, 1)
	base := testrun.Train(t, r, based("tme9-lstm"))
	second := testrun.Train(t, r, based("tme9-lstm", "seed=2"))
	language := testrun.Train(t, r, based("lm-bilstm"))
	for name, more := range map[string][]string{
		"tme9-lstm":   {"attention=adversarial", "attention.base=" + base.Config.ID, "select=best"},
		"tme9-values": {"attention=imposed", "attention.base=tme9-lstm[attention=learned]", "value.activation=tanh", "test.every=2", "slip.drop_last=true"},
		"tme9-bilstm": {"init=" + language.Config.ID, "init.lr=0.3", "average=0.9"},
		"additive":    {"attention=frozen"},
	} {
		t.Run(name, func(t *testing.T) {
			whole := testrun.Train(t, testrun.Runner(t, dir, 1), based(name, more...))
			want := testrun.Result(t, whole)
			key, named := "attention.base", base
			if name == "tme9-bilstm" {
				key, named = "init", language
			}
			if name != "additive" {
				cited := must.Get(named.Citation())(t)
				require.Equal(t, cited.String(), whole.Config.Setting(key))
			}
			again := must.Get(plan.Of(&whole.Config))(t)
			r := testrun.Runner(t, dir, 1)
			r.Force = true
			ctx, cancel := context.WithCancel(context.Background())
			require.ErrorIs(t, must.Fail(r.Run(ctx, again, training.Hooks{Step: func(s training.Step) {
				if s.Epoch == 2 && s.Done > 20 {
					cancel()
				}
			}})), context.Canceled)
			r.Force = false
			out := must.Get(r.Run(context.Background(), again, training.Hooks{}))(t)
			require.Equal(t, want, testrun.Result(t, out.Run))
		})
	}
	other := must.Get(r.Job(context.Background(), based("tme9-lstm", "attention=adversarial", "attention.base="+second.Config.ID)))(t)
	own := must.Get(r.Job(context.Background(), based("tme9-lstm", "attention=adversarial", "attention.base="+base.Config.ID)))(t)
	require.NotEqual(t, own.Config.ID, other.Config.ID)
	imposed := must.Get(runs.Match(dir, "tme9-values"))(t)
	for _, c := range []struct{ base, want string }{
		{"nothing", "no run in"},
		{"tme9-lstm", "it names"},
		{imposed[0].Config.ID, "its own attention is imposed"},
		{testrun.Train(t, r, based("tme9-mean")).Config.ID, "no attention"},
		{testrun.Train(t, r, based("tme9-simple", "oov=zero")).Config.ID, "its words differ"},
	} {
		_, err := r.Run(context.Background(), based("tme9-simple", "seed=3", "attention=adversarial", "attention.base="+c.base), training.Hooks{})
		require.ErrorContains(t, err, c.want, c.base)
	}
}

// A base that reads the scores of n-grams, too, brings them along: they are not fitted to
// what it is asked about, here two reviews.
func TestBaseBringsItsNGrams(t *testing.T) {
	few := []string{"data=sample", "data.limit=8", "batch=8", "epochs=1"}
	r := testrun.Runner(t, t.TempDir(), 1)
	base := testrun.Train(t, r, testrun.Plan(t, "tme9-lstm", append(few[:4:4], "wide=nbsvm")...))
	testrun.Train(t, r, testrun.Plan(t, "tme9-values", append(few[:4:4], "attention=imposed", "attention.base="+base.Config.ID, "select=best")...))
}
