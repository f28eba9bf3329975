package experiments_test

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
	"imdbexp/internal/testkit/must"
	"imdbexp/report"
	"imdbexp/runs"
)

// of returns what the run of these words keeps about itself.
func of(t *testing.T, auto string, words ...string) runs.Config {
	t.Helper()
	p := planned(t, auto, words)
	return described(p, p.Config(digests(p)))
}

// ofResult returns what it kept when results had that version.
func ofResult(t *testing.T, version int, words ...string) runs.Config {
	t.Helper()
	p := planned(t, "sample", words)
	return described(p, runs.NewConfig(p.Experiment.Name, p.Experiment.Model, version, p.Set, digests(p)))
}

func planned(t *testing.T, auto string, words []string) *plan.Plan {
	t.Helper()
	e := must.Get(experiments.Lookup(words[0]))(t)
	p := must.Get(plan.New(plan.Base{Experiment: e}, auto, words[1:]))(t)
	return p
}

func digests(p *plan.Plan) map[string]string {
	return map[string]string{"data": "da7a " + p.Run.Data.Data, "vectors": "5ec7"}
}

func described(p *plan.Plan, c runs.Config) runs.Config {
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
	w := must.Get(runs.Create(dir, of(t, "sample", strings.Fields(words)...), runs.Environment{Started: clock}))(t)
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

	for ref, want := range map[string]string{
		"tme9-query":                  "tme9-query means the run on sample with otherwise default settings, which has not finished",
		"tme9-mean":                   "tme9-mean means the run on sample with otherwise default settings, which has not finished",
		"tme9-lstm[batch=32, clip=0]": "tme9-lstm[batch=32,clip=0] means the run on sample with otherwise default settings, which has not finished",
		"tme9-lstm[optimizer=sdg]":    "tme9-lstm[optimizer=sdg] is not enough to train a run",
		"tme9-lstm[data=imbd]":        "tme9-lstm[data=imbd] means the run on imbd with otherwise default settings, which has not finished",
	} {
		_, err := n.Runs(dir, ref)
		_, others := errors.AsType[*naming.OthersError](err)
		require.True(t, others, ref)
		require.EqualError(t, err, want)
	}
}

// without makes the run of a program that did not know a setting, finished.
func without(t *testing.T, dir, key string, c runs.Config) *runs.Run {
	t.Helper()
	c.Settings = slices.DeleteFunc(slices.Clone(c.Settings), func(v runs.Value) bool { return v.Key == key })
	clock = clock.Add(time.Second)
	w := must.Get(runs.Create(dir, c, runs.Environment{Started: clock}))(t)
	finish(t, w, "")
	r := must.Get(runs.Open(w.Path()))(t)
	return r
}

// What a name means is what a report averages: also seeds of which some lack a setting,
// unless that came with other results.
func TestNamesMeanWhatReportsAverage(t *testing.T) {
	dir := t.TempDir()
	name := "tme10-self[epochs=3,test=last]"
	words := []string{"tme10-self", "epochs=3", "test=last"}
	all := []*runs.Run{without(t, dir, "data.held", of(t, "sample", words...))}
	for _, seed := range []string{"seed=2", "seed=3"} {
		all = append(all, without(t, dir, "", of(t, "sample", append(words, seed)...)))
	}
	together := without(t, dir, "", of(t, "sample", append(words, "data.held=together", "select=best", "seed=4")...))
	padded := append(words, "slip.pad=true", "norm=batch")
	counted := without(t, dir, "slip.pad_statistics", ofResult(t, 1, append(padded, "seed=5")...))
	not := without(t, dir, "", of(t, "sample", append(padded, "seed=6")...))

	n := naming.New("sample", t.TempDir())
	for ref, want := range map[string][]*runs.Run{
		name: all,
		"tme10-self[epochs=3,test=last,data.held=scattered]":             all,
		"tme10-self[data.held=together]":                                 {together},
		"tme10-self[epochs=3,test=last,slip.pad=true,norm=batch]":        {not},
		"tme10-self[epochs=3,test=last,slip.pad=true,norm=batch,seed=5]": {counted},
	} {
		list, err := n.Runs(dir, ref)
		require.NoError(t, err, ref)
		assert.Equal(t, paths(want), paths(list), ref)
	}
	groups := report.BySetting(slices.Concat(all, []*runs.Run{together, counted, not}))
	require.Len(t, groups, 4)
	assert.Equal(t, paths(all), paths(groups[0]))
}

// Runs that each have the base of their own seed are seeds of one setting, which is called
// by the name of the base's.
func TestNamesOfBases(t *testing.T) {
	dir := t.TempDir()
	var imposed []*runs.Run
	for _, base := range []string{"epochs=42", "epochs=4 batch=32"} {
		for _, seed := range []string{"seed=1", "seed=2"} {
			r := without(t, dir, "", of(t, "sample", append(strings.Fields("tme9-lstm "+base), seed)...))
			c := must.Get(r.Citation())(t)
			imposed = append(imposed, without(t, dir, "", of(t, "sample", "tme9-values", "value.activation=tanh", "attention=imposed", "attention.base="+c.String(), seed)))
		}
	}
	n := naming.New("sample", t.TempDir())
	list := must.Get(n.Runs(dir, "tme9-values[attention.base=tme9-lstm[epochs=4,batch=32]]"))(t)
	assert.Equal(t, paths(imposed[2:]), paths(list))
	_, others := errors.AsType[*naming.OthersError](must.Fail(n.Runs(dir, "tme9-values[attention=imposed]")))
	require.True(t, others)
}

// A run within the brackets may be written in every way in which a run is written elsewhere.
func TestNamesOfCitedRuns(t *testing.T) {
	dir := t.TempDir()
	language := without(t, dir, "", of(t, "sample", "lm-lstm", "epochs=2", "test=each"))
	without(t, dir, "", of(t, "sample", "tme9-lstm"))
	citation := must.Get(language.Citation())(t).String()
	var begun []*runs.Run
	for _, seed := range []string{"seed=1", "seed=2"} {
		begun = append(begun, without(t, dir, "", of(t, "sample", "tme9-lstm", "init="+citation, seed)))
	}
	n, id := naming.New("sample", t.TempDir()), language.Config.ID
	for _, ref := range []string{"lm-lstm[epochs=2,test=each]", id[:4], id, strings.ToUpper(id), "lm-lstm/" + id[:6], language.Path, citation} {
		list, err := n.Runs(dir, "tme9-lstm[init="+ref+"]")
		require.NoError(t, err, ref)
		assert.Equal(t, paths(begun), paths(list), ref)
		list, err = n.Runs(dir, "tme9-lstm[seed=2,init="+ref+"]")
		require.NoError(t, err, ref)
		assert.Equal(t, paths(begun[1:]), paths(list), ref)
		list = must.Get(runs.Match(dir, "tme9-lstm[init!="+ref+"]"))(t)
		assert.Len(t, list, 1, ref)
	}
	for _, ref := range []string{"lm-lstm", id[:3], "ffffffff", "lm-lstm/ffff", "tme9-lstm/" + id, "imdbexp:lm-lstm/" + id[:6] + "@00000000"} {
		require.Error(t, must.Fail(n.Runs(dir, "tme9-lstm[init="+ref+"]")), ref)
	}

	imposed := without(t, dir, "", of(t, "sample", "tme9-values", "attention=imposed", "attention.base="+must.Get(begun[0].Citation())(t).String()))
	list := must.Get(n.Runs(dir, "tme9-values[attention=imposed,attention.base="+begun[0].Config.ID+"]"))(t)
	assert.Equal(t, []string{imposed.Path}, paths(list))
}

func paths(list []*runs.Run) (out []string) {
	for _, r := range list {
		out = append(out, r.Path)
	}
	return out
}

// Each name that is shown means the run that it is shown for.
func TestNamesMeanTheirRuns(t *testing.T) {
	for _, auto := range []string{"sample", "imdb"} {
		n := naming.New(auto, t.TempDir())
		for _, e := range experiments.All() {
			for _, words := range []string{"", "variant=original", "optimizer=sgd", "optimizer=sgd variant=original data=own",
				"data=sample seed=3 epochs=2", "data=imdb variant=original lr=0.5 clip=1", "select=best patience=5 schedule=cosine"} {
				if info, err := e.Info(); err == nil && task.Of(info.New()).Ignored().Has("optimizer") {
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

func TestSeedRange(t *testing.T) {
	for want, seeds := range map[string][]uint64{"1..3": {1, 2, 3}, "2": {2}, "1,3": {1, 3}, "1..2,5..7": {1, 2, 5, 6, 7}, "": nil} {
		assert.Equal(t, want, naming.Seeds(seeds))
	}
}
