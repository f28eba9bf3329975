package training_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments/training"
	"imdbexp/internal/bleu"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"
)

// fewPairs make a run of a moment.
var fewPairs = []string{"data.limit=32", "epochs=2", "lr=0.01", "embedding=8", "hidden=8"}

// What is kept of a translation run, and that its numbers follow from it.
func TestTranslationRun(t *testing.T) {
	p := testrun.Plan(t, "seq2seq-bahdanau", fewPairs...)
	require.Equal(t, runs.Pairs, p.Task().Kind())
	data, _ := p.Set.Get("data")
	require.Equal(t, "phrases", data.Value)
	r := testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), p)
	require.Equal(t, runs.Pairs, r.Config.Task())
	require.Equal(t, 32, r.Config.Data.Train.Reviews)
	require.Greater(t, r.Config.Data.Train.Targets, 32)
	m := must.Get(r.Chosen())(t)
	require.Less(t, *m.TrainLoss, 8.0)
	require.Greater(t, *m.TestEntropy, 0.0)

	list := must.Get(r.Translations())(t)
	require.Len(t, list, 32)
	var corpus bleu.Corpus
	exact := 0
	for _, x := range list {
		corpus.Add(strings.Fields(x.Greedy), strings.Fields(x.Reference))
		if x.Greedy == x.Reference {
			exact++
		}
		require.Negative(t, x.GreedyScore)
		require.NotContains(t, x.Source, "<unk>", "the words as they were written")
	}
	require.Equal(t, 100*float64(exact)/32, *m.TestExact)
	require.Equal(t, corpus.Score().BLEU, *m.TestBLEU)
	words := must.Get(r.Vocabularies())(t)
	require.Contains(t, words.Source, "the")
	require.ErrorIs(t, must.Fail(os.Stat(filepath.Join(r.Path, "predictions.tsv"))), os.ErrNotExist)
}

// A seed gives the same bits for any number of workers and level of the kernels.
func TestTranslationsSameBits(t *testing.T) {
	testrun.SameBits(t, "seq2seq-transformer", "data.limit=16", "epochs=1", "width=16", "heads=2", "ffn.width=16")
}

// One that was stopped inside an epoch ends as if nothing had happened.
func TestTranslationResumes(t *testing.T) {
	p := testrun.Plan(t, "seq2seq-luong", append([]string{"select=best", "test=last", "batch=4"}, fewPairs...)...)
	want := testrun.Result(t, testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), p))
	dir := t.TempDir()
	ctx, stop := context.WithCancel(context.Background())
	steps := 0
	require.ErrorIs(t, must.Fail(testrun.Runner(t, dir, 1).Run(ctx, p, training.Hooks{Step: func(training.Step) {
		if steps++; steps == 10 {
			stop()
		}
	}})), context.Canceled)
	r := testrun.Train(t, testrun.Runner(t, dir, 1), p)
	require.Equal(t, want, testrun.Result(t, r))
	all := must.Get(r.Metrics())(t)
	looks := 0
	for _, m := range all {
		if m.TestExact != nil {
			looks++
		}
	}
	require.Equal(t, 1, looks, "test=last")
}

// Where weights are averaged, their mean translates: after an epoch, and for the run to keep.
func TestTranslationsOfTheMean(t *testing.T) {
	of := func(more ...string) (after, kept float64) {
		words := append([]string{"data.limit=256", "average=0.99", "test=each", "epochs=12", "lr=0.01", "embedding=16", "hidden=32"}, more...)
		r := testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "seq2seq-bahdanau", words...))
		all := must.Get(r.Metrics())(t)
		list := must.Get(r.Translations())(t)
		var corpus bleu.Corpus
		for _, x := range list {
			corpus.Add(strings.Fields(x.Greedy), strings.Fields(x.Reference))
		}
		return *all[r.ChosenEpoch()-1].TestBLEU, corpus.Score().BLEU
	}
	after, kept := of("select=best") // which answers by the weights of a checkpoint
	require.Positive(t, kept)
	require.Equal(t, kept, after)
	after, kept = of("select=last")
	require.Equal(t, after, kept)
}

// With test=never nothing is translated.
func TestTranslationNeverTested(t *testing.T) {
	r := testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "seq2seq-plain", append([]string{"select=best", "test=never"}, fewPairs...)...))
	require.ErrorIs(t, must.Fail(r.Translations()), os.ErrNotExist)
	m := must.Get(r.Chosen())(t)
	require.NotNil(t, m.ValidAcc)
	require.Nil(t, m.TestExact)
}

// Reviews are not for translators, nor pairs for the others.
func TestTranslationKindOfData(t *testing.T) {
	r := testrun.Runner(t, t.TempDir(), 1)
	for name, data := range map[string]string{"seq2seq-plain": "sample", "tme9-mean": "phrases"} {
		require.ErrorContains(t, must.Fail(r.Job(context.Background(), testrun.Plan(t, name, "data="+data))), "are needed: choose", "%s on %s", name, data)
	}
}
