package runs_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

// A single changed field of config.yaml is found when the run is opened.
func TestChangedConfigIsRefused(t *testing.T) {
	dir := t.TempDir()
	c := config(t, "lr=0.5", "data.limit=100")
	require.NoError(t, train(dir, c))
	path := runs.Folder(dir, &c)
	file := filepath.Join(path, "config.yaml")
	honest, err := os.ReadFile(file)
	require.NoError(t, err)
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
		{"variant: default\nsettings", "variant: original\nsettings", `variant is "original", but the setting variant is "default"`},
		{"\n  variant: default", "\n  variant: original", `variant is "default", but the setting variant is "original"`},
		{"name: sample", "name: imdb", `data.name is "imdb", but the setting data is "sample"`},
		{"\n  lr: test", "\n  lr: variant=original", `"lr" comes from "variant=original", but variant is "default"`},
		{"reviews: 100", "reviews: 25000", "data.limit=100 allows at most 200 in each split"},
		{"reviews: 100", "reviews: -1", "a size of its data is negative"},
		{"  seed: 1\n", "  seed: 1\n  teleport: 1\n", ""}, // at its default, by what the run says
		{"\nfrom:", "\n  teleport: 1\nfrom:\n  teleport: test", ""},
		{"\n  lr: 0.5", "\n  lr: 0.25\n  teleport: 1", `this version of exp does not know ["teleport"]`},
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
	b, err := os.ReadFile(filepath.Join(runs.Folder(dir, &other), "last.safetensors"))
	require.NoError(t, err)
	path := filepath.Join(runs.Folder(dir, &one), "last.safetensors")
	require.NoError(t, os.WriteFile(path, b, 0o666))
	r, err := runs.Open(runs.Folder(dir, &one))
	require.NoError(t, err)
	require.Equal(t, runs.Damaged, r.Status.State)
	require.Contains(t, r.Status.Message, "it belongs to another run")

	text := strings.Replace(string(b), `"chosen":"3"`, `"chosen":"2"`, 1)
	require.NotEqual(t, string(b), text)
	path = filepath.Join(runs.Folder(dir, &other), "last.safetensors")
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
	r, err = runs.Open(runs.Folder(dir, &other))
	require.NoError(t, err)
	require.Contains(t, r.Status.Message, "it says that epoch 2 counts, but by select=last that is epoch 3")
}
