package runs_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// A single changed field of config.yaml is found when the run is opened.
func TestChangedConfigIsRefused(t *testing.T) {
	dir := t.TempDir()
	c := config(t, "lr=0.5", "data.limit=100")
	require.NoError(t, train(dir, c))
	path := runs.Folder(dir, &c)
	file := filepath.Join(path, "config.yaml")
	honest := must.Get(os.ReadFile(file))(t)
	other := strings.Repeat("0123456789abcdef", 4)
	for _, x := range []struct{ from, to, want string }{
		{"model: simple", "model: lstm", "give the ID"},
		{"result: 1", "result: 2", "give the ID"},
		{"\n  lr: 0.5", "\n  lr: 0.25", "give the ID"},
		{"\n  lr: 0.5", "", "give the ID"},
		{"\n  seed: 1", "\n  seed: 2", "give the ID"},
		{"\n  data: \"1234\"", "\n  data: \"1235\"", "give the ID"},
		{"id: " + c.ID + "\ndigest: " + c.Digest, "id: " + other[:12] + "\ndigest: " + other, `not "` + other[:12] + `"`},
		{"lineage: " + c.Lineage, "lineage: " + other, "give the lineage"},
		{"variant: default\nsettings", "variant: original\nsettings", `it is a run of variant="original", but the setting is "default"`},
		{"\n  variant: default", "\n  variant: original", `it is a run of variant="default", but the setting is "original"`},
		{"name: sample", "name: imdb", `it is a run of data="imdb", but the setting is "sample"`},
		{"  seed: 1\n", "  seed: 1\n  teleport: 1\n", ""}, // of another version, which knows its default
	} {
		text := strings.Replace(string(honest), x.from, x.to, 1)
		require.NotEqual(t, string(honest), text, x.from)
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		_, err := runs.Open(path)
		if x.want == "" {
			require.NoError(t, err, x.to)
			continue
		}
		require.ErrorContains(t, err, "config.yaml: the run's configuration was changed or damaged: ", x.to)
		require.ErrorContains(t, err, x.want)
		list, err := runs.List(dir)
		require.Empty(t, list)
		require.Len(t, runs.Unreadable(err), 1, "it is told")
	}
}

// A checkpoint of another run, or one that no Finish wrote, makes a run damaged.
func TestForeignCheckpoint(t *testing.T) {
	dir := t.TempDir()
	one, other := config(t), config(t, "seed=2")
	require.NoError(t, train(dir, one))
	require.NoError(t, train(dir, other))
	b := must.Get(os.ReadFile(filepath.Join(runs.Folder(dir, &other), "last.safetensors")))(t)
	path := filepath.Join(runs.Folder(dir, &one), "last.safetensors")
	require.NoError(t, os.WriteFile(path, b, 0o666))
	r := must.Get(runs.Open(runs.Folder(dir, &one)))(t)
	require.Equal(t, runs.Damaged, r.Status.State)
	require.Contains(t, r.Status.Message, "it belongs to another run")

	text := strings.Replace(string(b), `"chosen":"3"`, `"chosen":"2"`, 1)
	require.NotEqual(t, string(b), text)
	path = filepath.Join(runs.Folder(dir, &other), "last.safetensors")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	r = must.Get(runs.Open(runs.Folder(dir, &other)))(t)
	require.Contains(t, r.Status.Message, "its chosen epoch is 2, but select=last chooses epoch 3")
}

// Given returns the settings of the user, not those of the experiment, optimiser or variant.
func TestGiven(t *testing.T) {
	c := runs.Config{
		Settings: runs.Values{{"a", "1"}, {"b", "2"}, {"c", "3"}, {"d", "4"}, {"e", "5"}},
		From:     map[string]string{"a": "command line", "b": "experiment", "c": "mine/lstm.yaml", "d": "x.yml"},
	}
	require.Equal(t, []runs.Value{{"a", "1"}, {"c", "3"}, {"d", "4"}}, c.Given())
	require.Len(t, c.Settings, 5, "the run's own stay")
	require.Equal(t, runs.Value{"b", "2"}, c.Settings[1])
}

// A damaged shorter run is not extended.
func TestShorterPassesOverDamage(t *testing.T) {
	dir := t.TempDir()
	c := config(t, "epochs=5")
	two := trained(t, dir, "epochs=2")
	bad := filepath.Join(dir, c.Name, "0123456789ab")
	require.NoError(t, os.Mkdir(bad, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(bad, "config.yaml"), []byte("format: ["), 0o666))
	require.Equal(t, 2, runs.Shorter(dir, &c).Config.Epochs())
	require.NoError(t, os.RemoveAll(two.Path))
	require.Nil(t, runs.Shorter(dir, &c))
}

// Only runs whose numbers have changed have a newer version.
func TestPresentVersion(t *testing.T) {
	of := func(settings ...runs.Value) *runs.Config { return &runs.Config{Result: 1, Settings: settings} }
	slots, others := of(runs.Value{Key: "slip.batch_slot_norm", Value: "true"}), of(runs.Value{Key: "slip.batch_slot_norm", Value: "false"})
	assert.Equal(t, 1, slots.Behind())
	assert.Zero(t, others.Behind())
	assert.Zero(t, of().Behind())
	padded := []runs.Value{{Key: "norm", Value: "batch"}, {Key: "slip.pad", Value: "true"}}
	assert.Equal(t, 2, of(padded...).Behind(), "padding counted once")
	assert.Zero(t, of(append(padded, runs.Value{Key: "slip.pad_statistics", Value: "true"})...).Behind())
	assert.Zero(t, of(runs.Value{Key: "norm", Value: "layer"}, padded[1]).Behind())
	heads := runs.Value{Key: "heads.penalty", Value: "0"}
	mean := runs.Value{Key: "average", Value: "0.9"}
	assert.Equal(t, 3, of(heads, mean, runs.Value{Key: "test", Value: "last"}).Behind(), "the likeness of heads was that of other weights")
	assert.Zero(t, of(heads, mean, runs.Value{Key: "test", Value: "each"}).Behind(), "it was of those that test was asked about")
	best := runs.Value{Key: "select", Value: "best"}
	assert.Equal(t, 4, of(heads, mean, runs.Value{Key: "test", Value: "last"}, best).Behind(), "the validation split is another")
	assert.Zero(t, of(best, runs.Value{Key: "slip.choose_on_test", Value: "true"}).Behind())
	assert.Zero(t, of(runs.Value{Key: "beam", Value: "4"}, mean, runs.Value{Key: "test", Value: "never"}).Behind())
	assert.Zero(t, of(heads, runs.Value{Key: "average", Value: "0"}).Behind())
	translates := of(runs.Value{Key: "beam", Value: "4"}, runs.Value{Key: "average", Value: "0.9"})
	assert.Equal(t, 3, translates.Behind())
}

func TestFind(t *testing.T) {
	dir := t.TempDir()
	one := trained(t, dir, "epochs=1")
	two := trained(t, dir, "epochs=1", "seed=2")
	sgd := trained(t, dir, "epochs=1", "optimizer=sgd", "lr=0.01", "slip.drop_last=true")
	c := config(t, "seed=9")
	w := must.Get(runs.Create(dir, c, environment()))(t)
	require.NoError(t, w.Close())

	for _, c := range []struct {
		ref  string
		want string // path, or the text of the error
	}{
		{one.Path, one.Path},
		{one.Label(), one.Path}, // as messages print it
		{one.Config.ID, one.Path},
		{one.Config.ID[:6], one.Path},
		{"tme9-simple", "names 4 runs: give more of the ID of one: " + one.Label()},
		{"tme9-simple[optimizer=sgd]", sgd.Path},
		{"tme9-simple[lr=1e-2]", sgd.Path},
		{"tme9-simple[lr=0.01,slip.drop_last=1]", sgd.Path},
		{"tme9-simple[optimizer=adam,seed=2]", two.Path},
		{"@last", runs.Folder(dir, &c)},
		{"tme9-simple[optimizer=adam]", "names 3 runs: "},
		{"tme9-simple[optimiser=adam]", `unknown setting "optimiser" (did you mean optimizer?)`},
		{"tme9-simple[seed=77]", `is called "tme9-simple[seed=77]"`},
		{"tme9-simple[seed]", "is not of the form key=value"},
		{"tme9-simple[seed=1", "want name[key=value,…]"},
		{"tme9-simpel", "did you mean tme9-simple?"},
		{one.Config.ID[:3], "no run in"},
		{"", "no run in"},
		{filepath.Join(dir, "nowhere"), "is not the folder of a run: there is no config.yaml"},
	} {
		t.Run(c.ref, func(t *testing.T) {
			r, err := runs.Find(dir, c.ref)
			if filepath.IsAbs(c.want) {
				require.NoError(t, err)
				require.Equal(t, c.want, r.Path)
			} else {
				require.ErrorContains(t, err, c.want)
			}
		})
	}
	all := must.Get(runs.Match(dir, "tme9-simple"))(t)
	require.Len(t, all, 4)
	require.Equal(t, one.Path, all[0].Path, "oldest first")
	require.ErrorContains(t, must.Fail(runs.Find(t.TempDir(), "@last")), "there are no runs in")
}

func TestWith(t *testing.T) {
	dir := t.TempDir()
	trained(t, dir, "epochs=1")
	sgd := trained(t, dir, "epochs=1", "optimizer=sgd", "lr=0.01")
	all := must.Get(runs.List(dir))(t)
	for conditions, want := range map[string]int{"": 2, "optimizer=sgd": 1, "optimizer!=adam": 1, "lr=1e-2 optimizer=adam": 0, "epochs!=1": 0, "seed=1": 2} {
		list := must.Get(runs.With(all, strings.Fields(conditions)))(t)
		require.Len(t, list, want, conditions)
	}
	list := must.Get(runs.With(all, []string{"optimizer!=adam"}))(t)
	require.Equal(t, sgd.Path, list[0].Path)
	for condition, want := range map[string]string{"optimiser=sgd": "did you mean optimizer?", "optimiser!=sgd": "did you mean optimizer?", "sgd": "is not of the form key=value"} {
		require.ErrorContains(t, must.Fail(runs.With(all, []string{condition})), want)
	}
}

func TestListPassesOverStrangers(t *testing.T) {
	dir := t.TempDir()
	r := trained(t, dir, "epochs=1")
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "notes", "today"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "README"), nil, 0o666))
	list, err := runs.List(dir)
	require.NoError(t, err)
	require.Len(t, list, 1)

	broken := filepath.Join(dir, "tme9-simple", "broken")
	require.NoError(t, os.MkdirAll(broken, 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(broken, "config.yaml"), []byte("format: 1\nnome: x\n"), 0o666))
	list, err = runs.List(dir)
	require.ErrorContains(t, err, `config.yaml:2: unknown field "nome"`)
	require.Len(t, list, 1)
	require.Equal(t, r.Path, list[0].Path)

	list = must.Get(runs.List(filepath.Join(dir, "nowhere")))(t)
	require.Empty(t, list)
}

// Remarks are written whole or not at all. Nothing that is written at the same time is lost.
func TestRemarks(t *testing.T) {
	dir := t.TempDir()
	r := trained(t, dir, "epochs=1")
	before := contents(t, r.Path)
	require.Zero(t, len(must.Get(r.Remarks())(t).Tags))
	var all sync.WaitGroup
	for i := range 8 {
		all.Go(func() {
			for {
				err := r.Remark(func(m *runs.Remarks) { m.Add(fmt.Sprint("t", i)) })
				if _, held := errors.AsType[*fsx.HeldError](err); !held {
					require.NoError(t, err)
					return
				}
			}
		})
	}
	all.Wait()
	want := runs.Remarks{Tags: strings.Fields("t0 t1 t2 t3 t4 t5 t6 t7")}
	require.Equal(t, want, must.Get(r.Remarks())(t))

	for op := range 20 { // a failure of any operation leaves the old remarks or the new ones
		n, set := 0, func(m *runs.Remarks) { m.Note = fmt.Sprint("note ", op) }
		restore := fsx.Inject(func(fsx.Op) error {
			if n++; n > op {
				return errDead
			}
			return nil
		})
		err := r.Remark(set)
		restore()
		got := must.Get(r.Remarks())(t)
		if want.Note == got.Note {
			require.Error(t, err, op)
		} else {
			require.Equal(t, fmt.Sprint("note ", op), got.Note)
		}
		require.Equal(t, want.Tags, got.Tags)
		require.NoError(t, r.Remark(set))
		want = must.Get(r.Remarks())(t)
	}

	require.NoError(t, r.Remark(func(m *runs.Remarks) { *m = runs.Remarks{} }))
	require.NoError(t, fsx.In(r.Path).RemoveTemps(), "left by the failures")
	require.Equal(t, before, contents(t, r.Path), "no file is left")
}

// The error for a remarks file that exp has not written names the file, which is not replaced.
func TestRemarksOfOthers(t *testing.T) {
	r := trained(t, t.TempDir(), "epochs=1")
	file := filepath.Join(r.Path, "remarks.json")
	for text, why := range map[string]string{
		"{":                               "unexpected EOF",
		`{"note":"a","stars":5}`:          `unknown field "stars"`,
		`{"note":"a\nb"}`:                 "must be one line",
		`{"tags":["a b"]}`:                `tag "a b": use a word`,
		strings.Repeat(" ", 1<<17) + "{}": "remarks.json",
	} {
		require.NoError(t, os.WriteFile(file, []byte(text), 0o666))
		_, err := r.Remarks()
		require.ErrorContains(t, err, why)
		require.ErrorContains(t, r.Remark(func(m *runs.Remarks) { m.Note = "b" }), why)
		require.Equal(t, text, string(must.Get(os.ReadFile(file))(t)))
		_, err = runs.With([]*runs.Run{r}, []string{"tag=a"})
		require.ErrorContains(t, err, "remarks.json")
	}
}
