package main

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"imdbexp/cmd/exp/internal/show"
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
	"imdbexp/internal/testkit/must"
	"imdbexp/models"
	"imdbexp/runs"
)

// hubFields are those that the hub documents for model cards, with the required ones of a result.
type hubFields struct {
	Language []string `yaml:"language"`
	License  string   `yaml:"license"`
	Library  string   `yaml:"library_name"`
	Pipeline string   `yaml:"pipeline_tag"`
	Tags     []string `yaml:"tags"`
	Datasets []string `yaml:"datasets"`
	Metrics  []string `yaml:"metrics"`
	Index    []struct {
		Name    string `yaml:"name"`
		Results []struct {
			Task    struct{ Type, Name string }
			Dataset struct{ Type, Name, Split string }
			Metrics []struct {
				Type, Name string
				Value      *float64
			}
		} `yaml:"results"`
	} `yaml:"model-index"`
}

// The card of each task has the hub's fields and the run's numbers, and claims nothing about data
// that exp does not know.
func TestCards(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("EXP_DATA", must.Get(filepath.Abs("data"))(t))
	own := "text,label\n"
	for i := range 20 {
		own += fmt.Sprintf("fine day %d,go`od\nbad day %[1]d,bad\n", i)
	}
	require.NoError(t, os.WriteFile("own.csv", []byte(own), 0o666))
	try := func(words ...string) string {
		var out, errs bytes.Buffer
		require.Zero(t, execute(t.Context(), term.New(&out, &errs, 0, false), words), errs.String())
		return out.String()
	}
	try("data", "add", "own.csv", "--name", "mine")
	for _, c := range []struct {
		run      []string
		pipeline string
		metrics  []string
		language []string
		has      string
	}{
		{[]string{"tme9-simple", "data.limit=20", "epochs=1"}, "text-classification", []string{"accuracy"}, []string{"en"}, "exp run tme9-simple data=sample data.limit=20 epochs=1\n"},
		{[]string{"nbsvm", "data=mine", "test=never"}, "text-classification", nil, nil, "classes: `bad, go'od`\n"},
		{[]string{"seq2seq-luong", "data.limit=8", "epochs=1", "embedding=4", "hidden=4"}, "translation", []string{"exact_match", "bleu", "accuracy"}, []string{"en", "fr"}, `"target.words"`},
		{[]string{"lm-lstm", "data.limit=100", "epochs=1"}, "text-generation", []string{"accuracy"}, []string{"en"}, "init=lm-lstm/"},
	} {
		name := c.run[0]
		try(append([]string{"run"}, c.run...)...)
		try("export", "@last", "--card")
		found := must.Get(filepath.Glob(name + "*/README.md"))(t)
		require.Len(t, found, 1)
		text := string(must.Get(os.ReadFile(found[0]))(t))
		_, rest, _ := strings.Cut(text, "---\n")
		head, body, ok := strings.Cut(rest, "\n---\n")
		require.True(t, ok)
		var got hubFields
		dec := yaml.NewDecoder(strings.NewReader(head))
		dec.KnownFields(true)
		require.NoError(t, dec.Decode(&got), name)
		assert.Equal(t, "unknown", got.License)
		assert.Equal(t, c.pipeline, got.Pipeline)
		assert.Equal(t, c.language, got.Language)
		assert.Equal(t, c.metrics, got.Metrics)
		assert.Contains(t, got.Tags, name)
		assert.Empty(t, got.Datasets, "none of these is on the hub")
		assert.Equal(t, c.metrics == nil, got.Index == nil, "no results without a test")
		for _, m := range got.Index {
			r := m.Results[0]
			assert.Equal(t, c.pipeline, r.Task.Type)
			assert.NotEmpty(t, r.Dataset.Type)
			assert.NotEmpty(t, r.Dataset.Name)
			assert.Equal(t, "test", r.Dataset.Split)
			for _, s := range r.Metrics {
				assert.NotNil(t, s.Value)
				assert.True(t, s.Type == "loss" || slices.Contains(c.metrics, s.Type), s.Type)
				assert.Contains(t, s.Name, "seed 1")
			}
		}
		assert.Contains(t, body, c.has)
		assert.Contains(t, body, "\n`imdbexp:"+name+"/")
		assert.Equal(t, name == "nbsvm", strings.Contains(body, "*Say where the texts come from"), name)
		assert.Equal(t, c.pipeline == "translation", strings.Contains(body, "texts.txt     # a sentence a line"), name)
		assert.NotContains(t, body, "<no value>")
	}
	// A user's note and an unknown version are none of its limits.
	try("run", "tme9-mean", "data=mine", "vectors=random", "epochs=2", "seed=1..3", "test=last")
	try("runs", "note", "tme9-mean", "to do")
	try("export", "tme9-mean[data=mine,vectors=random,epochs=2,seed=2]", "--card", "--out", "seeds")
	text := string(must.Get(os.ReadFile("seeds/README.md"))(t))
	assert.Contains(t, text, "name: test macro-F1 (%), seed 2\n")
	assert.Contains(t, text, "\n# language: ")
	_, again, _ := strings.Cut(text, "\nexp reproduce ")
	again, _, _ = strings.Cut(again, "\n")
	assert.Contains(t, try(append([]string{"reproduce", "--runs", "elsewhere"}, strings.Fields(again)...)...), "same bits")
	assert.NotContains(t, text, "to do")
	assert.NotContains(t, text, "(devel)")
	assert.Regexp(t, `\n- It knows [\d ]+ different words; it cannot distinguish others\.\n`, text)

	try("export", "tme9-mean[data=mine,vectors=random,epochs=2,seed=2]", "--card", "--onnx", "--out", "graph")
	graph := string(must.Get(os.ReadFile("graph/README.md"))(t))
	assert.NotContains(t, graph, "exp predict", "which reads no graph")
	assert.Contains(t, graph, "onnxruntime")
	var out bytes.Buffer
	require.NotZero(t, execute(t.Context(), term.New(&out, &out, 0, false), []string{"export", "nbsvm[data=mine,test=never]", "--card", "--onnx", "--out", "none"}))
	assert.Contains(t, out.String(), "has no graph")
	assert.NoDirExists(t, "none")

	translator := must.Get(filepath.Glob("seq2seq-luong*/model.safetensors"))(t)[0]
	assert.Contains(t, try("attend", translator, "the red carpet"), "attention to the source")
}

// drawnRun is a run as far as its drawing needs it.
func drawnRun(t *testing.T, name, model, id string, put ...string) *runs.Run {
	t.Helper()
	info := must.Get(models.Lookup(model))(t)
	set := must.Get(settings.New(&settings.Run{}, info.New()))(t)
	require.NoError(t, set.Apply("test", put...))
	c := runs.NewConfig(name, model, 1, set, nil)
	c.ID = id
	return &runs.Run{Config: c}
}

func TestDrawings(t *testing.T) {
	list := []*runs.Run{
		drawnRun(t, "tme9-mean", "mean", "0", "variant=original"),
		drawnRun(t, "tme9-mean", "mean", "1"),
		drawnRun(t, "tme9-mean", "mean", "2", "seed=2"),
		drawnRun(t, "tme9-values", "values", "5"),
		drawnRun(t, "tme9-entropy", "values", "6", "lambda=0.064"),
		drawnRun(t, "tme9-lstm", "lstm", "7"),
		drawnRun(t, "tme9-lstm", "lstm", "8", "value.activation=relu"),
		{Config: runs.Config{Name: "gone", Model: "gone"}},
	}
	const wanted = "Section 1.5: the attention wanted, neither uniform nor on one word"
	got := show.Drawings(list)
	require.Equal(t, []string{
		"A query for each review and learned values (tme9-entropy)",
		"Attention over the states of an LSTM (tme9-lstm)",
		"Attention over the states of an LSTM (tme9-lstm, run 8)",
		"Figure 1: Uniform mean of the word vectors (tme9-mean)",
		"Figure 6: A query for each review and learned values (tme9-values)",
		wanted,
	}, slices.Sorted(maps.Keys(got)))
	for title, d := range got {
		require.True(t, strings.HasPrefix(d.SVG, "<svg ") && strings.HasSuffix(d.SVG, "</svg>\n"), title)
		require.Equal(t, title != wanted, d.Watch != "", "what to look for in %s", title)
	}
	require.Empty(t, show.Drawings(nil))
}
