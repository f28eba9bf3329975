package runs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

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
		{filepath.Join(dir, "nowhere"), "is not the folder of a run: there is no such folder"},
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
