package main

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/attend"
	"imdbexp/internal/infer"
	"imdbexp/internal/safetensors"
	"imdbexp/internal/term"
	"imdbexp/internal/testkit/fixture"
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
		"config.yaml":          tags(runs.Config{}, "yaml"),
		"entropy.jsonl":        tags(runs.Histogram{}, "json"),
		"timing.jsonl":         tags(runs.Timing{}, "json"),
		"environment.json":     tags(runs.Environment{}, "json"),
		"Attention of a split": tags(attend.Line{}, "json"),
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
	for key := range graph.Metadata {
		if !slices.Contains(section, key) || key == "vocabulary" {
			names = append(names, key)
		}
	}
	require.ElementsMatch(t, docs["An exported graph"], names)

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

// docBlocks returns the code blocks of a document in a language, which may be none.
func docBlocks(t *testing.T, file, language string) []string {
	t.Helper()
	text := must.Get(os.ReadFile(file))(t)
	var out []string
	inside, name := false, ""
	for line := range strings.Lines(string(text)) {
		switch after, fence := strings.CutPrefix(strings.TrimSpace(line), "```"); {
		case fence && inside:
			inside = false
		case fence:
			inside, name = true, after
			if name == language {
				out = append(out, "")
			}
		case inside && name == language:
			out[len(out)-1] += line
		}
	}
	return out
}

// ownFiles makes the files that docs/data.md speaks of, beside reviews.csv.
func ownFiles(t *testing.T) {
	t.Helper()
	var csv, tsv, jsonl, labelled, old, good, bad, vectors strings.Builder
	csv.WriteString("text,label\n")
	tsv.WriteString("sentence\tclass\n")
	old.WriteString("id,words,verdict,date\n")
	type review struct {
		Text  string `parquet:"text,plain"`
		Label int64  `parquet:"label,dict"`
	}
	var rows []review
	for i := range 10 {
		text, label := fmt.Sprintf("Film %d of the year, caf\u00e9 included", i), []string{"neg", "pos"}[i%2]
		fmt.Fprintf(&csv, "\"%s\",%s\n", text, label)
		fmt.Fprintf(&tsv, "%s\t%s\n", text, label)
		fmt.Fprintf(&jsonl, "{\"text\":%q,\"label\":%d}\n", text, i%2)
		fmt.Fprintf(&labelled, "__label__%s %s\n", label, text)
		fmt.Fprintf(&old, "%d,\"Café %d\",%s,today\n", i, i, label)
		rows = append(rows, review{text, int64(i % 2)})
		if i%2 == 1 {
			fmt.Fprintln(&good, text)
		} else {
			fmt.Fprintln(&bad, text)
		}
		folder := filepath.Join("reviews", []string{"test", "train"}[i/2%2], label)
		require.NoError(t, os.MkdirAll(folder, 0o777))
		require.NoError(t, os.WriteFile(filepath.Join(folder, fmt.Sprint(i)), []byte(text), 0o666))
	}
	for i, w := range strings.Fields("the good bad film a of and it is not") {
		vectors.WriteString(w)
		for d := range 50 {
			fmt.Fprintf(&vectors, " 0.%d", (i*d+7*i)%10)
		}
		vectors.WriteByte('\n')
	}
	write := func(name, text string) {
		require.NoError(t, os.MkdirAll(filepath.Dir(name), 0o777))
		require.NoError(t, os.WriteFile(name, []byte(text), 0o666))
	}
	var parted [3]string
	for i := range parted {
		parted[i] = string(fixture.Parquet(t, 5, rows[5*(i%2):5*(i%2)+5], parquet.Compression(&parquet.Snappy), fixture.Classes([]string{`"neg","pos"`, `"neg","pos"`, `"1","2"`}[i])))
	}
	var glue, two, three strings.Builder // as GLUE, Yelp and Amazon polarity
	for i := range 6 {
		fmt.Fprintf(&glue, "a %d \" film \" \t%d\n", i, i%2)
		fmt.Fprintf(&two, "\"%d\",\"Place %d.\\n\"\"Good\"\"\"\n", 1+i%2, i)
		fmt.Fprintf(&three, "\"%d\",\"Title %d\",\"Text\"\n", 1+i%2, i)
	}
	archive := func(folder, table string) string {
		return string(fixture.Gzip(t, fixture.Tar(t, []fixture.Entry{
			{Name: folder + "/train.csv", Text: table}, {Name: folder + "/readme.txt", Text: "…"}, {Name: folder + "/test.csv", Text: table}})))
	}
	type product struct {
		Label   int64  `parquet:"label"`
		Title   string `parquet:"title"`
		Content string `parquet:"content"`
	}
	titled := string(fixture.Parquet(t, 2, []product{{0, "Bad", "It broke"}, {1, "Good", "It works"}}))
	var packed bytes.Buffer
	z := gzip.NewWriter(&packed)
	must.Get(z.Write([]byte(strings.ReplaceAll(csv.String(), "Film", "Play"))))(t)
	require.NoError(t, z.Close())
	for name, text := range map[string]string{
		"reviews.tsv": tsv.String(), "reviews.jsonl": jsonl.String(), "labelled.txt": labelled.String(), "good.txt": good.String(), "bad.txt": bad.String(),
		"old.csv": old.String(), "jan.csv": csv.String(), "feb.csv.gz": packed.String(), "more.txt": "One more\nAnd one\n",
		"SST-2.zip":                    string(fixture.Zip(t, map[string]string{"SST-2/train.tsv": "sentence\tlabel\n" + glue.String(), "SST-2/dev.tsv": "sentence\tlabel\n" + glue.String(), "SST-2/test.tsv": "index\tsentence\n0\thidden\n"})),
		"yelp_review_polarity_csv.tgz": archive("yelp_review_polarity_csv", two.String()), "amazon_review_polarity_csv.tgz": archive("amazon_review_polarity_csv", three.String()),
		"sst2/data/train-00000-of-00001.parquet": parted[0], "sst2/data/validation-00000-of-00001.parquet": parted[1],
		"yelp_polarity/plain_text/train-00000-of-00001.parquet": parted[2], "yelp_polarity/plain_text/test-00000-of-00001.parquet": parted[2],
		"amazon_polarity/amazon_polarity/train-00000-of-00004.parquet": titled, "amazon_polarity/amazon_polarity/test-00000-of-00001.parquet": titled,
		"vectors.txt": vectors.String(), "train.parquet": parted[0], "test.parquet": parted[1],
	} {
		write(name, text)
	}
}

// The recipe of docs/data.md, followed to the letter, and all its other commands.
func TestDataDocs(t *testing.T) {
	const file = "../../docs/data.md"
	tables, commands := docBlocks(t, file, "csv"), docBlocks(t, file, "")
	require.Len(t, tables, 1)
	require.Len(t, commands, 5)
	require.Equal(t, 5, strings.Count(commands[0], "\n"), "five lines")
	dir := t.TempDir()
	t.Setenv("EXP_DATA", filepath.Join(dir, "data"))
	t.Chdir(dir)
	require.NoError(t, os.WriteFile("reviews.csv", []byte(tables[0]), 0o666))
	ownFiles(t)
	said := map[string]string{} // the last that a command said
	for _, block := range commands {
		for line := range strings.Lines(block) {
			args := strings.Fields(line)
			require.Equal(t, "exp", args[0])
			var out, errs strings.Builder
			code := execute(t.Context(), term.New(&out, &errs, 0, false), args[1:])
			require.Zero(t, code, "%s%s%s", line, out.String(), errs.String())
			require.Empty(t, errs.String(), line)
			said[strings.TrimSpace(line)] = out.String()
		}
	}
	for command, want := range map[string]string{
		"exp data add reviews.csv --name mine":                                                "data=mine, 3 reviews to train on, 3 to test",
		"exp run tme9-lstm data=mine":                                                         ", macro-F1 ",
		"exp run baselines data=mine":                                                         "bow-lr: test ",
		"exp report --against nbsvm":                                                          "macro-F1: mean F1 of the classes",
		"exp data add reviews --name g":                                                       "data=g, 4 reviews to train on, 6 to test",
		"exp data add reviews.jsonl --name c":                                                 "as JSONL, text from text, labels from label",
		"exp data add labelled.txt --name e":                                                  "as lines of label and text",
		"exp data add vectors.txt --name w2v":                                                 "vectors=w2v, 10 words of 50 dimensions",
		"exp data add SST-2.zip --name sst2 --rename 0=negative,1=positive":                   "data=sst2, 6 reviews to train on, 6 to test",
		"exp data add sst2/data --name sst2-hub":                                              "data=sst2-hub, 5 reviews to train on, 5 to test",
		"exp data add amazon_polarity/amazon_polarity --name amazon-hub --title-column title": "text from content, labels from label, titles from title",
		"exp data add yelp_review_polarity_csv.tgz --name yelp --header label,text --rename 1=negative,2=positive": "positive 3 3",
		"exp data neighbors w2v good bad + film":                  "bad + film",
		"exp data info mine":                                      "w2v 50 ",
		"exp data check":                                          "i: intact, digest ",
		"exp data remove mine":                                    "mine.reviews.jsonl.gz",
		"exp data add train.parquet --test test.parquet --name d": " neg 3 2 ",
	} {
		require.Contains(t, strings.Join(strings.Fields(said[command]), " "), want, command)
	}
}
