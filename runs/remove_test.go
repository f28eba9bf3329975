package runs_test

import (
	"bytes"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/fsx"
	"imdbexp/internal/safetensors"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

func TestRemove(t *testing.T) {
	dir := t.TempDir()
	a, b := trained(t, dir), trained(t, dir, "seed=2")
	require.Greater(t, a.Size(), int64(3000))
	notes := filepath.Join(a.Path, "notes.txt")
	require.NoError(t, os.WriteFile(notes, nil, 0o666))
	left := must.Get(a.Remove())(t)
	require.Equal(t, []string{notes}, left)
	entries := must.Get(os.ReadDir(a.Path))(t)
	require.Len(t, entries, 1, "only what is not the run's")

	left = must.Get(b.Remove())(t)
	require.Empty(t, left)
	require.NoDirExists(t, b.Path)
	require.DirExists(t, filepath.Dir(b.Path), "there is something else in it")

	c := trained(t, dir, "seed=3")
	require.NoError(t, os.RemoveAll(a.Path))
	must.Get(c.Remove())(t)
	require.NoDirExists(t, filepath.Dir(c.Path))
	require.DirExists(t, dir)
}

// A removal that stops anywhere leaves a run or none, and can be repeated.
func TestRemoveFails(t *testing.T) {
	for n := 0; ; n++ {
		dir := t.TempDir()
		r := trained(t, dir)
		left := n
		restore := fsx.Inject(func(op fsx.Op) error {
			if op.Do == fsx.Remove {
				left--
			}
			if left < 0 {
				return errDead
			}
			return nil
		})
		_, err := r.Remove()
		restore()
		if err == nil {
			require.Greater(t, n, 9, "files of a run")
			return
		}
		require.ErrorIs(t, err, errDead)
		require.NoError(t, train(dir, config(t)), "whatever is left, the run can be had again")
	}
}

func TestRemoveRefuses(t *testing.T) {
	dir, c := t.TempDir(), config(t)
	w := must.Get(runs.Create(dir, c, environment()))(t)
	r := must.Get(runs.Lookup(dir, &c))(t)
	require.Equal(t, os.Getpid(), r.Held().PID)
	_, err := r.Remove()
	held, ok := errors.AsType[*fsx.HeldError](err)
	require.True(t, ok)
	require.Equal(t, os.Getpid(), held.PID)
	require.NoError(t, w.Close())
	require.Nil(t, r.Held())

	link := filepath.Join(t.TempDir(), "link")
	require.NoError(t, os.Symlink(r.Path, link))
	require.ErrorContains(t, must.Fail(runs.Open(link)), link+" is a symbolic link, not a folder")
	r.Path = link
	require.ErrorContains(t, must.Fail(r.Remove()), link+" is a symbolic link, not a folder")
}

// A damaged file of the store is written again by the next run that needs it.
func TestStoreIsMended(t *testing.T) {
	dir := t.TempDir()
	table := &runs.Table{Words: []string{"a"}, Rows: []float32{1}, Dim: 1, OOV: -1}
	digest := must.Get(runs.PutTable(dir, table))(t)
	file := filepath.Join(dir, ".store", digest+".safetensors.zst")
	good := must.Get(os.ReadFile(file))(t)
	for _, bad := range [][]byte{nil, good[:len(good)/2], append(good[:len(good)-1:len(good)-1], 0), append(good[:len(good):len(good)], 0)} {
		require.NoError(t, os.WriteFile(file, bad, 0o666))
		require.ErrorAs(t, must.Fail(runs.ReadTable(dir, digest)), new(*runs.DamagedError))
		must.Get(runs.PutTable(dir, table))(t)
		read := must.Get(runs.ReadTable(dir, digest))(t)
		require.Equal(t, table, read)
	}
}

// Words and vectors go if no run needs them and none is about to.
func TestCleanStore(t *testing.T) {
	dir := t.TempDir()
	require.Zero(t, must.Get(runs.CleanStore(filepath.Join(dir, "nothing")))(t))
	store, old := filepath.Join(dir, ".store"), time.Now().Add(-2*time.Hour)
	aged := func(name string) {
		if _, err := os.Stat(filepath.Join(store, name)); err != nil {
			require.NoError(t, os.WriteFile(filepath.Join(store, name), []byte("x"), 0o666))
		}
		require.NoError(t, os.Chtimes(filepath.Join(store, name), old, old))
	}
	table := func(x float32) string {
		return must.Get(runs.PutTable(dir, &runs.Table{Words: []string{"a"}, Rows: []float32{x}, Dim: 1, OOV: -1}))(t)
	}
	const suffix = ".safetensors.zst"
	used, unused, fresh := table(1), table(2), table(3)
	for _, name := range []string{used + suffix, unused + suffix, "mine" + suffix, ".x.1-1.aside"} {
		aged(name)
	}
	c := config(t)
	c.Table = used
	require.NoError(t, train(dir, c))
	config := filepath.Join(runs.Folder(dir, &c), "config.yaml")
	whole := must.Get(os.ReadFile(config))(t)
	require.NoError(t, os.WriteFile(config, []byte("format: 99\n"), 0o666))
	require.Zero(t, must.Get(runs.CleanStore(dir))(t), "a run that cannot be read may need any")

	require.NoError(t, os.WriteFile(config, whole, 0o666))
	table(2) // a run that begins takes a table up again
	require.EqualValues(t, 1, must.Get(runs.CleanStore(dir))(t), "of the temporary file")
	aged(unused + suffix)
	require.Positive(t, must.Get(runs.CleanStore(dir))(t))
	var left []string
	for _, e := range must.Get(os.ReadDir(store))(t) {
		left = append(left, e.Name())
	}
	require.ElementsMatch(t, []string{used + suffix, fresh + suffix, "mine" + suffix}, left)
}

func TestPredictionsText(t *testing.T) {
	p := runs.Predictions{Classes: []string{"neg", "a\tb"}, Rows: []runs.Prediction{
		{Review: `x\1`, Label: -1, Predicted: 1, Words: 2, Entropy: 0.1, P: []float32{0.25, 0.75}},
		{Review: "y\n", Label: 0, Words: 0, Entropy: float32(math.NaN()), P: []float32{1, 1e-9}},
	}}
	var b bytes.Buffer
	require.NoError(t, p.Write(&b))
	require.Equal(t, "review\tlabel\tpredicted\twords\tentropy\tp:neg\tp:a\\tb\n"+
		"x\\\\1\t\ta\\tb\t2\t0.1\t0.25\t0.75\n"+
		"y\\n\tneg\tneg\t0\t\t1\t1e-09\n", b.String())
}

func TestPredictionsErrors(t *testing.T) {
	const header = "review\tlabel\tpredicted\twords\tentropy\tp:neg\tp:pos\n"
	for _, c := range []struct{ text, want string }{
		{"", "p.tsv is empty"},
		{"review\n", "p.tsv:1: the header must be"},
		{"review\tlabel\tpredicted\twords\tentropy\tneg\n", "does not name a class"},
		{header + "a\tneg\tpos\t3\t1\t0.5\n", "p.tsv:2: 6 columns, the header has 7"},
		{header + "a\tbad\tpos\t3\t1\t0.5\t0.5\n", `class "bad" is not in the header`},
		{header + "a\tneg\tpos\t-3\t1\t0.5\t0.5\n", `words "-3"`},
		{header + "a\tneg\tpos\t3\tx\t0.5\t0.5\n", `entropy "x": want a number`},
		{header + "a\tneg\tpos\t3\t1\t0.5\t\n", `probability of pos: "": want a number`},
		{header + "a\tneg\tpos\t3\t1\t0.5\t0.5", "cut off"},
	} {
		require.ErrorContains(t, must.Fail(runs.ParsePredictions("p.tsv", []byte(c.text))), c.want)
	}
}

func TestTable(t *testing.T) {
	dir := t.TempDir()
	table := &runs.Table{Words: []string{"the", "été", ""}, Rows: []float32{1, 2, 3, 4, 5, 6, 7, 8}, Dim: 2, OOV: 3}
	digest := must.Get(runs.PutTable(dir, table))(t)
	again := must.Get(runs.PutTable(dir, table))(t)
	require.Equal(t, digest, again)
	back := must.Get(runs.ReadTable(dir, digest))(t)
	require.Equal(t, table, back)

	c := config(t, "epochs=1")
	c.Table = digest
	require.NoError(t, train(dir, c))
	r := must.Get(runs.Lookup(dir, &c))(t)
	back = must.Get(r.Table())(t)
	require.Equal(t, table, back)

	require.ErrorContains(t, must.Fail(runs.PutTable(dir, &runs.Table{Words: []string{"a", "b"}, Rows: []float32{1}, Dim: 1, OOV: -1})), "2 words")
	require.ErrorContains(t, must.Fail(runs.ReadTable(dir, "../../x")), "not a SHA-256")
}

func TestHistogram(t *testing.T) {
	h := runs.NewHistogram(2, "test", []float32{0, 0.05, 0.15, -1, 99, float32(math.NaN())})
	require.Equal(t, 3, h.Counts[0])
	require.Equal(t, 1, h.Counts[1])
	require.Equal(t, 1, h.Counts[99])
}

func FuzzPredictions(f *testing.F) {
	f.Add([]byte("review\tlabel\tpredicted\twords\tentropy\tp:neg\tp:pos\na\tneg\tpos\t3\t1\t0.5\t0.5\nb\t\tneg\t3\t\t0.5\t0.5\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		p, err := runs.ParsePredictions("p.tsv", b)
		if err != nil {
			return
		}
		var once, twice bytes.Buffer
		require.NoError(t, p.Write(&once))
		back := must.Get(runs.ParsePredictions("p.tsv", once.Bytes()))(t)
		require.NoError(t, back.Write(&twice))
		require.Equal(t, once.String(), twice.String())
	})
}

func FuzzMetrics(f *testing.F) {
	f.Add([]byte("{\"epoch\":1,\"train_loss\":0.5,\"test_entropy_quantiles\":[0,1,2,3,4]}\n{\"epoch\":2}\n{\"ep"))
	f.Fuzz(func(t *testing.T, b []byte) {
		values, _ := runs.ParseMetrics("metrics.jsonl", b)
		require.LessOrEqual(t, len(values), bytes.Count(b, []byte("\n")))
	})
}

func FuzzCheckpoint(f *testing.F) {
	var b bytes.Buffer
	require.NoError(f, safetensors.Write(&b, &safetensors.File{
		Metadata: map[string]string{
			"format": "1", "epoch": "1", "step": "0", "best_epoch": "0", "best_score": "0", "wait": "0",
			"metrics_length": "0", "entropy_length": "0", "state": "unfinished",
			"sha256": "0000000000000000000000000000000000000000000000000000000000000000",
		},
		Tensors: []runs.Tensor{{Name: "param/w", Shape: []int{1}, Data: []float32{1}}},
	}))
	f.Add(b.Bytes())
	kept := must.Get(filepath.Glob(filepath.Join("testdata", "*", "*", "*", "*.safetensors")))(f)
	for _, path := range kept {
		b := must.Get(os.ReadFile(path))(f)
		f.Add(b)
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		_, _ = runs.ParseCheckpoint(b)
		if c, err := runs.ParseCheckpoint(runs.Reseal(b)); err == nil {
			require.GreaterOrEqual(t, c.Epoch, 0)
		}
	})
}

func FuzzTable(f *testing.F) {
	var b bytes.Buffer
	require.NoError(f, safetensors.Write(&b, &safetensors.File{
		Metadata: map[string]string{"oov": "-1"},
		Tensors: []runs.Tensor{
			{Name: "words", Shape: []int{3}, Data: []byte("abc")},
			{Name: "ends", Shape: []int{2}, Data: []int64{1, 3}},
			{Name: "rows", Shape: []int{2, 1}, Data: []float32{1, 2}},
		},
	}))
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		if table, err := runs.ParseTable(b); err == nil {
			require.LessOrEqual(t, len(table.Words), len(table.Rows)/table.Dim)
		}
	})
}

func TestGuessed(t *testing.T) {
	list := runs.Guessed{{Text: "train/unsup/0_0", Words: 12, Right: 3, Loss: 5.25}, {Text: "a\tb"}}
	var b strings.Builder
	require.NoError(t, list.Write(&b))
	require.Equal(t, "text\twords\tright\tloss\ntrain/unsup/0_0\t12\t3\t5.25\na\\tb\t0\t0\t0\n", b.String())
	read := must.Get(runs.ParseGuessed("texts.tsv", []byte(b.String())))(t)
	require.Equal(t, list, read)
	require.ErrorContains(t, must.Fail(runs.ParseGuessed("texts.tsv", []byte("text\twords\tright\tloss\na\t2\t1\n"))), "3 columns, the header has 4")
}

func TestCitation(t *testing.T) {
	dir := t.TempDir()
	c := config(t)
	require.NoError(t, train(dir, c))
	r := must.Get(runs.Lookup(dir, &c))(t)
	cited := must.Get(r.Citation())(t)
	require.Equal(t, "imdbexp:tme9-simple/"+r.Config.ID[:6]+"@"+cited.Metrics, cited.String())

	found := must.Get(runs.FindCited(dir, cited.String()))(t)
	require.Equal(t, r.Path, found.Path)

	// What follows the last commit does not count.
	metrics := filepath.Join(r.Path, "metrics.jsonl")
	text := must.Get(os.ReadFile(metrics))(t)
	require.NoError(t, os.WriteFile(metrics, append(text, "{\"epo"...), 0o666))
	again := must.Get(r.Citation())(t)
	require.Equal(t, cited, again)

	// One digit of one number is another citation.
	other := strings.Replace(string(text), `"test_loss":0.5`, `"test_loss":0.6`, 1)
	require.NotEqual(t, string(text), other)
	require.NoError(t, os.WriteFile(metrics, []byte(other), 0o666))
	_, err := runs.FindCited(dir, cited.String())
	require.ErrorContains(t, err, "has other metrics")

	require.NoError(t, os.WriteFile(metrics, text[:20], 0o666))
	_, err = r.Citation()
	require.ErrorContains(t, err, "bytes are missing")

	cited.ID = "000000"
	_, err = runs.FindCited(dir, cited.String())
	require.ErrorIs(t, err, fs.ErrNotExist)
}

func TestCitationOfUnfinishedRun(t *testing.T) {
	dir := t.TempDir()
	c := config(t)
	w := must.Get(runs.Create(dir, c, environment()))(t)
	require.NoError(t, w.Close())
	r := must.Get(runs.Lookup(dir, &c))(t)
	require.ErrorContains(t, must.Fail(r.Citation()), "cannot be cited: it is unfinished (epoch 0 of ")
	text := must.Get(r.MetricsText())(t)
	require.Empty(t, text)
	require.ErrorContains(t, must.Fail(runs.FindCited(dir, "imdbexp:tme9-simple/"+c.ID[:6]+"@01234567")), "cannot be cited")
}

func TestParseCitation(t *testing.T) {
	for _, bad := range []string{"", "imdbexp:", "tme9-lstm/4f2a91@9c31e07b", "imdbexp:tme9-lstm/4f2a9@9c31e07b",
		"imdbexp:tme9-lstm/4f2a91@9c31e07", "imdbexp:tme9-lstm/4F2A91@9c31e07b", "imdbexp:../4f2a91@9c31e07b", "imdbexp:a/b/4f2a91@9c31e07b"} {
		require.ErrorContains(t, must.Fail(runs.ParseCitation(bad)), "is not a citation; it must look like", bad)
	}
	rapid.Check(t, func(t *rapid.T) {
		c := runs.Citation{
			Name:    rapid.StringMatching(`[A-Za-z0-9][A-Za-z0-9._+-]{0,20}`).Draw(t, "name"),
			ID:      rapid.StringMatching(`[0-9a-f]{6,12}`).Draw(t, "id"),
			Metrics: rapid.StringMatching(`[0-9a-f]{8}`).Draw(t, "metrics"),
		}
		require.True(t, runs.IsCitation(c.String()))
		back := must.Get(runs.ParseCitation(c.String()))(t)
		require.Equal(t, c, back)
	})
}

func FuzzCitation(f *testing.F) {
	f.Add("imdbexp:tme9-lstm/4f2a91@9c31e07b")
	f.Fuzz(func(t *testing.T, text string) {
		if c, err := runs.ParseCitation(text); err == nil {
			require.Equal(t, strings.TrimSpace(text), c.String())
		}
	})
}
