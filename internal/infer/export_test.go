package infer_test

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/infer"
	"imdbexp/internal/safetensors"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testmodel"
	"imdbexp/runs"
)

// export writes the model of a run into a file.
func export(t *testing.T, run *runs.Run) (path string) {
	t.Helper()
	trained := must.Get(infer.ReadRun(run))(t)
	var b bytes.Buffer
	require.NoError(t, trained.Write(&b))
	path = filepath.Join(t.TempDir(), "model"+infer.ExportSuffix)
	require.NoError(t, os.WriteFile(path, b.Bytes(), 0o666))
	return path
}

// TestExportedFileIsTheModel rebuilds models from nothing but their files: every
// number they give is that of the run, to the bit.
func TestExportedFileIsTheModel(t *testing.T) {
	texts := []string{"the film is good , the plot is not", "", "xyzzy", strings.Repeat("a dull story . ", 20)}
	for _, c := range []struct{ name, settings string }{
		{"tme9-mean", "vectors.train=true lr=0.1"},
		{"ngram-mean", ""},
		{"best", "wide.folds=2 members=2"},
		{"tme9-simple", "oov=learned lr=0.1"},
		{"tme9-values", "variant=original"},
		{"tme9-bilstm", "select=best tokens=whitespace data.max_len=12"},
		{"tme10-cls-pe", "layers=1 positions=learned"}, // with running statistics
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			run, pool := train(t, c.name, append(strings.Fields(c.settings), "epochs=1", "data.limit=20")...)
			want := must.Get(infer.Open(run, pool))(t)
			defer want.Close()
			path := export(t, run)
			require.NoError(t, os.RemoveAll(run.Path))
			got := must.Get(must.Get(infer.ReadFile(path))(t).Model(pool))(t)
			defer got.Close()
			require.Equal(t, want.Classes, got.Classes)
			for _, text := range texts {
				p := must.Get(want.View(text, infer.Selection{}))(t)
				q := must.Get(got.View(text, infer.Selection{}))(t)
				if p.Batch, q.Batch = nil, nil; p.Mean != p.Mean { // a model without attention
					p.Mean, q.Mean = 0, 0
				}
				require.Equal(t, p, q)
			}
		})
	}
}

// A file describes its content: read back it is the same, and written again it has the same
// bytes.
func TestExportedFileKeepsEverything(t *testing.T) {
	run, _ := train(t, "tme9-simple", "epochs=1", "data.limit=20", "select=best")
	trained := must.Get(infer.ReadRun(run))(t)
	path := export(t, run)
	back := must.Get(infer.ReadFile(path))(t)
	require.Equal(t, trained, back)
	require.Equal(t, run.Config, back.Config)
	chosen := must.Get(run.Chosen())(t)
	require.Equal(t, chosen, *back.Metrics)
	var again bytes.Buffer
	require.NoError(t, back.Write(&again))
	require.Equal(t, must.Get(os.ReadFile(path))(t), again.Bytes())
}

func TestReadFileRefuses(t *testing.T) {
	run, _ := train(t, "tme9-mean", "epochs=1", "data.limit=20")
	path := export(t, run)
	whole := must.Get(os.ReadFile(path))(t)
	changed := func(change func(f *safetensors.File)) []byte {
		f := must.Get(safetensors.Parse(whole))(t)
		change(f)
		var b bytes.Buffer
		require.NoError(t, safetensors.Write(&b, f))
		return b.Bytes()
	}
	set := func(key, value string) []byte {
		return changed(func(f *safetensors.File) { f.Metadata[key] = value })
	}
	flipped := bytes.Clone(whole)
	flipped[len(flipped)-100] ^= 1
	for _, c := range []struct {
		name string
		b    []byte
		want string
	}{
		{"a checkpoint", set("kind", ""), "exp export writes those"},
		{"no format", set("format", "x"), `format "x"`},
		{"a newer one", set("format", "2"), "update the program"},
		{"cut off", whole[:len(whole)-1], "cut off"},
		{"one bit", flipped, "checksum"},
		{"another tokeniser", set("text", `{"tokenizer":"ptb","version":99}`), "version 99 of the tokeniser ptb"},
		{"no settings", set("config", "{}"), "config"},
		{"an unknown setting", set("metrics", "["), "metrics"},
		{"no vectors", changed(func(f *safetensors.File) { f.Tensors = f.Tensors[:1] }), "checksum"},
	} {
		t.Run(c.name, func(t *testing.T) {
			bad := filepath.Join(t.TempDir(), "bad.safetensors")
			require.NoError(t, os.WriteFile(bad, c.b, 0o666))
			_, err := infer.ReadFile(bad)
			require.ErrorContains(t, err, c.want)
			require.ErrorContains(t, err, bad)
		})
	}
	require.ErrorIs(t, must.Fail(infer.ReadFile(filepath.Join(t.TempDir(), "none"))), os.ErrNotExist)
}

func TestConfigJSON(t *testing.T) {
	run, _ := train(t, "tme9-mean", "epochs=1", "data.limit=20")
	rapid.Check(t, func(t *rapid.T) {
		c := run.Config
		// Names of classes and rows have no white space at their ends. YAML's library writes a text that begins with a tab
		// and has a line break in a form that it cannot read.
		text := rapid.StringN(1, 8, -1).Filter(func(s string) bool { return s == strings.TrimSpace(s) })
		c.Classes = rapid.SliceOfNDistinct(text, 1, 3, rapid.ID).Draw(t, "classes")
		c.Settings = runs.Values{
			{Key: "seed", Value: rapid.StringMatching(`[0-9]{1,20}`).Draw(t, "seed")}, {Key: "lr", Value: "1e-05"}, {Key: "data", Value: text.Draw(t, "data")},
		}
		c.Published = &runs.Published{Row: text.Draw(t, "row"), TestAcc: rapid.Float64Range(0, 100).Draw(t, "accuracy"), Source: "x"}
		b := must.Get(infer.ConfigJSON(&c))(t)
		back, err := runs.ParseConfig("config", []byte(b))
		require.NoError(t, err, b)
		require.Equal(t, &c, back, b)
	})
}

func FuzzParseFile(f *testing.F) {
	f.Add([]byte(`{}      `))
	var b bytes.Buffer
	require.NoError(f, safetensors.Write(&b, &safetensors.File{
		Metadata: map[string]string{"kind": "imdbexp.model", "format": "1", "config": "{}", "text": "{}", "metrics": "null", "epoch": "1"},
		Tensors: []safetensors.Tensor{
			{Name: "vocabulary", Shape: []int{2}, Data: []byte("\na")},
			{Name: "vectors", Shape: []int{2, 1}, Data: []float32{1, 2}},
		},
	}))
	f.Add(b.Bytes())
	f.Fuzz(func(t *testing.T, b []byte) {
		trained, err := infer.ParseFile(b)
		if err == nil {
			require.Len(t, trained.Table.Rows, len(trained.Table.Words)*trained.Table.Dim)
		}
	})
}

// Weights that are no numbers are an error that names them, not probabilities.
func TestWeightsAreFinite(t *testing.T) {
	run, _ := train(t, "tme9-simple", "epochs=1", "data.limit=10", "vectors=random")
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(-1))} {
		trained := must.Get(infer.ReadRun(run))(t)
		w := trained.Weights[0].Data.([]float32)
		w[len(w)-1] = bad
		var b bytes.Buffer
		require.NoError(t, trained.Write(&b))
		_, err := infer.ParseFile(b.Bytes())
		require.ErrorContains(t, err, fmt.Sprintf("value %d of %s after epoch 1 is %v: weights that are not finite", len(w)-1, trained.Weights[0].Name, bad))
	}
}

// The words that are kept, and those of the texts, give the same predictions; the others are
// unknown.
func TestCut(t *testing.T) {
	run, pool := testmodel.Train(t, "tme9-simple")
	whole := must.Get(infer.ReadRun(run))(t)
	cut := must.Get(infer.ReadRun(run))(t)
	words := whole.Table.Words
	rare, lost := words[len(words)-1], words[len(words)-2]
	require.NoError(t, cut.CutWords(5, "the "+rare))
	require.Len(t, cut.Table.Words, 7)
	require.Equal(t, rare, cut.Table.Words[6])
	require.NoError(t, whole.CutWords(0))
	require.NoError(t, whole.CutWords(len(words)-1))
	require.Len(t, whole.Table.Words, len(words))

	a := must.Get(whole.Model(pool))(t)
	defer a.Close()
	b := must.Get(cut.Model(pool))(t)
	defer b.Close()
	text := words[1] + " " + rare + " " + words[5] + " zzzz"
	want := must.Get(a.View(text, infer.Selection{}))(t)
	got := must.Get(b.View(text, infer.Selection{}))(t)
	require.Equal(t, want.P, got.P)
	require.Equal(t, want.Words, got.Words)
	require.Equal(t, want.Known, got.Known)
	require.Equal(t, want.Attended, got.Attended)
	got = must.Get(b.View(lost, infer.Selection{}))(t)
	require.Equal(t, []bool{false}, got.Known)
}

// A model and its words that were taken apart are the same when they are joined.
func TestSplitTable(t *testing.T) {
	run, _ := testmodel.Train(t, "tme9-simple", "oov=learned")
	trained := must.Get(infer.ReadRun(run))(t)
	model, table := must.Get2(trained.SplitTable())(t)
	require.Len(t, model.Table.Words, 1)
	require.NoError(t, model.JoinTable(table))
	require.Equal(t, trained.Table, model.Table)
	require.ErrorContains(t, model.JoinTable(table), "does not fit")
	require.Error(t, model.JoinTable(table[:40]))
}

// A model with some of its n-grams predicts the same bits of a text that has no others; also as a page
// has it.
func TestCutNgrams(t *testing.T) {
	const known = "the jokes are never hilarious , and the plot is a mess"
	for name, settings := range map[string][]string{
		"nbsvm": {"data.limit=200"}, "bow-lr": {"data.limit=200"},
		"best": {"data.limit=100", "epochs=1", "vectors=random", "vectors.dim=8", "lstm.hidden=4", "wide.folds=2", "average=0"},
	} {
		t.Run(name, func(t *testing.T) {
			run, pool := trainWith(t, name, settings)
			full := must.Get(infer.Open(run, pool))(t)
			defer full.Close()
			trained := must.Get(infer.ReadRun(run))(t)
			kept, of := must.Get2(trained.CutNgrams(40, known))(t)
			require.Greater(t, of, 4*kept)
			model, words := must.Get2(trained.SplitTable())(t)
			var b bytes.Buffer
			require.NoError(t, model.Write(&b))
			back := must.Get(infer.ParseFile(b.Bytes()))(t)
			require.NoError(t, back.JoinTable(words))
			cut := must.Get(back.Model(pool))(t)
			defer cut.Close()
			for _, text := range []string{known, "", "xyzzy"} { // texts with kept n-grams alone
				want := must.Get(full.View(text, infer.Selection{}))(t)
				got := must.Get(cut.View(text, infer.Selection{}))(t)
				require.Equal(t, want.P, got.P, text)
			}
		})
	}
}
