package dataset_test

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/tables"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

// put writes a file into a new folder.
func put[B string | []byte](t testing.TB, name string, b B) string {
	t.Helper()
	return fixture.Put(t, t.TempDir(), name, []byte(b))
}

// read returns the records as label|text.
func read(file string, o tables.Options) (how tables.How, out []string, err error) {
	how, err = tables.Read(ctx, file, o, func(r tables.Record) error {
		out = append(out, r.Label+"|"+r.Text)
		return nil
	})
	return how, out, err
}

func TestFormats(t *testing.T) {
	two := []string{"pos|good", "neg|bad"}
	for name, c := range map[string]struct {
		file, text string
		o          tables.Options
		want       []string
		how        string
	}{
		"csv":             {"a.csv", "review,sentiment\ngood,pos\nbad,neg\n", tables.Options{}, two, "CSV, text from review, labels from sentiment"},
		"csv, quoted":     {"a.csv", "Label,Text\r\npos,\"a \"\"good\"\", long\nfilm\"\r\n1,\"\"\r\n", tables.Options{}, []string{"pos|a \"good\", long\nfilm", "1|"}, "CSV, text from Text, labels from Label"},
		"csv, mark":       {"a.csv", "\xef\xbb\xbftext,label\ngood,pos\nbad,neg", tables.Options{}, two, "CSV, text from text, labels from label"},
		"csv, semicolons": {"a.csv", "text;label\ngood;pos\nbad;neg", tables.Options{}, two, "CSV, text from text, labels from label"},
		"csv, Excel":      {"a.csv", "\xef\xbb\xbftext;label\r\ngood;pos\r\nbad;neg\r\n", tables.Options{}, two, "CSV, text from text, labels from label"},
		"csv, comma in ;": {"a.csv", "text;stars, of 5\ngood;pos\nbad;neg", tables.Options{}, two, "CSV, text from text, labels from stars, of 5"},
		"csv, some ;":     {"a.csv", "\"one; two; three\",pos\nfine; good,pos\nbad;,neg\nx,neg\n", tables.Options{}, []string{"pos|one; two; three", "pos|fine; good", "neg|bad;", "neg|x"}, "CSV, text from column 1, labels from column 2"},
		"csv, tabs":       {"a.csv", "text\tlabel\ngood\tpos\nbad\tneg", tables.Options{}, two, "TSV, text from text, labels from label"},
		"csv, one name":   {"a.csv", "x,stars\ngood,pos\nbad,neg", tables.Options{}, two, "CSV, text from x, labels from stars"},
		"csv, named":      {"a.csv", "id,label,a,b\n1,x,good,pos\n2,x,bad,neg", tables.Options{Columns: [tables.Roles]string{"A", "b"}}, two, "CSV, text from a, labels from b"},
		"csv, no header":  {"a.csv", "good,pos\nbad,neg\nfine,pos\nawful,neg", tables.Options{}, append(two, "pos|fine", "neg|awful"), "CSV, text from column 1, labels from column 2"},
		"csv, odd header": {"a.csv", "was,film\npos,good\nneg,bad\npos,fine", tables.Options{}, []string{"was|film", "pos|good", "neg|bad", "pos|fine"}, "CSV, text from column 2, labels from column 1"},
		"csv, by content": {"a", "text,label\ngood,pos\nbad,neg", tables.Options{}, two, "CSV, text from text, labels from label"},
		"tsv":             {"a.tsv", "text\tlabel\ngood\tpos\n\nbad\tneg\n", tables.Options{}, two, "TSV, text from text, labels from label"},
		"tsv, quotes": {"a.tsv", "label\ttext\n1\t\"a \"\"b\"\"\tc\"\n2\t\"a\" b\n3\t\"a\nb\nc\"\n4\ta \"b\"\n5\t\"a \\\"b\\\" c\"\n6\t\"\n", tables.Options{},
			[]string{"1|a \"b\"\tc", "2|\"a\" b", "3|a\nb\nc", "4|a \"b\"", "5|a \"b\" c", "6|\""}, "TSV, text from text, labels from label"},
		"tsv, by content": {"a", "text\tlabel\ngood\tpos\nbad\tneg", tables.Options{}, two, "TSV, text from text, labels from label"},
		"jsonl":           {"a.jsonl", "{\"text\":\"good\",\"label\":1,\"x\":{\"y\":[1]}}\n\n{\"label\":true,\"text\":\"b\\u00e9\"}\n{\"label\":\"a b\",\"text\":null}", tables.Options{}, []string{"1|good", "true|bé", "a b|"}, "JSONL, text from text, labels from label"},
		"jsonl, content":  {"a", "{\"text\":\"good\",\"label\":-1.50}", tables.Options{}, []string{"-1.50|good"}, "JSONL, text from text, labels from label"},
		"lines, tab":      {"a.txt", "pos\tgood film\nvery neg\tbad\t film\r\n\n", tables.Options{}, []string{"pos|good film", "very neg|bad\t film"}, "lines of label and text"},
		"lines, blank":    {"a.txt", "1 good film\n0 bad\n2\n", tables.Options{}, []string{"1|good film", "0|bad", "2|"}, "lines of label and text"},
		"fastText":        {"a.train", "__label__pos good\n__label__neg bad\n", tables.Options{}, two, "lines of label and text"},
		"plain":           {"a.csv", "a, b\n\n\"c\n", tables.Options{Class: "pos"}, []string{"pos|a, b", "pos|", "pos|\"c"}, "a text a line"},
		"plain, empty":    {"a", "", tables.Options{Class: "pos"}, nil, "a text a line"},
		"no labels":       {"a", "a b\nc", tables.Options{Unlabelled: true}, []string{"|a b", "|c"}, "a text a line"},
		"no labels, csv":  {"a.csv", "text,label\na,1\nb,\n", tables.Options{Unlabelled: true}, []string{"|a", "|b"}, "CSV, text from text"},
	} {
		t.Run(name, func(t *testing.T) {
			for ending, pack := range map[string]func(testing.TB, []byte) []byte{"": nil, ".gz": fixture.Gzip, ".zst": fixture.Zstd} {
				b := []byte(c.text)
				if pack != nil {
					b = pack(t, b)
				}
				how, got := must.Get2(read(put(t, c.file+ending, b), c.o))(t)
				assert.Equal(t, c.want, got)
				assert.Equal(t, c.how, how.String())
			}
		})
	}
}

func TestFolder(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"train/pos/b.txt": "good", "train/pos/a.txt": "fine\n", "train/neg/c": "bad", "test/pos/x": "x",
		"train/README": "not a text", "train/pos/.DS_Store": "\x00", "train/.git/x": "y",
		"train/neg/desktop.ini": "[.ShellClassInfo]", "train/pos/Thumbs.db": "\xd0\xcf\x11\xe0", "train/neg/c~": "bad", "train/neg/#c#": "bad", "train/__MACOSX/pos/a.txt": "z",
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	train, test := filepath.Join(dir, "train"), filepath.Join(dir, "test")
	how, got := must.Get2(read(train, tables.Options{}))(t)
	assert.Equal(t, []string{"neg|bad", "pos|fine\n", "pos|good"}, got)
	assert.Equal(t, "a folder a class", how.String())
	assert.Equal(t, `skipped files that programs leave in folders: 5 ("#c#", ".DS_Store", "Thumbs.db", "c~", "desktop.ini")`, how.Guess)
	_, got = must.Get2(read(test, tables.Options{Unlabelled: true}))(t)
	assert.Equal(t, []string{"|x"}, got)
	_, _, err := read(train, tables.Options{Limits: dataset.Limits{ReviewBytes: 4}})
	assert.ErrorContains(t, err, "pos/a.txt: longer than 4 bytes")
	_, _, err = read(t.TempDir(), tables.Options{})
	assert.ErrorContains(t, err, "has no sub-folders")
	require.NoError(t, os.Mkdir(filepath.Join(train, "pos", "more"), 0o755))
	_, _, err = read(train, tables.Options{})
	assert.ErrorContains(t, err, "pos/more: is not a regular file")
	require.NoError(t, os.Remove(filepath.Join(train, "pos", "more")))
	for text, want := range map[string]string{
		"version https://git-lfs.github.com/spec/v1\noid sha256:4d7a\nsize 9\n": "run git lfs pull",
		"\x89PNG\r\n\x1a\n\x00": "text",
		"%PDF-1.4\n\x00\x01":    "not text",
	} {
		file := filepath.Join(train, "pos", "a2.txt")
		require.NoError(t, os.WriteFile(file, []byte(text), 0o644))
		_, _, err = read(train, tables.Options{})
		assert.ErrorContains(t, err, "pos/a2.txt: ")
		assert.ErrorContains(t, err, want)
		for _, ext := range []string{"csv", "tsv", "txt", "jsonl", "parquet"} {
			_, _, err = read(put(t, "p."+ext, text), tables.Options{})
			assert.ErrorContains(t, err, want, ext)
		}
		require.NoError(t, os.Remove(file))
	}
	if os.Symlink("/etc/hostname", filepath.Join(train, "pos", "z.txt")) == nil {
		_, _, err = read(train, tables.Options{})
		assert.ErrorContains(t, err, "pos/z.txt: is not a regular file")
		require.NoError(t, os.Remove(filepath.Join(train, "pos", "z.txt")))
	}
	if os.Symlink(t.TempDir(), filepath.Join(train, "zero")) == nil {
		_, got = must.Get2(read(train, tables.Options{}))(t)
		assert.Len(t, got, 3, "a link is no class")
	}
}

func TestWhere(t *testing.T) {
	file := put(t, "a.csv", "text,label\n\"a\nb\",1\nc,2\n")
	var where []string
	_, err := tables.Read(ctx, file, tables.Options{}, func(r tables.Record) error {
		where = append(where, strings.TrimPrefix(r.Where, file))
		return nil
	})
	require.NoError(t, err)
	assert.Equal(t, []string{": line 2", ": line 4"}, where)
}

func TestYieldStops(t *testing.T) {
	for name, text := range map[string]string{
		"a.csv": "text,label\na,1\nb,2\n", "a.tsv": "text\tlabel\na\t1\nb\t2\n", "a.txt": "1 a\n2 b\n", "a.jsonl": `{"text":"a","label":1}`,
	} {
		stop := fmt.Errorf("enough")
		_, err := tables.Read(ctx, put(t, name, text), tables.Options{}, func(tables.Record) error { return stop })
		assert.ErrorIs(t, err, stop, name)
		stopped, cancel := context.WithCancel(ctx)
		cancel()
		_, err = tables.Read(stopped, put(t, name, text), tables.Options{}, func(tables.Record) error { return nil })
		assert.ErrorIs(t, err, context.Canceled, name)
	}
}

// What the first row of a table is, is decided by evidence: no text is lost because its label
// occurs once, in either order of columns and any format.
func TestHeader(t *testing.T) {
	named, data := " is read as names of columns; if it is data, give --header no", " is read as data; if it names the columns, give --header yes"
	for name, c := range map[string]struct {
		rows  string // columns apart by commas
		o     tables.Options
		want  string
		guess string
	}{
		"a label once":          {"superb,pos\ndull,neg\npoor,neg", tables.Options{}, "pos|superb neg|dull neg|poor", `line 1 ("superb", "pos")` + data},
		"a label once, first":   {"pos,superb\nneg,dull\nneg,poor", tables.Options{}, "pos|superb neg|dull neg|poor", `line 1 ("pos", "superb")` + data},
		"a number once":         {"superb,5\ndull,1\npoor,1", tables.Options{}, "5|superb 1|dull 1|poor", `line 1 ("superb", "5")` + data},
		"a label again":         {"superb,pos\ndull,neg\nfine,pos", tables.Options{}, "pos|superb neg|dull pos|fine", `line 1 ("superb", "pos")` + data},
		"numbers below a word":  {"film,points\nfine,1\ndull,2\npoor,2", tables.Options{}, "1|fine 2|dull 2|poor", `line 1 ("film", "points")` + named},
		"no name of a column":   {"so so,N/A\nfine,1\ndull,2\npoor,2", tables.Options{}, "N/A|so so 1|fine 2|dull 2|poor", `line 1 ("so so", "N/A")` + data},
		"labels of a model":     {"superb,pos\ndull,neg", tables.Options{Asked: true, IsLabel: func(l string) bool { return l == "pos" || l == "neg" }}, "pos|superb neg|dull", ""},
		"a text and a label":    {"review,pos\ndull,neg\npoor,neg", tables.Options{Asked: true, IsLabel: func(l string) bool { return l == "pos" || l == "neg" }}, "pos|review neg|dull neg|poor", ""},
		"labels without a name": {"review,verdict\ndull,neg\nfine,pos", tables.Options{Asked: true, IsLabel: func(l string) bool { return l == "pos" || l == "neg" }}, "neg|dull pos|fine", `line 1 ("review", "verdict")` + named},
		"decimals below a word": {"points,film\n\"1,5\",fine\n2,dull\n2,poor", tables.Options{}, "1,5|fine 2|dull 2|poor", `line 1 ("points", "film")` + named},
		"one name":              {"review,so\nfine,pos\ndull,neg\npoor,neg", tables.Options{}, "pos|fine neg|dull neg|poor", `line 1 ("review", "so")` + named},
		"a text like a name":    {"content,pos\ndull,neg\nfine,pos", tables.Options{}, "pos|content neg|dull pos|fine", `line 1 ("content", "pos")` + data},
		"a label like a name":   {"goal,score\ncard,foul\nnet,score", tables.Options{}, "score|goal foul|card score|net", `line 1 ("goal", "score")` + data},
		"both names":            {"review,stars\nfine,5\npoor,1", tables.Options{}, "5|fine 1|poor", ""},
		"yes":                   {"superb,pos\ndull,neg\npoor,neg", tables.Options{Header: "yes"}, "neg|dull neg|poor", ""},
		"no":                    {"text,label\ndull,neg\npoor,neg", tables.Options{Header: "no"}, "label|text neg|dull neg|poor", ""},
		"no, three columns":     {"text,x,label\ndull,y,neg", tables.Options{Header: "no", Columns: [tables.Roles]string{"column 1", "column 3"}}, "label|text neg|dull", ""},
		"texts alone":           {"superb\ndull", tables.Options{Unlabelled: true}, "|superb |dull", `line 1 ("superb")` + data},
		"texts alone, asked":    {"superb\ndull", tables.Options{Asked: true}, "|superb |dull", `line 1 ("superb")` + data},
		"texts below a name":    {"text\ndull", tables.Options{Unlabelled: true}, "|dull", ""},
		"asked":                 {"superb,pos\ndull,neg\npoor,neg", tables.Options{Asked: true}, "pos|superb neg|dull neg|poor", `line 1 ("superb", "pos")` + data},
	} {
		for file, text := range map[string]string{"a.csv": c.rows, "a.tsv": strings.ReplaceAll(c.rows, ",", "\t"), "b.csv": strings.ReplaceAll(c.rows, ",", ";")} {
			text, want := strings.ReplaceAll(text, "1\t5", "1,5"), c.want
			if file == "b.csv" {
				want = strings.ReplaceAll(want, "1,5", "1;5")
				if want != c.want {
					continue
				}
			}
			how, got := must.Get2(read(put(t, file, []byte(text+"\n")), c.o))(t)
			assert.Equal(t, want, strings.Join(got, " "), "%s, %s", name, file)
			assert.Equal(t, c.guess, how.Guess, "%s, %s", name, file)
		}
	}
}

// A label of fastText's ends with a blank or a tab, in any file; __label__ is no part of it.
func TestFastTextLabels(t *testing.T) {
	two := []string{"pos|good film, really", "neg|bad"}
	for file, text := range map[string]string{
		"blank.txt": "__label__pos good film, really\n __label__neg bad\n", "tab.txt": "__label__pos\tgood film, really\n\t__label__neg\tbad\n",
		"blank.csv": "__label__pos good film, really\n__label__neg bad\n", "tab.tsv": "__label__pos\tgood film, really\n__label__neg\tbad\n__label__neg\tbad\n",
		"quoted.csv": "text,label\n\"good film, really\",__label__pos\nbad,__label__neg\n", "a.jsonl": "{\"text\":\"good film, really\",\"label\":\"__label__pos\"}\n{\"text\":\"bad\",\"label\":\"__label__neg\"}",
	} {
		_, got := must.Get2(read(put(t, file, text), tables.Options{}))(t)
		assert.Equal(t, two, got[:2], file)
	}
	_, got := must.Get2(read(put(t, "a.txt", "__label__pos good\n"), tables.Options{Unlabelled: true}))(t)
	assert.Equal(t, []string{"|good"}, got)
}

// fuzz reads bytes as a file of a name: whatever they are, there is an error that
// names the file, or records that are sound.
func fuzz(f *testing.F, name string, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	file := filepath.Join(f.TempDir(), name)
	f.Fuzz(func(t *testing.T, b []byte) {
		require.NoError(t, os.WriteFile(file, b, 0o644))
		for _, o := range []tables.Options{
			{Limits: dataset.Limits{ReviewBytes: 1 << 16, TotalBytes: 1 << 20, Reviews: 1000}},
			{Limits: dataset.Limits{ReviewBytes: 20, TotalBytes: 100, Reviews: 3}},
			{Limits: dataset.Limits{Reviews: 1000}, Unlabelled: true, Columns: [tables.Roles]string{"text"}},
		} {
			n := 0
			_, err := tables.Read(ctx, file, o, func(r tables.Record) error {
				n++
				require.True(t, utf8.ValidString(r.Text) && utf8.ValidString(r.Label))
				require.NotContains(t, r.Text+r.Label, "\x00")
				require.Equal(t, o.Unlabelled, r.Label == "")
				require.True(t, strings.HasPrefix(r.Where, file))
				return nil
			})
			if err != nil {
				require.Contains(t, err.Error(), name)
			}
			if o.Limits.Reviews > 0 {
				require.LessOrEqual(t, n, o.Limits.Reviews)
			}
		}
	})
}

func FuzzCSV(f *testing.F) {
	fuzz(f, "a.csv", whole, "text;label\n\"a;b\";1\n", "a,1\nb,2\nc,1\n", "\xef\xbb\xbftext,label\n", "text,label\n\"a")
}

func FuzzTSV(f *testing.F) {
	fuzz(f, "a.tsv", "text\tlabel\n\"a\tb\"\t1\n", "label\ttext\n1\t\"a\nb\"\n2\t\"x\n3\ty\n", "1\t\"a \\\"b\\\" c\"\n")
}

func FuzzJSONL(f *testing.F) {
	fuzz(f, "a.jsonl", `{"text":"a","label":1}`, "{\"label\":\"x\",\"text\":null}\n\n{\"text\":\"\\u0000\",\"label\":true}", "[{}]")
}

func FuzzLines(f *testing.F) {
	fuzz(f, "a", "pos\tgood\nneg\tbad\n", "1 a\n2 b", "__label__a b\n", "\xff\xfea", "text,label\na,b\n", "{}")
}

func FuzzCompressed(f *testing.F) {
	fuzz(f, "a.csv", string(fixture.Gzip(f, []byte(whole))), string(fixture.Zstd(f, []byte(whole))), string(fixture.Zstd(f, make([]byte, 1000))))
}

// FuzzParquet damages files without checksums, in place: a byte here and there.
func FuzzParquet(f *testing.F) {
	files := seeds(f)
	for i := range files {
		f.Add(uint8(i), uint16(100), uint16(200), uint16(300), []byte{1, 2, 3})
	}
	file := filepath.Join(f.TempDir(), "a.parquet")
	f.Fuzz(func(t *testing.T, which uint8, i, j, k uint16, with []byte) {
		b := bytes.Clone(files[int(which)%len(files)])
		for n, at := range []uint16{i, j, k} {
			if n < len(with) {
				copy(b[int(at)%len(b):], with[n:])
			}
		}
		require.NoError(t, os.WriteFile(file, b, 0o644))
		for _, text := range []string{"text", "dict", "shared"} {
			readDamaged(t, file, tables.Options{Columns: [tables.Roles]string{text, "label"}, Limits: dataset.Limits{ReviewBytes: 1 << 16, TotalBytes: 1 << 20, Reviews: 1000}})
		}
	})
}
