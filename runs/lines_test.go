package runs_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"flag"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/klauspost/compress/zstd"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// lengthened are changes that make a file of lines longer than the checkpoint says. Truncated to
// that length, the file would end inside a line or hold another epoch.
var lengthened = map[string]func(b []byte) []byte{
	"ends of lines": func(b []byte) []byte { return bytes.ReplaceAll(b, []byte("\n"), []byte("\r\n")) },
	"a digit":       func(b []byte) []byte { return bytes.Replace(b, []byte(`:0.5`), []byte(`:0.51`), 1) },
	"a line twice": func(b []byte) []byte {
		first, _, _ := bytes.Cut(b, []byte("\n"))
		return append(append(bytes.Clone(first), '\n'), b...)
	},
}

// Metrics that have become longer are damage, and no other epoch replaces the chosen one.
func TestLongerMetricsAreDamage(t *testing.T) {
	for name, change := range lengthened {
		t.Run(name, func(t *testing.T) {
			r := trained(t, t.TempDir())
			rewrite(t, filepath.Join(r.Path, "metrics.jsonl"), change)
			r = must.Get(runs.Open(r.Path))(t)
			_, err := r.Chosen()
			require.ErrorContains(t, err, "metrics.jsonl")
			require.True(t, runs.IsDamage(err), err)
			require.True(t, runs.IsDamage(r.CheckLines()))
			_, err = r.Citation()
			require.Error(t, err)
			if name != "a line twice" { // which takes all lines to see
				require.Equal(t, runs.Damaged, r.Status.State)
			}
		})
	}
}

// A run whose lines cannot be truncated where its checkpoint says is neither resumed nor extended:
// its files stay as they are.
func TestLongerLinesAreNotCut(t *testing.T) {
	for _, file := range []string{"metrics.jsonl", "entropy.jsonl"} {
		dir, c := t.TempDir(), config(t, "epochs=4")
		r := stopped(t, dir, c, 3)
		rewrite(t, filepath.Join(r.Path, file), lengthened["ends of lines"])
		before := every(t, r.Path)
		_, _, err := runs.Resume(r, environment())
		require.ErrorContains(t, err, file)
		require.True(t, runs.IsDamage(err), err)
		require.Equal(t, before, every(t, r.Path))

		shorter := trained(t, dir, "epochs=2", "seed=2")
		rewrite(t, filepath.Join(shorter.Path, file), lengthened["ends of lines"])
		longer := config(t, "epochs=3", "seed=2")
		_, _, err = runs.Extend(dir, longer, environment(), shorter)
		require.True(t, runs.IsDamage(err), err)
		require.NoDirExists(t, runs.Folder(dir, &longer))
	}
}

// every returns the files of a folder except the lock, which names the last process that took it.
func every(t *testing.T, dir string) map[string]string {
	t.Helper()
	entries := must.Get(os.ReadDir(dir))(t)
	out := map[string]string{}
	for _, e := range entries {
		b := must.Get(os.ReadFile(filepath.Join(dir, e.Name())))(t)
		out[e.Name()] = string(b)
	}
	delete(out, ".lock")
	return out
}

func rewrite(t *testing.T, path string, change func([]byte) []byte) {
	t.Helper()
	b := must.Get(os.ReadFile(path))(t)
	require.NoError(t, os.WriteFile(path, change(b), 0o666))
}

// taken returns the bytes that f allocates, and its error.
func taken(f func() error) (bytes uint64, err error) {
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	err = f()
	runtime.ReadMemStats(&after)
	return after.TotalAlloc - before.TotalAlloc, err
}

// A file that is larger than the limit of its kind is refused before memory is allocated.
func TestLargeFilesAreRefused(t *testing.T) {
	const large = 17 << 30 // a sparse file
	for file, read := range map[string]func(r *runs.Run) error{
		"metrics.jsonl":     func(r *runs.Run) error { _, err := r.Metrics(); return err },
		"entropy.jsonl":     func(r *runs.Run) error { _, err := r.Entropies(); return err },
		"timing.jsonl":      func(r *runs.Run) error { _, err := r.Timing(); return err },
		"test.json":         func(r *runs.Run) error { _, err := r.Metrics(); return err },
		"predictions.tsv":   func(r *runs.Run) error { _, err := r.Predictions(); return err },
		"last.safetensors":  func(r *runs.Run) error { _, err := r.Checkpoint(runs.Last); return err },
		"best.safetensors":  func(r *runs.Run) error { _, err := r.Checkpoint(runs.Best); return err },
		"environment.json":  func(r *runs.Run) error { _, err := r.Environments(); return err },
		"config.yaml":       func(r *runs.Run) error { _, err := runs.Open(r.Path); return err },
		"prev.safetensors":  func(r *runs.Run) error { _, err := r.Checkpoint(runs.Prev); return err },
		"translations.tsv":  func(r *runs.Run) error { _, err := r.Translations(); return err },
		"other.safetensors": func(r *runs.Run) error { _, err := r.Checkpoint("other"); return err },
	} {
		dir := t.TempDir()
		c := config(t, "test=last", "vectors=random")
		require.NoError(t, train(dir, c))
		r := must.Get(runs.Lookup(dir, &c))(t)
		path := filepath.Join(r.Path, file)
		f := must.Get(os.OpenFile(path, os.O_CREATE|os.O_WRONLY, 0o666))(t)
		require.NoError(t, f.Truncate(large)) // takes no room on most disks
		require.NoError(t, f.Close())
		got, err := taken(func() error { return read(r) })
		require.ErrorContains(t, err, file+" is 18253611008 bytes long, more than the ")
		require.Less(t, got, uint64(4<<20), file)
	}
}

// A small file of the store that unpacks to a large one is refused by its header.
func TestPackedBomb(t *testing.T) {
	for _, c := range []struct {
		name, header string
		zeros        int64
		want         string
	}{
		{"rows", `{"__metadata__":{"format":"1","oov":"-1"},"rows":{"dtype":"F32","shape":[33554432,50],"data_offsets":[0,6710886400]}}`, 400 << 20,
			"bytes, more than the 4294967296 allowed"},
		{"more than it says", `{"__metadata__":{"format":"1","oov":"-1"},"rows":{"dtype":"F32","shape":[2,50],"data_offsets":[0,400]}}`, 400 << 20, "more follows the last tensor"},
		{"header", strings.Repeat(" ", 5<<20), 0, "header of 5242880 bytes, more than the 4194304 allowed"},
	} {
		dir := t.TempDir()
		cfg := config(t, "vectors=random")
		// The digest need not be right: the file is refused before it has been read.
		sum := sha256.Sum256([]byte(c.name))
		cfg.Table = hex.EncodeToString(sum[:])
		require.NoError(t, train(dir, cfg))
		r := must.Get(runs.Lookup(dir, &cfg))(t)
		path := filepath.Join(dir, ".store", cfg.Table+".safetensors.zst")
		require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o777))
		pack(t, path, c.header, c.zeros)
		got, err := taken(func() error { _, err := r.Table(); return err })
		require.True(t, runs.IsDamage(err), "%v", err)
		require.ErrorContains(t, err, c.want)
		require.ErrorContains(t, err, filepath.Base(path))
		require.Less(t, got, uint64(24<<20), c.name) // the decoder's own
	}
}

func pack(t *testing.T, path, header string, zeros int64) {
	t.Helper()
	f := must.Get(os.Create(path))(t)
	defer f.Close()
	z := must.Get(zstd.NewWriter(f, zstd.WithEncoderLevel(zstd.SpeedFastest), zstd.WithEncoderConcurrency(1)))(t)
	for len(header)%8 != 0 {
		header += " "
	}
	require.NoError(t, binary.Write(z, binary.LittleEndian, uint64(len(header))))
	_, err := io.Copy(z, io.MultiReader(strings.NewReader(header), io.LimitReader(zero{}, zeros/16))) // enough to see
	require.NoError(t, err)
	require.NoError(t, z.Close())
}

type zero struct{}

func (zero) Read(b []byte) (int, error) { clear(b); return len(b), nil }

// A reader of a run that is being written sees whole epochs only.
func TestReadWhileWriting(t *testing.T) {
	dir, remove := memory(t)
	defer remove()
	c := config(t, "epochs=60")
	var done atomic.Bool
	failed := make(chan error, 1)
	go func() {
		defer done.Store(true)
		failed <- train(dir, c)
	}()
	for !done.Load() {
		r, err := runs.Lookup(dir, &c)
		if err != nil {
			require.ErrorIs(t, err, os.ErrNotExist)
			continue
		}
		require.NotEqual(t, runs.Damaged, r.Status.State, r.Status.Message)
		metrics := must.Get(r.Metrics())(t)
		require.Len(t, metrics, r.Status.Epoch)
		entropies := must.Get(r.Entropies())(t)
		require.Len(t, entropies, 2*r.Status.Epoch)
		timing := must.Get(r.Timing())(t)
		require.Len(t, timing, r.Status.Epoch)
	}
	require.NoError(t, <-failed)
}

var writeFixture = flag.String("write-fixture", "", "write the runs of TestOldFormats into this new folder")

// TestOldFormats reads the files of earlier versions. Its folders, one for each format, never
// change: for a new format add one with -write-fixture.
func TestOldFormats(t *testing.T) {
	if dir := *writeFixture; dir != "" {
		clock = time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
		table := must.Get(runs.PutTable(dir, &runs.Table{Words: []string{"good", "bad"}, Rows: []float32{1, 2, 3, 4, 5, 6}, Dim: 2, OOV: 2}))(t)
		c := config(t, "epochs=2", "select=best")
		c.Table = table
		require.NoError(t, train(dir, c))
		c = config(t, "seed=2")
		w := must.Get(runs.Create(dir, c, environment()))(t)
		require.NoError(t, w.Diverged("loss NaN"))
		require.NoError(t, w.Close())
		stopped(t, filepath.Join(dir, "inside"), config(t, "seed=3"), 2)
	}
	folders := must.Get(filepath.Glob(filepath.Join("testdata", "format*")))(t)
	require.NotEmpty(t, folders)
	for _, dir := range folders {
		t.Run(filepath.Base(dir), func(t *testing.T) {
			r := must.Get(runs.Find(dir, "tme9-simple[seed=1]"))(t)
			require.Equal(t, "tme9-simple/f278a5f04131", r.Label())
			require.Equal(t, runs.Status{State: runs.Finished, Epoch: 2, Epochs: 2}, r.Status)
			require.Equal(t, "adam", r.Config.Setting("optimizer"))
			require.Equal(t, 80.04, r.Config.Published.TestAcc)
			require.Equal(t, runs.Part{Reviews: 100, Words: 2000}, r.Config.Data.Train)
			m := must.Get(r.Chosen())(t)
			require.Equal(t, 1, m.Epoch)
			require.Equal(t, 2.5, *m.TrainAcc)
			require.Equal(t, [5]float64{0, 1, 2, 3, 4}, *m.TestQuantiles)
			timing := must.Get(r.Timing())(t)
			require.Len(t, timing, 2)
			h := must.Get(r.Entropies())(t)
			require.Equal(t, 1, h[3].Counts[2])
			p := must.Get(r.Predictions())(t)
			require.Equal(t, []float32{0.125, 0.875}, p.Rows[1].P)
			table := must.Get(r.Table())(t)
			require.Equal(t, "bad", table.Words[1])
			e := must.Get(r.Environments())(t)[0]
			require.Equal(t, "portable", e.SIMD)
			for which, weight := range map[string]float32{runs.Last: 5.75, runs.Best: 2.5} {
				c := must.Get(r.Checkpoint(which))(t)
				require.Equal(t, []float32{weight}, c.Params[0].Data)
			}
			r = must.Get(runs.Find(dir, "tme9-simple[seed=2]"))(t)
			require.Equal(t, "diverged: loss NaN", r.Status.String())
		})
	}
}

// A run that an earlier version left inside an epoch is resumed with the same result.
func TestOldRunGoesOn(t *testing.T) {
	folders := must.Get(filepath.Glob(filepath.Join("testdata", "inside*")))(t)
	require.NotEmpty(t, folders)
	c, reference := config(t, "seed=3"), t.TempDir()
	require.NoError(t, train(reference, c))
	want := contents(t, runs.Folder(reference, &c))
	for _, from := range folders {
		dir := t.TempDir()
		require.NoError(t, os.CopyFS(dir, os.DirFS(from)))
		w, checkpoint := must.Get2(begin(dir, c))(t)
		require.Equal(t, [2]int{1, 1}, [2]int{checkpoint.Epoch, checkpoint.Step})
		require.NoError(t, w.Close())
		require.NoError(t, train(dir, c))
		got := contents(t, runs.Folder(dir, &c))
		for _, name := range []string{"metrics.jsonl", "entropy.jsonl", "predictions.tsv", "last.safetensors"} {
			require.Equal(t, want[name], got[name], "%s: %s", from, name)
		}
	}
}

// answered trains a run whose accuracy follows from its predictions: 50 % of two reviews.
func answered(t *testing.T, assignments ...string) *runs.Run {
	t.Helper()
	dir, c := t.TempDir(), config(t, append([]string{"epochs=1"}, assignments...)...)
	c.Data.Test.Reviews = 2
	w := must.Get(runs.Create(dir, c, environment()))(t)
	m := runs.Metrics{Epoch: 1, TrainLoss: new(0.25), TestAcc: new(50.0), TestEntropy: new(1.5), TestMacroF1: new(runs.MacroF1([]int{1, 0}, []int{3, 1})), TestLoss: new(0.836988216)}
	if c.General().TestsAtEnd(1) {
		require.NoError(t, w.Epoch(runs.Metrics{Epoch: 1, TrainLoss: new(0.25)}, runs.Timing{Epoch: 1}, nil, &runs.Checkpoint{Epoch: 1}, false))
		require.NoError(t, w.Tested(runs.Metrics{Epoch: 1, TestAcc: m.TestAcc, TestEntropy: m.TestEntropy, TestMacroF1: m.TestMacroF1, TestLoss: m.TestLoss}))
	} else {
		require.NoError(t, w.Epoch(m, runs.Timing{Epoch: 1}, []runs.Histogram{runs.NewHistogram(1, "test", nil)}, &runs.Checkpoint{Epoch: 1}, false))
	}
	require.NoError(t, w.Finish(&runs.Predictions{Classes: c.Classes, Rows: []runs.Prediction{
		{Review: "a", Label: 0, Predicted: 0, Words: 2, Entropy: float32(math.NaN()), P: []float32{0.75, 0.25}},
		{Review: "b", Label: 1, Predicted: 0, Words: 2, Entropy: float32(math.NaN()), P: []float32{0.75, 0.25}},
	}}))
	require.NoError(t, w.Close())
	return must.Get(runs.Lookup(dir, &c))(t)
}

// With test=last every metric of the test set comes from test.json: none is copied by name.
func TestTestedHasEveryMetric(t *testing.T) {
	m := must.Get(answered(t, "test=last").Chosen())(t)
	require.Equal(t, runs.Metrics{Epoch: 1, TrainLoss: new(0.25), TestAcc: new(50.0), TestEntropy: new(1.5), TestMacroF1: new(runs.MacroF1([]int{1, 0}, []int{3, 1})), TestLoss: new(0.836988216)}, m)
}

// Damage that is still JSON, or still a table, is damage: no changed number is a result.
func TestChangedResults(t *testing.T) {
	for _, c := range []struct{ set, file, from, to, want string }{
		{"test=each", "metrics.jsonl", `"test_acc":50`, `"test_acc":60`, "metrics.jsonl is damaged: test_acc of epoch 1 is 60, but predictions.tsv gives 50"},
		{"test=last", "test.json", `"test_acc":50`, `"test_acc":51`, "test.json is damaged: test_acc of epoch 1 is 51"},
		{"test=each", "predictions.tsv", "b\tpos\tneg", "b\tpos\tpos", "test_acc of epoch 1 is 50, but predictions.tsv gives 100"},
		{"test=each", "metrics.jsonl", `"test_acc"`, `"test_acd"`, `unknown field "test_acd"`},
		{"test=each", "metrics.jsonl", `"test_acc"`, `"Test_acc"`, "misspelt"},
		{"test=each", "metrics.jsonl", `"test_macro_f1"`, `"test_micro_f1"`, `unknown field "test_micro_f1"`},
		{"test=each", "metrics.jsonl", `"valid_acc"`, `"valid_los"`, `unknown field "valid_los"`},
		{"test=each", "metrics.jsonl", `"valid_acc"`, `"train_acc"`, "a field is missing"},
		{"test=each", "metrics.jsonl", `0.25`, `25e-`, "metrics.jsonl:1 is damaged: "},
		{"test=each", "metrics.jsonl", `50,`, `5e1`, "metrics.jsonl:1 is damaged: "},
		{"test=last", "test.json", `"test_acc"`, `"test_acd"`, `unknown field "test_acd"`},
		{"test=each", "entropy.jsonl", `"counts"`, `"countz"`, `unknown field "countz"`},
		{"test=each", "environment.json", `"simd"`, `"sind"`, `unknown field "sind"`},
	} {
		t.Run(c.file+" "+c.to, func(t *testing.T) {
			r := answered(t, c.set)
			rewrite(t, filepath.Join(r.Path, c.file), func(b []byte) []byte {
				require.Contains(t, string(b), c.from)
				return bytes.Replace(b, []byte(c.from), []byte(c.to), 1)
			})
			r = must.Get(runs.Open(r.Path))(t)
			all := r.Check()
			require.Len(t, all, 1)
			require.ErrorContains(t, all[0], c.want)
			if c.file == "entropy.jsonl" || c.file == "environment.json" {
				return
			}
			require.True(t, runs.IsDamage(all[0]))
			require.ErrorContains(t, must.Fail(r.Chosen()), c.want)
			require.Error(t, must.Fail(r.Citation()))
		})
	}
}

func TestTranslationsText(t *testing.T) {
	var b bytes.Buffer
	require.NoError(t, runs.Translations{
		{Pair: "test/0001", Source: "the red carpet", Reference: "le tapis rouge", Greedy: "le tapis", GreedyScore: -0.5, Beam: "le tapis rouge", BeamScore: -0.25},
		{Pair: "test/0002", Source: "\t\\", Reference: `"`, GreedyScore: -1e-9},
	}.Write(&b))
	require.Equal(t, "pair\tsource\treference\tgreedy\tgreedy_score\tbeam\tbeam_score\n"+
		"test/0001\tthe red carpet\tle tapis rouge\tle tapis\t-0.5\tle tapis rouge\t-0.25\n"+
		"test/0002\t\\t\\\\\t\"\t\t-1e-09\t\t0\n", b.String())
}

func TestTranslationsErrors(t *testing.T) {
	const header = "pair\tsource\treference\tgreedy\tgreedy_score\tbeam\tbeam_score\n"
	for _, c := range []struct{ text, want string }{
		{"", "t.tsv is empty"},
		{"pair\tsource\n", "t.tsv:1: the header must be pair, source"},
		{header + "a\tb\tc\td\t-1\te\n", "t.tsv:2: 6 columns, the header has 7"},
		{header + "a\tb\tc\td\tx\te\t-1\n", `t.tsv:2: greedy_score "x": want a number`},
		{header + "a\tb\tc\td\t-1\te\tNaN\n", `beam_score "NaN": want a number`},
		{header + "a\tb\tc\td\t-1\te\t-1", "cut off"},
	} {
		require.ErrorContains(t, must.Fail(runs.ParseTranslations("t.tsv", []byte(c.text))), c.want)
	}
}

func FuzzTranslations(f *testing.F) {
	f.Add([]byte("pair\tsource\treference\tgreedy\tgreedy_score\tbeam\tbeam_score\na\tb\tc\td\t-1\te\t-0.5\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		list, err := runs.ParseTranslations("t.tsv", b)
		if err != nil {
			return
		}
		var once bytes.Buffer
		require.NoError(t, list.Write(&once))
		back := must.Get(runs.ParseTranslations("t.tsv", once.Bytes()))(t)
		require.Equal(t, list, back)
	})
}

// translator makes a run that has translations instead of predictions.
func translator(t *testing.T, dir string) *runs.Run {
	t.Helper()
	c := config(t, "epochs=1", "test=last")
	c.Data.Kind, c.Classes = runs.PairsKind, nil
	c.Table = must.Get(runs.PutVocabularies(dir, &vocabularies))(t)
	w := must.Get(runs.Create(dir, c, environment()))(t)
	defer w.Close()
	require.NoError(t, w.Epoch(runs.Metrics{Epoch: 1}, runs.Timing{Epoch: 1}, nil, &runs.Checkpoint{Epoch: 1}, false))
	require.NoError(t, w.Tested(runs.Metrics{Epoch: 1, TestAcc: new(99.0), TestExact: new(50.0), TestBLEU: new(75.0)}))
	require.NoError(t, w.Finish(runs.Translations{{Pair: "test/0001", Greedy: "le tapis"}}))
	return must.Get(runs.Lookup(dir, &c))(t)
}

var vocabularies = runs.Vocabularies{
	Source: []string{"the", "carpet"},
	Target: []string{"le", "tapis", "l'", "été"},
}

func TestTranslationRun(t *testing.T) {
	dir := t.TempDir()
	r := translator(t, dir)
	require.Equal(t, runs.Pairs, r.Config.Task())
	list := must.Get(r.Translations())(t)
	require.Equal(t, "le tapis", list[0].Greedy)
	require.ErrorIs(t, must.Fail(r.Predictions()), fs.ErrNotExist)
	m := must.Get(r.Chosen())(t)
	require.Equal(t, []float64{50, 75}, []float64{*m.TestExact, *m.TestBLEU})
	v := must.Get(r.Vocabularies())(t)
	require.Equal(t, &vocabularies, v)
	require.ErrorContains(t, must.Fail(r.Table()), "keeps no word vectors")

	left := must.Get(r.Remove())(t)
	require.Empty(t, left)
}

func TestVocabulariesErrors(t *testing.T) {
	dir := t.TempDir()
	require.ErrorContains(t, must.Fail(runs.PutVocabularies(dir, &runs.Vocabularies{Source: []string{"the"}})), "vocabularies of 1 and 0 words")

	r := translator(t, dir)
	path := filepath.Join(dir, ".store", r.Config.Table+".safetensors.zst")
	require.NoError(t, os.WriteFile(path, []byte("x"), 0o644))
	_, err := r.Vocabularies()
	var damaged *runs.DamagedError
	require.ErrorAs(t, err, &damaged)

	c := config(t, "epochs=1")
	require.NoError(t, train(dir, c))
	reviews := must.Get(runs.Lookup(dir, &c))(t)
	require.ErrorContains(t, must.Fail(reviews.Vocabularies()), "keeps no vocabularies of two languages")
}
