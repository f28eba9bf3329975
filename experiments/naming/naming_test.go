package naming_test

import (
	"errors"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/experiments/naming"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/runs"
)

// of returns what the run of these words keeps about itself.
func of(t *testing.T, auto string, words ...string) runs.Config {
	t.Helper()
	e, err := experiments.Lookup(words[0])
	require.NoError(t, err)
	p, err := plan.New(plan.Base{Experiment: e}, auto, words[1:])
	require.NoError(t, err)
	c := p.Config(map[string]string{"data": "da7a " + p.Run.Data.Data, "vectors": "5ec7"})
	c.Classes = []string{"neg", "pos"}
	c.Data = runs.DataFacts{Name: p.Run.Data.Data, Train: runs.Part{Reviews: 4}, Test: runs.Part{Reviews: 2}}
	return c
}

var clock = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)

// begun makes the folder of a run, finished that of one with results, later each time.
func begun(t *testing.T, dir, words string) string {
	t.Helper()
	w := create(t, dir, words)
	require.NoError(t, w.Close())
	return words
}

func finished(t *testing.T, dir, words string) string {
	t.Helper()
	finish(t, create(t, dir, words), words)
	return words
}

func finish(t *testing.T, w *runs.Writer, words string) {
	t.Helper()
	k := &runs.Checkpoint{Epoch: 1, Params: []runs.Tensor{{Name: "w", Shape: []int{1}, Data: []float32{1}}}}
	require.NoError(t, w.Epoch(runs.Metrics{Epoch: 1}, runs.Timing{Epoch: 1, Seconds: 1, Words: 1}, nil, k, false))
	if strings.Contains(words, "test=never") {
		require.NoError(t, w.Finish(nil))
	} else {
		require.NoError(t, w.Finish(&runs.Predictions{Classes: []string{"neg", "pos"}}))
	}
	require.NoError(t, w.Close())
}

func create(t *testing.T, dir, words string) *runs.Writer {
	t.Helper()
	clock = clock.Add(time.Second)
	w, err := runs.Create(dir, of(t, "sample", strings.Fields(words)...), runs.Environment{Started: clock})
	require.NoError(t, err)
	return w
}

func TestRunsOfNames(t *testing.T) {
	dir := t.TempDir()
	plain := finished(t, dir, "tme9-lstm")
	second := finished(t, dir, "tme9-lstm seed=2")
	begun(t, dir, "tme9-lstm seed=3")
	sgd := finished(t, dir, "tme9-lstm optimizer=sgd")
	slow := finished(t, dir, "tme9-lstm optimizer=sgd lr=0.001")
	original := finished(t, dir, "tme9-lstm variant=original")
	wide := finished(t, dir, "tme9-lstm clip=2 batch=32 seed=4")
	imdb := finished(t, dir, "tme9-lstm data=imdb optimizer=sgd")
	trial := finished(t, dir, "tme9-lstm lr=0.05 select=best test=never")
	query := finished(t, dir, "tme9-query variant=original")
	entropy := finished(t, dir, "tme9-entropy optimizer=sgd")
	open := begun(t, dir, "tme9-mean")

	n := naming.New("sample", t.TempDir())
	for ref, want := range map[string][]string{
		"tme9-lstm":                                              {plain, second},
		"tme9-lstm[seed=1]":                                      {plain},
		"tme9-lstm[lr=1e-2]":                                     {plain, second},
		"tme9-lstm[optimizer=sgd]":                               {sgd},
		"tme9-lstm[optimizer=sgd, lr=0.001]":                     {slow},
		"tme9-lstm[variant=original]":                            {original},
		"tme9-lstm[slip.drop_last=true]":                         {original}, // alone it would be another, of which there is none
		"tme9-lstm[clip=2]":                                      {wide},
		"tme9-lstm[data=imdb]":                                   {imdb},
		"tme9-lstm[lr=0.05]":                                     {trial},
		"tme9-query[variant=original]":                           {query},
		"tme9-entropy[optimizer=sgd]":                            {entropy},
		"tme9-mean[seed=1]":                                      {open},
		of(t, "sample", plain).ID:                                {plain},
		"tme9-lstm/" + of(t, "sample", "tme9-lstm", "seed=2").ID: {second},
	} {
		list, err := n.Runs(dir, ref)
		require.NoError(t, err, ref)
		var ids, got []string
		for i, r := range list {
			ids, got = append(ids, of(t, "sample", strings.Fields(want[i])...).ID), append(got, r.Config.ID)
		}
		assert.Len(t, list, len(want), ref)
		assert.Equal(t, ids, got, ref)
	}

	newest, err := n.Find(dir, "tme9-lstm")
	require.NoError(t, err)
	assert.Equal(t, uint64(2), newest.Config.Seed(), "of equal ones the newest")

	mean := of(t, "sample", "tme9-mean")
	unfinished := of(t, "sample", "tme9-lstm", "seed=3")
	all := []string{"tme9-lstm[data=imdb,optimizer=sgd]", "tme9-lstm[batch=32,clip=2]", "tme9-lstm[variant=original]",
		"tme9-lstm[optimizer=sgd,lr=0.001]", "tme9-lstm[optimizer=sgd]", "tme9-lstm", unfinished.ShortID()}
	for ref, want := range map[string][]string{
		"tme9-query":                          {"tme9-query[variant=original]"},
		"tme9-entropy":                        {"tme9-entropy[optimizer=sgd]"},
		"tme9-mean":                           {mean.ShortID()}, // not finished
		"tme9-lstm[seed=7]":                   all,
		"tme9-lstm[batch=32,clip=0]":          all,
		"tme9-lstm[optimizer=adam,data=imdb]": all,
	} {
		_, err := n.Runs(dir, ref)
		others, ok := errors.AsType[*naming.OthersError](err)
		require.True(t, ok, "%s: %v", ref, err)
		assert.Equal(t, want, others.Refs, ref)
	}
}

// A run of a program that had no such setting has what is its default now.
func TestRunsOfOlderPrograms(t *testing.T) {
	dir := t.TempDir()
	c := of(t, "sample", "best", "members=1")
	c.Settings = slices.DeleteFunc(c.Settings, func(v runs.Value) bool { return v.Key == "members" })
	delete(c.From, "members")
	w, err := runs.Create(dir, c, runs.Environment{Started: clock})
	require.NoError(t, err)
	finish(t, w, "")
	n := naming.New("sample", t.TempDir())
	list, err := n.Runs(dir, "best[members=1]")
	require.NoError(t, err)
	require.Len(t, list, 1)
	_, err = n.Runs(dir, "best[members=1,seed=2]")
	require.Error(t, err)

	five := finished(t, dir, "best members=5")
	list, err = n.Runs(dir, "best[members=5]")
	require.NoError(t, err)
	require.Len(t, list, 1)
	require.Equal(t, of(t, "sample", strings.Fields(five)...).ID, list[0].Config.ID)
}

// Each name that is shown means the run that it is shown for.
func TestNamesMeanTheirRuns(t *testing.T) {
	for _, auto := range []string{"sample", "imdb"} {
		n := naming.New(auto, t.TempDir())
		for _, e := range experiments.All() {
			for _, words := range []string{"", "variant=original", "optimizer=sgd", "optimizer=sgd variant=original data=own",
				"data=sample seed=3 epochs=2", "data=imdb variant=original lr=0.5 clip=1", "select=best patience=5 schedule=cosine"} {
				if info, err := e.Info(); err == nil && !task.Of(info.New()).Means("optimizer") {
					words = "data=sample seed=3 epochs=2 select=best"
				}
				c := of(t, auto, append([]string{e.Name}, strings.Fields(words)...)...)
				again := of(t, auto, append(n.Words(&c), "seed="+c.Setting("seed"))...)
				assert.Equal(t, c.ID, again.ID, "%s %s: %s", e.Name, words, n.Words(&c))
				assert.Equal(t, c.Settings, again.Settings)
			}
		}
	}
}

func TestAbout(t *testing.T) {
	for words, want := range map[string]string{
		"tme9-lstm":                              "default settings",
		"tme9-lstm optimizer=adam epochs=6":      "default settings",
		"tme9-lstm optimizer=sgd":                "optimizer=sgd",
		"tme9-lstm seed=2 epochs=100":            "epochs=100, seed=2",
		"tme9-lstm variant=original tokens=ptb":  "variant=original, slip.whitespace=false",
		"tme9-query variant=original":            "variant=original",
		"tme9-simple data=imdb slip.drop_last=1": "data=imdb, slip.drop_last=true",
	} {
		c := of(t, "sample", strings.Fields(words)...)
		assert.Equal(t, want, naming.New("sample", t.TempDir()).About(&c))
	}
	unknown := of(t, "sample", "tme9-lstm", "optimizer=sgd")
	unknown.Name = "mine"
	assert.Contains(t, naming.New("sample", t.TempDir()).About(&unknown), "optimizer=sgd")
}
