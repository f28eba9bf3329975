package training_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"
)

// A classifier starts from the weights of a language model that have the same names and shapes; with a small
// rate they stay where they are.
func TestStart(t *testing.T) {
	few := []string{"data=sample", "data.limit=32", "epochs=1"}
	r := testrun.Runner(t, t.TempDir(), 1)
	weights := func(run *runs.Run, name string, rows, cols int) []float32 {
		c := must.Get(run.Checkpoint(run.ChosenCheckpoint()))(t)
		return must.Get(runs.Matrices(c.Params)(name, rows, cols))(t)
	}
	language := testrun.Train(t, r, testrun.Plan(t, "lm-lstm", few...))
	plain := testrun.Train(t, r, testrun.Plan(t, "tme9-lstm", few...))
	p := testrun.Plan(t, "tme9-lstm", append(few, "init=lm-lstm", "init.lr=1e-6")...)
	notes := ""
	out := must.Get(r.Run(context.Background(), p, training.Hooks{Note: func(text string) { notes += text }}))(t)
	require.Contains(t, notes, "starts from the weights of lm-lstm/"+language.Config.ID+": lstm; new weights: query, value, out")
	require.NotEqual(t, plain.Config.ID, out.Run.Config.ID)
	require.InDeltaSlice(t, weights(language, "lstm.Wx", 50, 200), weights(out.Run, "lstm.Wx", 50, 200), 1e-6)
	require.NotEqual(t, weights(language, "lstm.Wx", 50, 200), weights(out.Run, "lstm.Wx", 50, 200))
	two := testrun.Train(t, r, testrun.Plan(t, "tme9-lstm", append(few, "members=2", "init=lm-lstm", "init.lr=1e-6")...))
	require.InDeltaSlice(t, weights(language, "lstm.Wx", 50, 200), weights(two, "member2.lstm.Wx", 50, 200), 1e-6)
	normal := out.Run.Normalized()
	require.Equal(t, "lm-lstm[epochs=1]", normal.Setting("init"), "seeds are compared")
	second := testrun.Train(t, r, testrun.Plan(t, "tme9-lstm", append(few, "seed=2", "init="+language.Config.ID)...)).Normalized()
	require.Equal(t, normal.Setting("init"), second.Setting("init"), "seeds that start from one run, too")

	for settings, want := range map[string]string{
		"init=tme10-cls":              "init=tme10-cls: no run in ",
		"init=lm-lstm lstm.hidden=20": "no weight has the name and the shape of one of this run; it has lstm.Wh [50 200], lstm.Wx [50 200], ",
		"init=lm-lstm vectors.dim=20": "it has other vectors, so its training texts may be among the test texts of this run",
	} {
		_, err := r.Run(context.Background(), testrun.Plan(t, "tme9-lstm", append(few, strings.Fields(settings)...)...), training.Hooks{})
		require.ErrorContains(t, err, want, settings)
	}
}

// Of few texts one is held out.
func TestFewTexts(t *testing.T) {
	run := testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "lm-lstm", "data=sample", "data.limit=10", "epochs=1"))
	require.Equal(t, 1, run.Config.Data.Test.Reviews)
	require.Positive(t, *must.Get(run.Chosen())(t).TestLoss)
}

// Other test texts change nothing that a language model learns: it never reads them.
func TestLanguageReadsNoTest(t *testing.T) {
	var vectors strings.Builder
	for i, word := range strings.Fields("the film of is . w0 w1 w2 w3 w4 w5 w6 noise zzz1 zzz2") {
		vectors.WriteString(word)
		for d := range 50 {
			fmt.Fprintf(&vectors, " %.4f", fixture.Value(i, d))
		}
		vectors.WriteString("\n")
	}
	result := func(test string) string {
		var entries []fixture.Entry
		for i := range 16 {
			for _, folder := range []string{"train/pos", "train/neg", "train/unsup"} {
				entries = append(entries, fixture.Entry{Name: fmt.Sprintf("aclImdb/%s/%d_%d.txt", folder, i, len(entries)),
					Text: fmt.Sprintf("the w%d film w%d of w%d is w%d .", i%3, i%5, i%7, len(entries)%4)})
			}
			for _, class := range []string{"pos", "neg"} {
				entries = append(entries, fixture.Entry{Name: fmt.Sprintf("aclImdb/test/%s/%d_0.txt", class, i), Text: fmt.Sprintf(test, i%6)})
			}
		}
		r := testrun.Alone(t, t.TempDir(), 2)
		r.Loader.Dir = fixture.IMDB(t, entries)
		fixture.Put(t, r.Loader.Dir, "glove.6B.50d.txt", []byte(vectors.String()))
		run := testrun.Train(t, r, testrun.Plan(t, "lm-lstm", "data=imdb", "vectors=glove50", "batch=4", "learned.words=30"))
		c := must.Get(run.Checkpoint(runs.Last))(t)
		sum := sha256.Sum256([]byte(fmt.Sprint(c.Params)))
		return hex.EncodeToString(sum[:])
	}
	require.Equal(t, result("a film w%d"), result("noise of zzz%d , w1 w2 w1 w2 w4"))
}

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
		{"tme9-lstm", "it has no run with seed 3"},
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
