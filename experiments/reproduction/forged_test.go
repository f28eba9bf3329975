package reproduction_test

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/safetensors"
	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/models"
	"imdbexp/runs"
)

// copied is a copy of a run in a folder of runs of its own.
func copied(t *testing.T, r *runs.Run) *runs.Run {
	t.Helper()
	dir := t.TempDir()
	path := filepath.Join(dir, r.Config.Name, r.Config.ID)
	require.NoError(t, os.CopyFS(path, os.DirFS(r.Path)))
	require.NoError(t, os.CopyFS(filepath.Join(dir, ".store"), os.DirFS(filepath.Join(filepath.Dir(filepath.Dir(r.Path)), ".store"))))
	c, err := runs.Open(path)
	require.NoError(t, err)
	return c
}

// forge changes what a run says of itself and makes everything fit that can be made to
// without training: the digest, the ID, the checkpoints and their sums.
func forge(t *testing.T, r *runs.Run, change func(c *runs.Config)) {
	t.Helper()
	c := r.Config
	c.From, c.Digests = map[string]string{}, map[string]string{}
	for k, v := range r.Config.From {
		c.From[k] = v
	}
	for k, v := range r.Config.Digests {
		c.Digests[k] = v
	}
	c.Settings = append(runs.Values{}, c.Settings...)
	change(&c)
	set, err := settings.New(&settings.Run{})
	require.NoError(t, err)
	if info, err := models.Lookup(c.Model); err == nil {
		set, err = settings.New(&settings.Run{}, info.New())
		require.NoError(t, err)
	}
	for _, s := range c.Settings {
		if _, known := set.Get(s.Key); known {
			require.NoError(t, set.Put(s.Key, s.Value, "forged"))
		}
	}
	c.Digest, c.Lineage = runs.Identify(c.Model, c.Result, set, c.Digests)
	c.ID = c.Digest[:12]
	text, err := c.Encode()
	require.NoError(t, err)
	require.NoError(t, os.WriteFile(filepath.Join(r.Path, "config.yaml"), text, 0o666))
	for _, which := range []string{"last", "best", "prev"} {
		resign(t, r, which, map[string]string{"config": c.Digest})
	}
}

// resign changes what a checkpoint says, and its sum.
func resign(t *testing.T, r *runs.Run, which string, metadata map[string]string) {
	t.Helper()
	path := filepath.Join(r.Path, runs.CheckpointFile(which))
	b, err := os.ReadFile(path)
	if os.IsNotExist(err) {
		return
	}
	require.NoError(t, err)
	f, err := safetensors.Parse(b)
	require.NoError(t, err)
	for k, v := range metadata {
		f.Metadata[k] = v
	}
	f.Metadata["sha256"] = strings.Repeat("0", 64)
	var out strings.Builder
	require.NoError(t, safetensors.Write(&out, f))
	sum := sha256.Sum256([]byte(out.String()))
	text := strings.Replace(out.String(), f.Metadata["sha256"], hex.EncodeToString(sum[:]), 1)
	require.NoError(t, os.WriteFile(path, []byte(text), 0o666))
}

func put(c *runs.Config, key, value string) {
	for i := range c.Settings {
		if c.Settings[i].Key == key {
			c.Settings[i].Value = value
		}
	}
}

// Whatever a run says of itself, alone or with everything made to fit, is found out, at
// reading where that can be and else by training again.
func TestForged(t *testing.T) {
	honest := testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "tme9-lstm",
		append([]string{"epochs=3", "select=best", "lstm.hidden=4"}, testrun.Few...)...))
	other := fmt.Sprint(honest.ChosenEpoch()%3 + 1)
	imdb := func(c *runs.Config) {
		c.Data.Name, c.Data.Train, c.Data.Test = "imdb", runs.Part{Reviews: 22500, Words: 6e6}, runs.Part{Reviews: 25000, Words: 6e6}
		c.Data.Valid = runs.Part{Reviews: 2500, Words: 6e5}
		c.Digests["data"] = "26aab42dc98644e8e39004b5a7dcd85cdb2810c2d3e26d2b083a74c38452812f"
		put(c, "data", "imdb")
		put(c, "data.limit", "0")
	}
	for _, c := range []struct {
		name   string
		config func(c *runs.Config) // with the rest made to fit
		file   func(t *testing.T, r *runs.Run)
		want   string
	}{
		{name: "variant", config: func(c *runs.Config) { c.Variant = "original"; put(c, "variant", "original") }, want: "config.yaml, settings.slip."},
		{name: "model", config: func(c *runs.Config) { c.Model = "simple" }, want: "config.yaml, model: simple then, lstm now"},
		{name: "unknown model", config: func(c *runs.Config) { c.Model = "lstn" }, want: "config.yaml, model: lstn then, lstm now"},
		{name: "classes", config: func(c *runs.Config) { c.Classes = runs.Names{"pos", "neg"} }, want: "config.yaml, classes: "},
		{name: "train", config: func(c *runs.Config) { c.Data.Train.Reviews++ }, want: "it saw 129 + 128 reviews, and data.limit=64 leaves at most 128 of each split"},
		{name: "valid", config: func(c *runs.Config) { c.Data.Valid.Words++ }, want: "config.yaml, data.valid: "},
		{name: "test", config: func(c *runs.Config) { c.Data.Test.Words *= 2 }, want: "config.yaml, data.test: "},
		{name: "kind", config: func(c *runs.Config) { c.Data.Kind = "pears" }, want: "config.yaml, data.kind: pears then,  now"},
		{name: "data's name", config: func(c *runs.Config) { c.Data.Name = "imdb"; put(c, "data", "imdb") }, want: "data=imdb is not installed"},
		{name: "data's digest", config: func(c *runs.Config) { c.Digests["data"] = strings.Repeat("0", 64) }, want: "was trained on another data=sample"},
		{name: "vectors' digest", config: func(c *runs.Config) { c.Digests["vectors"] = strings.Repeat("0", 64) }, want: "was trained on another vectors=corpus"},
		{name: "result", config: func(c *runs.Config) { c.Result = 7 }, want: "config.yaml, result: 7 then, 1 now"},
		{name: "experiment", config: func(c *runs.Config) { c.Name = "tme9-bilstm" }, want: "config.yaml: whether lstm.bidirectional=false (default) was the experiment's own: now it says true (tme9-bilstm)"},
		{name: "setting", config: func(c *runs.Config) { put(c, "seed", "2"); c.From["seed"] = "command line" }, want: "metrics.jsonl, line 1"},
		{name: "words", config: func(c *runs.Config) { c.Table = strings.Repeat("0", 64) }, want: "config.yaml, table: "},
		{name: "all of IMDB", config: imdb, want: "data=imdb is not installed"},
		{name: "chosen", file: func(t *testing.T, r *runs.Run) {
			resign(t, r, "last", map[string]string{"chosen": other, "best_epoch": other})
		}, want: "last.safetensors (epoch 3), best epoch: " + other + " with score "},
		{name: "chosen alone", file: func(t *testing.T, r *runs.Run) {
			resign(t, r, "last", map[string]string{"chosen": other})
		}, want: "it says that epoch " + other + " counts"},
		{name: "no predictions", file: func(t *testing.T, r *runs.Run) {
			require.NoError(t, os.Remove(filepath.Join(r.Path, runs.PredictionsFile)))
		}, want: "predictions.tsv: nothing then, a file now"},
		{name: "no best weights", file: func(t *testing.T, r *runs.Run) {
			require.NoError(t, os.Remove(filepath.Join(r.Path, "best.safetensors")))
		}, want: "best.safetensors: nothing then, a file, after epoch "},
		{name: "damaged best weights", file: func(t *testing.T, r *runs.Run) {
			require.NoError(t, os.Truncate(filepath.Join(r.Path, "best.safetensors"), 100))
		}, want: "best.safetensors: "},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := copied(t, honest)
			if c.config != nil {
				forge(t, r, c.config)
			} else {
				c.file(t, r)
			}
			r, err := runs.Open(r.Path)
			if err != nil {
				require.ErrorContains(t, err, c.want)
				return
			}
			got, err := again(t, r, 0)
			switch {
			case err != nil:
				require.ErrorContains(t, err, c.want)
			case got.Difference != nil:
				require.Contains(t, got.Difference.String(), c.want)
			default:
				require.Contains(t, strings.Join(got.Left, "\n"), c.want)
			}
		})
	}
	got, err := again(t, reopen(t, copied(t, honest)), 0)
	require.NoError(t, err)
	require.Nil(t, got.Difference)
	require.Empty(t, got.Left)
}

// A name or a source that the catalogue does not bear out is no "same bits".
func TestForgedSource(t *testing.T) {
	r := testrun.Train(t, testrun.Runner(t, t.TempDir(), 1), testrun.Plan(t, "tme9-simple", append([]string{"epochs=1", "lr=0.02"}, testrun.Few...)...))
	forge(t, r, func(c *runs.Config) { c.From["lr"] = "the sample" })
	got, err := again(t, reopen(t, r), 0)
	require.NoError(t, err)
	require.Nil(t, got.Difference)
	require.Contains(t, strings.Join(got.Left, "\n"), "config.yaml: whether lr=0.02 (the sample) was the experiment's own")

	forge(t, r, func(c *runs.Config) { c.From["lr"] = "tme9-lstm" })
	got, err = again(t, reopen(t, r), 0)
	require.NoError(t, err)
	require.Contains(t, got.Difference.String(), "config.yaml, settings.lr: 0.02 (tme9-lstm) then, ")
}
