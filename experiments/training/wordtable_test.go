package training_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments/training"
	"imdbexp/internal/bleu"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/models"
	"imdbexp/runs"
)

// vectorsOf returns the table that a run began with and the one that it trained.
func vectorsOf(t *testing.T, r *runs.Run) (before *runs.Table, after []float32) {
	t.Helper()
	before = must.Get(r.Table())(t)
	c := must.Get(r.Checkpoint(runs.Last))(t)
	for _, x := range c.Params {
		if x.Name == models.VectorsWeight {
			require.Equal(t, []int{len(before.Rows) / before.Dim, before.Dim}, x.Shape)
			return before, x.Data.([]float32)
		}
	}
	require.FailNow(t, "no vectors in the checkpoint")
	return nil, nil
}

// half writes a file of vectors for every other word that a run sees.
func half(t *testing.T, settings []string) (file string) {
	j := must.Get(testrun.Runner(t, t.TempDir(), 1).Job(t.Context(), testrun.Plan(t, "tme9-simple", append(settings, "vectors=random")...)))(t)
	d := j.Data
	var text strings.Builder
	for i := 1; i < d.Table.Len(); i += 2 {
		text.WriteString(d.Table.Words[i])
		for _, v := range d.Table.Rows[i*d.Table.Dim:][:d.Table.Dim] {
			fmt.Fprintf(&text, " %g", v)
		}
		text.WriteByte('\n')
	}
	file = filepath.Join(t.TempDir(), "half.txt")
	require.NoError(t, os.WriteFile(file, []byte(text.String()), 0o644))
	return file
}

// Which rows move: those of the words of train, the row of words without a vector
// unless it is zeros, and no others.
func TestTrainedRows(t *testing.T) {
	few := []string{"data.limit=30", "epochs=1", "batch=8", "vectors.train=true", "vectors.dim=10"}
	file := half(t, few)
	for name, c := range map[string]struct {
		settings []string
		oovMoves bool
	}{
		"mean":    {[]string{"oov=mean"}, true},
		"learned": {[]string{"oov=learned"}, true},
		"zero":    {[]string{"oov=zero"}, false},
		"masked":  {[]string{"oov=masked"}, false},
		"sgd":     {[]string{"optimizer=sgd", "lr=1", "momentum=0.5"}, true},
		"own lr":  {[]string{"lr=1e-30", "vectors.lr=0.01"}, true},
		"dense":   {[]string{"vectors.adam=dense"}, true},
		"random":  {[]string{"vectors=random"}, false}, // every word has one
		"corpus":  {[]string{"vectors=corpus"}, false},
	} {
		t.Run(name, func(t *testing.T) {
			r := testrun.Alone(t, t.TempDir(), 2)
			p := testrun.Plan(t, "tme9-simple", slices.Concat(few, []string{"vectors=" + file}, c.settings)...)
			j := must.Get(r.Job(t.Context(), p))(t)
			d := j.Data
			begun := slices.Clone(d.Table.Rows)
			inTrain := map[int32]bool{}
			for _, id := range d.Train.IDs {
				inTrain[id] = true
			}
			before, after := vectorsOf(t, testrun.Train(t, r, p))
			require.Equal(t, begun, d.Table.Rows, "the loader's table is shared by other runs")
			require.Equal(t, begun, before.Rows)
			frozen := 0
			for row := range int32(len(after) / before.Dim) {
				at := int(row) * before.Dim
				moved := !slices.Equal(begun[at:at+before.Dim], after[at:at+before.Dim])
				switch {
				case row == before.OOV:
					require.Equal(t, c.oovMoves, moved, "row of words without a vector")
				case moved != inTrain[row]:
					require.Fail(t, "row", "%d (%s): moved %v, in train %v", row, before.Words[row], moved, inTrain[row])
				case !moved:
					frozen++
				}
			}
			require.Positive(t, frozen, "words of the test split alone")
		})
	}
}

// With the same settings but for oov, mean and learned are one training.
func TestTrainedMeanIsLearned(t *testing.T) {
	more := []string{"data.limit=30", "epochs=2", "vectors=corpus", "vectors.dim=10", "vectors.train=true"}
	_, mean := vectorsOf(t, testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "tme9-simple", append(more, "oov=mean")...)))
	_, learned := vectorsOf(t, testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "tme9-simple", append(more, "oov=learned")...)))
	require.Equal(t, mean, learned)
}

// Trained vectors have the same bits for any number of workers and on every level
// of the kernels. Each optimiser has its own test of this.
func TestTrainedSameBits(t *testing.T) {
	testrun.SameBits(t, "tme9-query", "batch=64", "data.limit=64", "epochs=1", "vectors.train=true", "optimizer=adamw", "weight_decay=0.1", "vectors.adam=dense")
}

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
	evaluations := 0
	for _, m := range all {
		if m.TestExact != nil {
			evaluations++
		}
	}
	require.Equal(t, 1, evaluations, "test=last")
}

// Where weights are averaged, their mean translates: after an epoch, and for the run to keep.
func TestTranslationsOfTheMean(t *testing.T) {
	of := func(more ...string) (after, kept float64) {
		words := append([]string{"data.limit=96", "average=0.95", "test=each", "epochs=8", "lr=0.02", "embedding=16", "hidden=32"}, more...)
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
