package main

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/attend"
	"imdbexp/cmd/exp/internal/predict"
	"imdbexp/internal/infer"
	"imdbexp/internal/safetensors"
	"imdbexp/internal/term"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// documented returns, for each section of docs/formats.md, what stands in the first
// column of its tables.
func documented(t *testing.T) map[string][]string {
	t.Helper()
	text := must.Get(os.ReadFile("../../docs/formats.md"))(t)
	row := regexp.MustCompile("^\\| `([^`]+)` \\|")
	out, section := map[string][]string{}, ""
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "## "); ok {
			section = strings.TrimSpace(name)
		}
		if m := row.FindStringSubmatch(line); m != nil {
			out[section] = append(out[section], m[1])
		}
	}
	return out
}

// tags returns the names of a struct's fields in files.
func tags(v any, key string) []string {
	var out []string
	t := reflect.TypeOf(v)
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get(key), ",")
		out = append(out, name)
	}
	return out
}

// Every field that the program knows is documented, and none that it does not
// know.
func TestFormatsAreDocumented(t *testing.T) {
	docs := documented(t)
	for section, want := range map[string][]string{
		"config.yaml":               tags(runs.Config{}, "yaml"),
		"entropy.jsonl":             tags(runs.Histogram{}, "json"),
		"timing.jsonl":              tags(runs.Timing{}, "json"),
		"environment.json":          tags(runs.Environment{}, "json"),
		"Attention of a split":      tags(attend.Line{}, "json"),
		"Translations of any texts": tags(predict.TranslationLine{}, "json"),
	} {
		require.ElementsMatch(t, want, docs[section], section)
	}
	text := must.Get(os.ReadFile("../../docs/formats.md"))(t)
	// pandas reads a class called NA or null as missing unless told otherwise.
	for _, block := range strings.Split(string(text), "```") {
		require.Equal(t, strings.Count(block, "pd.read_csv("), strings.Count(block, ", keep_default_na=False"), block)
	}
	for _, nested := range [][]string{tags(runs.DataFacts{}, "yaml"), tags(runs.Part{}, "yaml"), tags(runs.Published{}, "yaml"), tags(runs.HeadEntropy{}, "json")} {
		for _, name := range nested {
			require.Contains(t, string(text), "`"+name+"`")
		}
	}
}

// The table of the metrics in docs/formats.md is made from the tags of runs.Metrics; -update
// writes it.
func TestMetricsAreDocumented(t *testing.T) {
	const file, head = "../../docs/formats.md", "\n## metrics.jsonl\n"
	text := must.Get(os.ReadFile(file))(t)
	before, after, found := strings.Cut(string(text), head)
	require.True(t, found)
	intro, rest, _ := strings.Cut(after, "| --- | --- |\n")
	_, rest, _ = strings.Cut(rest, "\n\n")
	var table strings.Builder
	for f := range reflect.TypeFor[runs.Metrics]().Fields() {
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		table.WriteString(strings.ReplaceAll("| `"+name+"` | "+f.Tag.Get("doc")+" |\n", "|  |", "| |"))
	}
	want := before + head + intro + "| --- | --- |\n" + table.String() + "\n" + rest
	if *updateLessons {
		require.NoError(t, os.WriteFile(file, []byte(want), 0o666))
		return
	}
	require.Equal(t, want, string(text), "go test ./cmd/exp -run Metrics -update writes the table")
}

// What runs and exports write is what the document says.
func TestFormatsAreWritten(t *testing.T) {
	docs := documented(t)
	dir := t.TempDir()
	t.Setenv("EXP_DATA", filepath.Join(dir, "data"))
	t.Chdir(dir)
	try := func(args ...string) string {
		t.Helper()
		var out, errs strings.Builder
		require.Zero(t, execute(t.Context(), term.New(&out, &errs, 0, false), args), errs.String())
		return out.String()
	}
	try("run", "tme9-simple", "epochs=1", "data.limit=20", "vectors=random", "select=best")
	try("run", "tme9-simple", "epochs=1", "data.limit=20", "vectors=random", "optimizer=sgd", "momentum=0.9")
	r := must.Get(runs.Find("runs", "tme9-simple[optimizer=adam]"))(t)

	b := must.Get(os.ReadFile(filepath.Join(r.Path, "predictions.tsv")))(t)
	header, _, _ := strings.Cut(string(b), "\n")
	header = strings.ReplaceAll(header, "p:neg\tp:pos", "p:CLASS")
	require.Equal(t, docs["predictions.tsv"], strings.Split(header, "\t"))

	var environment map[string]json.RawMessage
	b = must.Get(os.ReadFile(filepath.Join(r.Path, "environment.json")))(t)
	require.NoError(t, json.Unmarshal(b, &environment))
	require.ElementsMatch(t, []string{"format", "sessions"}, slices.Collect(maps.Keys(environment)))

	last := readTensors(t, filepath.Join(r.Path, "last.safetensors"))
	for key := range last.Metadata {
		require.Contains(t, docs["Checkpoints"], key)
	}
	for _, x := range last.Tensors {
		group, _, _ := strings.Cut(x.Name, "/")
		require.Contains(t, docs["Checkpoints"], group+"/NAME")
	}
	require.FileExists(t, filepath.Join(r.Path, "best.safetensors"))
	require.FileExists(t, filepath.Join("runs", ".store", r.Config.Table+".safetensors.zst"))

	try("export", r.Path, "--out", "model"+infer.ExportSuffix)
	whole := readTensors(t, "model"+infer.ExportSuffix)
	section := docs["An exported model"]
	for key := range whole.Metadata {
		require.Contains(t, section, key)
	}
	var tensors []string
	for _, x := range whole.Tensors {
		tensors = append(tensors, x.Name)
	}
	require.ElementsMatch(t, []string{"vectors", "vocabulary", "q", "out.W", "out.b"}, tensors)
	require.Len(t, section, len(whole.Metadata)+len([]string{"vectors", "vocabulary", "NAME"}))

	trained := must.Get(infer.ReadFile("model" + infer.ExportSuffix))(t)
	graph := must.Get(trained.ONNX())(t)
	var names []string
	for _, v := range slices.Concat(graph.Graph.Inputs, graph.Graph.Outputs) {
		names = append(names, v.Name)
	}
	for _, e := range graph.Metadata {
		if !slices.Contains(section, e.Key) || e.Key == "vocabulary" {
			names = append(names, e.Key)
		}
	}
	require.ElementsMatch(t, docs["An exported graph"], names)

	var line map[string]json.RawMessage
	first, _, _ := strings.Cut(try("predict", r.Path, "data=sample", "--limit", "1", "--out-format", "jsonl"), "\n")
	require.NoError(t, json.Unmarshal([]byte(first), &line))
	require.ElementsMatch(t, docs["Predictions of any texts"], slices.Collect(maps.Keys(line)))

	header, _, _ = strings.Cut(try("report", "--format", "csv", "--smooth", "0.6", "--against", "tme9-simple[data.limit=20,vectors=random,epochs=1,select=best]"), "\n")
	header = regexp.MustCompile(`setting\.[^,]*`).ReplaceAllString(header, "setting.KEY")
	require.Equal(t, docs["The report's CSV"], slices.Compact(strings.Split(header, ",")))

	header, _, _ = strings.Cut(try("report", "--leaderboard", "--format", "csv"), "\n")
	require.Equal(t, docs["The leaderboard's CSV"], strings.Split(header, ","))
}

func readTensors(t *testing.T, path string) *safetensors.File {
	t.Helper()
	b := must.Get(os.ReadFile(path))(t)
	return must.Get(safetensors.Parse(b))(t)
}
