package experiments_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"imdbexp/dataset"
	"imdbexp/experiments"
	"imdbexp/internal/bleu"
	"imdbexp/runs"

	"github.com/stretchr/testify/require"
)

// fewPairs make a run of a moment.
var fewPairs = []string{"data.limit=32", "epochs=2", "lr=0.01", "embedding=8", "hidden=8"}

// What is kept of a translation run, and that its numbers follow from it.
func TestTranslationRun(t *testing.T) {
	p := plan(t, "seq2seq-bahdanau", fewPairs...)
	require.True(t, p.Translates())
	data, _ := p.Set.Get("data")
	require.Equal(t, "phrases", data.Value)
	r := train(t, runner(t, t.TempDir(), 2), p)
	require.True(t, r.Config.Translates())
	require.Equal(t, 32, r.Config.Data.Train.Reviews)
	require.Greater(t, r.Config.Data.Train.Targets, 32)
	m, err := r.Chosen()
	require.NoError(t, err)
	require.Less(t, *m.TrainLoss, 8.0)
	require.Greater(t, *m.TestEntropy, 0.0)

	list, err := r.Translations()
	require.NoError(t, err)
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
	words, err := r.Vocabularies()
	require.NoError(t, err)
	require.Contains(t, words.Source, "the")
	_, err = os.Stat(filepath.Join(r.Path, "predictions.tsv"))
	require.ErrorIs(t, err, os.ErrNotExist)
}

// A seed gives the same bits for any number of workers and level of the kernels.
func TestTranslationsSameBits(t *testing.T) {
	sameBits(t, "seq2seq-transformer", "data.limit=16", "epochs=1", "width=16", "heads=2", "ffn.width=16")
}

// One that was stopped inside an epoch ends as if nothing had happened.
func TestTranslationResumes(t *testing.T) {
	p := plan(t, "seq2seq-luong", append([]string{"select=best", "test=last", "batch=4"}, fewPairs...)...)
	want := result(t, train(t, runner(t, t.TempDir(), 1), p))
	dir := t.TempDir()
	ctx, stop := context.WithCancel(context.Background())
	steps := 0
	_, err := runner(t, dir, 1).Run(ctx, p, experiments.Hooks{Step: func(experiments.Step) {
		if steps++; steps == 10 {
			stop()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	r := train(t, runner(t, dir, 1), p)
	require.Equal(t, want, result(t, r))
	all, err := r.Metrics()
	require.NoError(t, err)
	looks := 0
	for _, m := range all {
		if m.TestExact != nil {
			looks++
		}
	}
	require.Equal(t, 1, looks, "test=last")
}

// With test=never nothing is translated.
func TestTranslationNeverTested(t *testing.T) {
	r := train(t, runner(t, t.TempDir(), 1), plan(t, "seq2seq-plain", append([]string{"select=best", "test=never"}, fewPairs...)...))
	_, err := r.Translations()
	require.ErrorIs(t, err, os.ErrNotExist)
	m, err := r.Chosen()
	require.NoError(t, err)
	require.NotNil(t, m.ValidAcc)
	require.Nil(t, m.TestExact)
}

// Training again gives the same translations; a changed one is found.
func TestTranslationReproduces(t *testing.T) {
	p := plan(t, "seq2seq-plain", fewPairs...)
	dir := t.TempDir()
	kept := train(t, runner(t, dir, 1), p)
	again, err := runner(t, t.TempDir(), 1).Reproduce(context.Background(), kept, p, 0, experiments.Hooks{})
	require.NoError(t, err)
	require.Nil(t, again.Difference)
	require.Contains(t, again.Same, experiments.Same{File: "translations.tsv", N: 32, Unit: "pairs"})

	path := filepath.Join(kept.Path, "translations.tsv")
	text, err := os.ReadFile(path)
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(text), "test/0002\t", "test/0002\tx", 1)), 0o644))
	kept, err = runs.Open(kept.Path)
	require.NoError(t, err)
	again, err = runner(t, t.TempDir(), 1).Reproduce(context.Background(), kept, p, 0, experiments.Hooks{})
	require.NoError(t, err)
	require.Equal(t, "source", again.Difference.Field)
	require.Equal(t, "test/0002", again.Difference.Where)
}

// Settings of reviews are refused, each with what to do.
func TestTranslationSettings(t *testing.T) {
	e, err := experiments.Lookup("seq2seq-plain")
	require.NoError(t, err)
	for set, want := range map[string]string{
		"vectors=random":           "embeddings of its own",
		"vectors.dim=100":          "embeddings of its own",
		"vectors.train=true":       "embeddings of its own",
		"oov=learned":              "learned embedding",
		"slip.whitespace=true":     "tokens=whitespace",
		"slip.choose_on_test=true": "select=best",
		"slip.drop_last=true":      "slip of published code",
		"reverse=maybe":            "want true or false",
	} {
		_, err := experiments.NewPlan(experiments.Base{Experiment: e}, "sample", []string{set})
		require.ErrorContains(t, err, want, set)
	}
	for _, set := range []string{"oov=mean", "vectors=auto", "tokens=whitespace"} {
		_, err := experiments.NewPlan(experiments.Base{Experiment: e}, "sample", []string{set})
		require.NoError(t, err, set)
	}
}

// Reviews are not for translators, nor pairs for the others.
func TestTranslationKindOfData(t *testing.T) {
	r := runner(t, t.TempDir(), 1)
	for name, data := range map[string]string{"seq2seq-plain": "sample", "tme9-mean": "phrases"} {
		_, _, err := r.Describe(context.Background(), plan(t, name, "data="+data))
		var kind *dataset.KindError
		require.True(t, errors.As(err, &kind), "%s on %s: %v", name, data, err)
	}
}

// What predicts, tries and searches works for translations, too.
func TestTranslationBuilding(t *testing.T) {
	r := runner(t, t.TempDir(), 1)
	p := plan(t, "seq2seq-luong", append([]string{"batch=16"}, fewPairs...)...)
	memory, err := r.Memory(context.Background(), p)
	require.NoError(t, err)
	require.Greater(t, memory, int64(100_000))
	o, err := r.Overfit(context.Background(), plan(t, "seq2seq-bahdanau", "data.limit=8", "hidden=32", "embedding=16"), 0.05)
	require.NoError(t, err)
	require.True(t, o.Reached, "loss %v after %d steps", o.Last, o.Steps)
	require.Empty(t, o.Dead())
}
