package experiments_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/reproduction"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"
)

// copied copies a run into a new folder of runs.
func copied(t *testing.T, r *runs.Run) *runs.Run {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, r.Config.Name, r.Config.ID)
	require.NoError(t, os.CopyFS(path, os.DirFS(r.Path)))
	require.NoError(t, os.CopyFS(filepath.Join(dir, ".store"), os.DirFS(filepath.Join(filepath.Dir(filepath.Dir(r.Path)), ".store"))))
	return must.Get(runs.Open(path))(t)
}

// again trains a run again, in another folder.
func again(t *testing.T, kept *runs.Run, epochs int) (*reproduction.Result, error) {
	t.Helper()
	p := must.Get(plan.Of(&kept.Config))(t)
	return reproduction.Again(context.Background(), testrun.Runner(t, t.TempDir(), 1), kept, p, epochs, training.Hooks{})
}

func reopen(t *testing.T, r *runs.Run) *runs.Run {
	t.Helper()
	r = must.Get(runs.Open(r.Path))(t)
	return r
}

// replaceIn changes one place in a file of a run.
func replaceIn(t *testing.T, r *runs.Run, file, old, with string) {
	t.Helper()
	path := filepath.Join(r.Path, file)
	b := must.Get(os.ReadFile(path))(t)
	require.Equal(t, 1, strings.Count(string(b), old), "%s in %s", old, file)
	require.NoError(t, os.WriteFile(path, []byte(strings.Replace(string(b), old, with, 1)), 0o666))
}

func TestReproduce(t *testing.T) {
	kept := testrun.Train(t, testrun.Runner(t, t.TempDir(), 2), testrun.Plan(t, "tme9-simple", append([]string{"epochs=3", "select=best"}, testrun.Few...)...))

	got := must.Get(again(t, kept, 0))(t)
	require.Equal(t, &reproduction.Result{Epochs: 3, Same: []string{
		"metrics.jsonl", "entropy.jsonl", "predictions.tsv", "last.safetensors", "best.safetensors", "config.yaml"}}, got)

	got = must.Get(again(t, kept, 2))(t)
	require.Nil(t, got.Difference)
	require.Equal(t, 2, got.Epochs, "no more are trained")
	require.Contains(t, got.Skipped, "predictions.tsv (written at the end of a run)")
	require.Contains(t, got.Skipped, "last.safetensors (of epoch 3)")
}

// The results of test=last are compared, and part of the citation.
func TestReproduceTested(t *testing.T) {
	kept := testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "tme9-simple", append([]string{"epochs=2", "test=last"}, testrun.Few...)...))
	got := must.Get(again(t, kept, 0))(t)
	require.Nil(t, got.Difference)
	require.Contains(t, got.Same, "test.json")
	must.Get(kept.Citation())(t)

	replaceIn(t, kept, "test.json", `"test_loss":0.6`, `"test_loss":0.5`)
	got = must.Get(again(t, kept, 0))(t)
	require.Equal(t, &reproduction.Difference{File: "test.json", Epoch: 2}, got.Difference)

	require.NoError(t, os.Remove(filepath.Join(kept.Path, "test.json")))
	all, err := kept.Metrics()
	require.True(t, runs.IsDamage(err))
	require.ErrorContains(t, err, "train the run again with --force")
	require.Len(t, all, 2, "the rest is there")
}

// A change in any kept file is found, and the first epoch that differs is named.
func TestReproduceFindsTheFirstDifference(t *testing.T) {
	honest := testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "tme9-simple", append([]string{"epochs=3", "select=best"}, testrun.Few...)...))
	rows := must.Get(honest.Predictions())(t)
	review := "\n" + rows.Rows[5].Review
	for _, c := range []struct {
		file   string
		change func(r *runs.Run)
		want   string
	}{
		{"predictions.tsv", func(r *runs.Run) { replaceIn(t, r, "predictions.tsv", review+"\tneg\t", review+"\tpos\t") }, "predictions.tsv"},
		{"no predictions", func(r *runs.Run) { require.NoError(t, os.Remove(filepath.Join(r.Path, "predictions.tsv"))) }, "predictions.tsv"},
		{"metrics.jsonl", func(r *runs.Run) {
			replaceIn(t, r, "metrics.jsonl", `{"epoch":2,"train_loss":0`, `{"epoch":2,"train_loss":9`)
		}, "metrics.jsonl, epoch 2"},
		{"entropy.jsonl", func(r *runs.Run) {
			replaceIn(t, r, "entropy.jsonl", `{"epoch":3,"split":"test"`, `{"epoch":3,"split":"tost"`)
		}, "entropy.jsonl, epoch 3"},
		{"no best weights", func(r *runs.Run) { require.NoError(t, os.Remove(filepath.Join(r.Path, "best.safetensors"))) }, "best.safetensors, epoch "},
		{"damaged best weights", func(r *runs.Run) { require.NoError(t, os.Truncate(filepath.Join(r.Path, "best.safetensors"), 100)) }, "best.safetensors, epoch "},
		{"classes", func(r *runs.Run) { replaceIn(t, r, "config.yaml", "  - neg\n  - pos\n", "  - pos\n  - neg\n") }, "config.yaml"},
	} {
		t.Run(c.file, func(t *testing.T) {
			r := copied(t, honest)
			c.change(r)
			got := must.Get(again(t, reopen(t, r), 0))(t)
			require.NotNil(t, got.Difference)
			require.Contains(t, got.Difference.String(), c.want)
		})
	}
}

func TestReproduceUnfinishedAndDiverged(t *testing.T) {
	ctx, cancel := context.WithCancel(context.Background())
	r := testrun.Runner(t, t.TempDir(), 1)
	p := testrun.Plan(t, "tme9-simple", append([]string{"epochs=4"}, testrun.Few...)...)
	require.ErrorIs(t, must.Fail(r.Run(ctx, p, training.Hooks{Epoch: func(m runs.Metrics, _ runs.Timing) {
		if m.Epoch == 2 {
			cancel()
		}
	}})), context.Canceled)
	list := must.Get(runs.List(r.Dir))(t)
	got := must.Get(again(t, list[0], 0))(t)
	require.Nil(t, got.Difference)
	require.Equal(t, 2, got.Epochs)
	require.Equal(t, []string{"metrics.jsonl", "entropy.jsonl", "last.safetensors", "config.yaml"}, got.Same)

	r = testrun.Runner(t, t.TempDir(), 1)
	_, err := r.Run(context.Background(), testrun.Plan(t, "tme9-simple", append([]string{"epochs=4", "lr=1e38"}, testrun.Few...)...), training.Hooks{})
	require.Error(t, err)
	list = must.Get(runs.List(r.Dir))(t)
	got = must.Get(again(t, list[0], 0))(t)
	require.Nil(t, got.Difference)
	replaceIn(t, list[0], "last.safetensors", "diverged at epoch", "diverged in epoch")
	got = must.Get(again(t, reopen(t, list[0]), 0))(t)
	require.Equal(t, "last.safetensors", got.Difference.File)
}

// What cannot be compared says why, before anything is trained.
func TestReproduceRefuses(t *testing.T) {
	kept := testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "tme9-mean", append([]string{"epochs=1"}, testrun.Few...)...))
	changed := copied(t, kept)
	replaceIn(t, changed, "config.yaml", "data: "+kept.Config.Digests["data"], "data: "+strings.Repeat("0", 64))
	require.ErrorContains(t, must.Fail(runs.Open(changed.Path)), "the run's configuration was changed or damaged")
	foreign := *kept
	foreign.Config.Digests = map[string]string{"data": strings.Repeat("0", 64)}
	_, err := again(t, &foreign, 0)
	require.ErrorContains(t, err, "was trained on another data=sample: its content had the digest 000000000000, the installed one has ")

	other := kept.Config
	other.Data.Name, other.Settings = "imdb", append(runs.Values{}, other.Settings...)
	for i := range other.Settings {
		if other.Settings[i].Key == "data" {
			other.Settings[i].Value = "imdb"
		}
	}
	p := must.Get(plan.Of(&other))(t)
	moved := *kept
	moved.Config = other
	_, err = reproduction.Again(context.Background(), testrun.Runner(t, t.TempDir(), 1), &moved, p, 0, training.Hooks{})
	require.ErrorContains(t, err, "was trained on data=imdb (128 + 128 reviews), data ")
	require.ErrorContains(t, err, "data=imdb is not installed in ")

	other.Settings = append(other.Settings, runs.Value{Key: "teleport", Value: "1"})
	require.ErrorContains(t, must.Fail(plan.Of(&other)), "has a setting that this program does not know, teleport")
	other.Name, other.Model = "nowhere", "nowhere"
	require.ErrorContains(t, must.Fail(plan.Of(&other)), "another version of this program")
}

// A citation finds its settings again among those that are tried.
func TestCited(t *testing.T) {
	pool := ops.NewPool(1)
	defer pool.Close()
	r := &training.Runner{Dir: t.TempDir(), Pool: pool, Loader: &task.Loader{Dir: t.TempDir(), Workers: 1}}
	for _, c := range []struct {
		made, given []string
	}{
		{[]string{"data=sample", "optimizer=sgd", "variant=original"}, nil},
		{[]string{"data=sample", "data.limit=64", "seed=3"}, []string{"data.limit=64", "seed=1..5"}},
	} {
		j := must.Get(r.Job(context.Background(), testrun.Plan(t, "tme9-simple", c.made...)))(t)
		cited := runs.Citation{Name: "tme9-simple", ID: j.Config.ID[:6], Metrics: "00000000"}
		p := must.Get(reproduction.Cited(context.Background(), r, cited, c.given, "sample"))(t)
		for _, a := range c.made {
			key, value, _ := strings.Cut(a, "=")
			s, ok := p.Set.Get(key)
			require.True(t, ok)
			require.Equal(t, value, s.Value)
		}
	}
	_, err := reproduction.Cited(context.Background(), r, runs.Citation{Name: "tme9-simple", ID: "000000", Metrics: "00000000"}, nil, "sample")
	require.ErrorContains(t, err, "none of the 8 runs of tme9-simple that were tried")
	require.ErrorContains(t, err, "data=imdb is not installed")
	_, err = reproduction.Cited(context.Background(), r, runs.Citation{Name: "tme9-simpel", ID: "000000", Metrics: "00000000"}, nil, "sample")
	require.ErrorContains(t, err, "did you mean tme9-simple?")
}

// A metric that the kept run lacks, because it is older than the metric, is no difference; any
// other change is.
func TestSameLine(t *testing.T) {
	const kept, again = `{"epoch":1,"test_acc":50}` + "\n", `{"epoch":1,"test_acc":50,"test_macro_f1":40}` + "\n"
	require.True(t, reproduction.SameLine(kept, again))
	require.False(t, reproduction.SameLine(again, kept))
	require.False(t, reproduction.SameLine(kept, `{"epoch":1,"test_acc":51,"test_macro_f1":40}`))
	require.False(t, reproduction.SameLine(kept, `{"epoch":1,"test_macro_f1":40}`))
	require.False(t, reproduction.SameLine(kept, "half a line"))
}

// Data that runs use is opened once, whatever else is opened in between; what
// nobody uses any more is let go, but for the last.
func TestLoaderShares(t *testing.T) {
	l := &task.Loader{Dir: t.TempDir(), Workers: 1}
	load := func(seed int) *task.Data {
		p := testrun.Plan(t, "tme9-mean", append([]string{"vectors=random", fmt.Sprintf("seed=%d", seed)}, testrun.Few...)...)
		d := must.Get(l.Load(context.Background(), p.Task(), p.Run))(t)
		return d
	}
	one, two := load(1), load(2)
	require.NotSame(t, one.Table, two.Table)
	for range 3 {
		runtime.GC()
		require.Same(t, one.Table, load(1).Table)
		require.Same(t, two.Table, load(2).Table)
	}
	runtime.KeepAlive(one)
	runtime.KeepAlive(two)

	table := load(3).Table
	runtime.GC()
	require.Same(t, table, load(3).Table, "the last one stays")

	gone := make(chan bool, 1)
	runtime.AddCleanup(load(4), func(c chan bool) { c <- true }, gone)
	load(5)
	runtime.GC()
	require.True(t, <-gone)
}

// Runs that ask for the same data at once wait for one of them to open it.
func TestLoaderOpensOnce(t *testing.T) {
	l := &task.Loader{Dir: t.TempDir(), Workers: 1}
	p := testrun.Plan(t, "tme9-mean", testrun.Few...)
	var tables [4]*embedding.Table
	var all sync.WaitGroup
	for i := range tables {
		all.Go(func() {
			if d, err := l.Load(context.Background(), p.Task(), p.Run); err == nil {
				tables[i] = d.Table
			}
		})
	}
	all.Wait()
	require.NotNil(t, tables[0])
	for _, table := range tables {
		require.Same(t, tables[0], table)
	}
}

// A run says how many words data.max_len cuts, if they are many, and how to keep them.
func TestCutTextsAreNamed(t *testing.T) {
	for length, want := range map[string]string{"5": "reviews are cut at 5 words, which drops", "512": ""} {
		var warned []string
		l := &task.Loader{Dir: t.TempDir(), Workers: 1, Warn: func(err error) { warned = append(warned, err.Error()) }}
		p := testrun.Plan(t, "tme9-mean", append(append([]string{}, testrun.Few...), "vectors=random", "data.max_len="+length)...)
		must.Get(l.Load(context.Background(), p.Task(), p.Run))(t)
		if want == "" {
			require.Empty(t, warned)
			continue
		}
		require.Len(t, warned, 1)
		require.Contains(t, warned[0], want)
		require.Contains(t, warned[0], "data.max_len=0 keeps them")
	}
}

// Every class has the same weight in all, as with scikit-learn's class_weight="balanced".
func TestClassWeights(t *testing.T) {
	r := new(settings.Run)
	labels := []int32{0, 0, 0, 0, 0, 0, 1, 2, 2, 0}
	require.Nil(t, task.ClassWeights(r, labels, 3))
	r.ClassWeights = "balanced"
	require.InDeltaSlice(t, []float32{10.0 / 21, 10.0 / 3, 10.0 / 6}, task.ClassWeights(r, labels, 3), 1e-6)
	require.Zero(t, task.ClassWeights(r, labels, 4)[3], "a class without a review")

	share, unequal := (&task.Data{Classes: []string{"a", "b", "c"}, Train: &dataset.Encoded{Labels: labels}}).Imbalanced()
	require.Equal(t, 0.7, share)
	require.True(t, unequal)
	_, unequal = (&task.Data{Classes: []string{"a", "b"}, Train: &dataset.Encoded{Labels: []int32{0, 0, 0, 1, 1}}}).Imbalanced()
	require.False(t, unequal, "60 % is not over 60 %")
}
