package experiments_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"imdbexp/experiments"
	"imdbexp/internal/ops"
	"imdbexp/runs"

	"github.com/stretchr/testify/require"
)

// again trains a run once more, in a folder of its own.
func again(t *testing.T, kept *runs.Run, epochs int) (*experiments.Reproduction, error) {
	t.Helper()
	p, err := experiments.PlanOf(&kept.Config)
	require.NoError(t, err)
	return runner(t, t.TempDir(), 1).Reproduce(context.Background(), kept, p, epochs, experiments.Hooks{})
}

func reopen(t *testing.T, r *runs.Run) *runs.Run {
	t.Helper()
	r, err := runs.Open(r.Path)
	require.NoError(t, err)
	return r
}

// replaceIn changes one place in a file of a run.
func replaceIn(t *testing.T, r *runs.Run, file, old, with string) {
	t.Helper()
	path := filepath.Join(r.Path, file)
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	require.Equal(t, 1, strings.Count(string(b), old), "%s in %s", old, file)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(b), old, with, 1)), 0o666))
}

func files(list []experiments.Same) (out []string) {
	for _, s := range list {
		out = append(out, s.File)
	}
	return out
}

func TestReproduce(t *testing.T) {
	kept := train(t, runner(t, t.TempDir(), 2), plan(t, "tme9-simple", append([]string{"epochs=3", "select=best"}, few...)...))

	got, err := again(t, kept, 0)
	require.NoError(t, err)
	require.Nil(t, got.Difference)
	require.Equal(t, 3, got.Epochs)
	require.Equal(t, []string{"metrics.jsonl", "entropy.jsonl", "predictions.tsv", "last.safetensors", "best.safetensors"}, files(got.Same))
	require.Empty(t, got.Left)
	changes, err := experiments.Changes(kept, got.Again)
	require.NoError(t, err)
	require.Equal(t, []experiments.Change{{"workers", "2", "1"}}, changes)

	got, err = again(t, kept, 2)
	require.NoError(t, err)
	require.Nil(t, got.Difference)
	require.Equal(t, 2, got.Epochs)
	require.Equal(t, 2, got.Again.Status.Epoch, "no more is trained")
	require.Contains(t, strings.Join(got.Left, "\n"), "predictions.tsv: made at a run's end only")
	require.Contains(t, strings.Join(got.Left, "\n"), "last.safetensors: kept after epoch 3, now after epoch 2")
}

// What test=last gave is compared, and part of the citation.
func TestReproduceTested(t *testing.T) {
	kept := train(t, runner(t, t.TempDir(), 1), plan(t, "tme9-simple", append([]string{"epochs=2", "test=last"}, few...)...))
	got, err := again(t, kept, 0)
	require.NoError(t, err)
	require.Nil(t, got.Difference)
	require.Equal(t, []string{"metrics.jsonl", "entropy.jsonl", "test.json", "predictions.tsv", "last.safetensors"}, files(got.Same))
	cited, err := kept.Citation()
	require.NoError(t, err)

	got, err = again(t, kept, 1)
	require.NoError(t, err)
	require.Contains(t, got.Left, "test.json: made at a run's end only")

	replaceIn(t, kept, "test.json", `"test_loss":0`, `"test_loss":9`)
	got, err = again(t, kept, 0)
	require.NoError(t, err)
	require.Equal(t, "test.json", got.Difference.File)
	require.Equal(t, "test_loss", got.Difference.Field)
	other, err := kept.Citation()
	require.NoError(t, err)
	require.NotEqual(t, cited, other)

	require.NoError(t, os.Remove(filepath.Join(kept.Path, "test.json")))
	all, err := kept.Metrics()
	require.True(t, runs.IsDamage(err))
	require.ErrorContains(t, err, "Train it again with --force")
	require.Len(t, all, 2, "the rest is there")
}

func TestReproduceFindsTheFirstDifference(t *testing.T) {
	dir := t.TempDir()
	kept := train(t, runner(t, dir, 1), plan(t, "tme9-simple", append([]string{"epochs=3"}, few...)...))
	all, err := kept.Metrics()
	require.NoError(t, err)
	rows, err := kept.Predictions()
	require.NoError(t, err)

	// A prediction of another class, the rest as it is.
	review := rows.Rows[5].Review
	replaceIn(t, kept, "predictions.tsv", "\n"+review+"\tneg\t", "\n"+review+"\tpos\t")
	got, err := again(t, kept, 0)
	require.NoError(t, err)
	require.Equal(t, &experiments.Difference{File: "predictions.tsv", Line: 7, Where: review, Field: "label", Kept: "pos", Now: "neg"}, got.Difference)
	require.Equal(t, "predictions.tsv, line 7 ("+review+"), label: pos then, neg now", got.Difference.String())

	// The first number of an epoch ends the training there.
	replaceIn(t, kept, "metrics.jsonl", `{"epoch":2,"train_loss":0`, `{"epoch":2,"train_loss":9`)
	got, err = again(t, reopen(t, kept), 0)
	require.NoError(t, err)
	require.Equal(t, "metrics.jsonl", got.Difference.File)
	require.Equal(t, 2, got.Difference.Line)
	require.Equal(t, "epoch 2", got.Difference.Where)
	require.Equal(t, "train_loss", got.Difference.Field)
	require.Equal(t, byte('9'), got.Difference.Kept[0])
	require.Equal(t, 2, got.Again.Status.Epoch)
	require.NotNil(t, all[1].TrainLoss)
}

func TestReproduceUnfinishedAndDiverged(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := runner(t, t.TempDir(), 1)
	p := plan(t, "tme9-simple", append([]string{"epochs=4"}, few...)...)
	_, err := r.Run(ctx, p, experiments.Hooks{Epoch: func(m runs.Metrics, _ runs.Timing) {
		if m.Epoch == 2 {
			cancel()
		}
	}})
	require.ErrorIs(t, err, context.Canceled)
	list, err := runs.List(r.Dir)
	require.NoError(t, err)
	got, err := again(t, list[0], 0)
	require.NoError(t, err)
	require.Nil(t, got.Difference)
	require.Equal(t, 2, got.Epochs)
	require.Equal(t, []string{"metrics.jsonl", "entropy.jsonl", "last.safetensors"}, files(got.Same))

	r = runner(t, t.TempDir(), 1)
	_, err = r.Run(context.Background(), plan(t, "tme9-simple", append([]string{"epochs=4", "lr=1e38"}, few...)...), experiments.Hooks{})
	require.Error(t, err)
	list, err = runs.List(r.Dir)
	require.NoError(t, err)
	got, err = again(t, list[0], 0)
	require.NoError(t, err)
	require.Nil(t, got.Difference)
	replaceIn(t, list[0], "last.safetensors", "diverged at epoch", "diverged in epoch")
	got, err = again(t, reopen(t, list[0]), 0)
	require.NoError(t, err)
	require.Equal(t, "state", got.Difference.Field)
}

// What cannot be compared says why, before anything is trained.
func TestReproduceRefuses(t *testing.T) {
	kept := train(t, runner(t, t.TempDir(), 1), plan(t, "tme9-mean", append([]string{"epochs=1"}, few...)...))
	replaceIn(t, kept, "config.yaml", "data: "+kept.Config.Digests["data"], "data: "+strings.Repeat("0", 64))
	_, err := again(t, reopen(t, kept), 0)
	require.ErrorContains(t, err, "was trained on another data=sample: its content had the digest 000000000000, here it has ")

	other := kept.Config
	other.Data.Name, other.Settings = "imdb", append(runs.Values{}, other.Settings...)
	for i := range other.Settings {
		if other.Settings[i].Key == "data" {
			other.Settings[i].Value = "imdb"
		}
	}
	p, err := experiments.PlanOf(&other)
	require.NoError(t, err)
	moved := *kept
	moved.Config = other
	_, err = runner(t, t.TempDir(), 1).Reproduce(context.Background(), &moved, p, 0, experiments.Hooks{})
	require.ErrorContains(t, err, "saw data=imdb (128 + 128 reviews), data ")
	require.ErrorContains(t, err, "data=imdb is not installed in ")

	other.Settings = append(other.Settings, runs.Value{Key: "teleport", Value: "1"})
	_, err = experiments.PlanOf(&other)
	require.ErrorContains(t, err, "has a setting that this program does not know, teleport")
	other.Name, other.Model = "mine", "mine"
	_, err = experiments.PlanOf(&other)
	require.ErrorContains(t, err, "another version of this program")
}

// A citation finds its settings again among those that are tried.
func TestCited(t *testing.T) {
	pool := ops.NewPool(1)
	defer pool.Close()
	r := &experiments.Runner{Dir: t.TempDir(), Pool: pool, Loader: &experiments.Loader{Dir: t.TempDir(), Workers: 1}}
	for _, c := range []struct {
		made, given []string
	}{
		{[]string{"data=sample", "optimizer=sgd", "variant=original"}, nil},
		{[]string{"data=sample", "data.limit=64", "seed=3"}, []string{"data.limit=64", "seed=1..5"}},
	} {
		config, _, err := r.Describe(context.Background(), plan(t, "tme9-simple", c.made...))
		require.NoError(t, err)
		cited := runs.Citation{Name: "tme9-simple", ID: config.ID[:6], Metrics: "00000000"}
		p, err := r.Cited(context.Background(), cited, c.given, "sample")
		require.NoError(t, err)
		for _, a := range c.made {
			key, value, _ := strings.Cut(a, "=")
			s, ok := p.Set.Get(key)
			require.True(t, ok)
			require.Equal(t, value, s.Value)
		}
	}
	_, err := r.Cited(context.Background(), runs.Citation{Name: "tme9-simple", ID: "000000", Metrics: "00000000"}, nil, "sample")
	require.ErrorContains(t, err, "none of the tme9-simple runs that were looked at (8)")
	require.ErrorContains(t, err, "data=imdb is not installed")
	_, err = r.Cited(context.Background(), runs.Citation{Name: "tme9-simpel", ID: "000000", Metrics: "00000000"}, nil, "sample")
	require.ErrorContains(t, err, "did you mean tme9-simple?")
}
