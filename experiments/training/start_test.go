package training_test

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

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
	require.Contains(t, notes, "starts from the weights of lm-lstm/"+language.Config.ID+": lstm; new are query, value, out")
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
		"init=lm-lstm vectors.dim=20": "it has other vectors. What it learned from may be among the test texts of this run",
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
