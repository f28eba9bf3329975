package tables_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/tables"
	"imdbexp/internal/testkit/fixture"
)

var ctx = context.Background()

func put(t testing.TB, name string, b []byte) string {
	t.Helper()
	return again(t, t.TempDir(), name, b)
}

// again is put into a folder that may hold an earlier one.
func again(t testing.TB, dir, name string, b []byte) string {
	t.Helper()
	path := filepath.Join(dir, filepath.FromSlash(name))
	require.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
	require.NoError(t, os.WriteFile(path, b, 0o644))
	return path
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
	latin := tables.Options{Encoding: "latin1"}
	for name, c := range map[string]struct {
		file, text string
		o          tables.Options
		want       []string
		how        string
	}{
		"csv":              {"a.csv", "review,sentiment\ngood,pos\nbad,neg\n", tables.Options{}, two, "CSV, text from review, labels from sentiment"},
		"csv, quoted":      {"a.csv", "Label,Text\r\npos,\"a \"\"good\"\", long\nfilm\"\r\n1,\"\"\r\n", tables.Options{}, []string{"pos|a \"good\", long\nfilm", "1|"}, "CSV, text from Text, labels from Label"},
		"csv, mark":        {"a.csv", "\xef\xbb\xbftext,label\ngood,pos\nbad,neg", tables.Options{}, two, "CSV, text from text, labels from label"},
		"csv, semicolons":  {"a.csv", "text;label\ngood;pos\nbad;neg", tables.Options{}, two, "CSV, text from text, labels from label"},
		"csv, Excel":       {"a.csv", "\xef\xbb\xbfsep=;\r\ntext;label\r\ngood;pos\r\nbad;neg\r\n", tables.Options{}, two, "CSV, text from text, labels from label"},
		"csv, sep, tabs":   {"a.csv", "sep=\t\r\ntext\tlabel\r\ngood\tpos\r\nbad\tneg\r\n", tables.Options{}, two, "TSV, text from text, labels from label"},
		"csv, sep, bare":   {"a", "sep=;\ngood;pos\nbad;neg\nfine;pos\nawful;neg", tables.Options{}, append(two, "pos|fine", "neg|awful"), "CSV, text from column 1, labels from column 2"},
		"csv, sep, a text": {"a.csv", "text,label\nsep=;,pos\n", tables.Options{}, []string{"pos|sep=;"}, "CSV, text from text, labels from label"},
		"csv, comma in ;":  {"a.csv", "text;stars, of 5\ngood;pos\nbad;neg", tables.Options{}, two, "CSV, text from text, labels from stars, of 5"},
		"csv, some ;":      {"a.csv", "\"one; two; three\",pos\nfine; good,pos\nbad;,neg\nx,neg\n", tables.Options{}, []string{"pos|one; two; three", "pos|fine; good", "neg|bad;", "neg|x"}, "CSV, text from column 1, labels from column 2"},
		"csv, tabs":        {"a.csv", "text\tlabel\ngood\tpos\nbad\tneg", tables.Options{}, two, "TSV, text from text, labels from label"},
		"csv, one name":    {"a.csv", "x,stars\ngood,pos\nbad,neg", tables.Options{}, two, "CSV, text from x, labels from stars"},
		"csv, named":       {"a.csv", "id,label,a,b\n1,x,good,pos\n2,x,bad,neg", tables.Options{TextColumn: "A", LabelColumn: "b"}, two, "CSV, text from a, labels from b"},
		"csv, no header":   {"a.csv", "good,pos\nbad,neg\nfine,pos\nawful,neg", tables.Options{}, append(two, "pos|fine", "neg|awful"), "CSV, text from column 1, labels from column 2"},
		"csv, odd header":  {"a.csv", "was,film\npos,good\nneg,bad\npos,fine", tables.Options{}, append(two, "pos|fine"), "CSV, text from column 2, labels from column 1"},
		"csv, by content":  {"a", "text,label\ngood,pos\nbad,neg", tables.Options{}, two, "CSV, text from text, labels from label"},
		"tsv":              {"a.tsv", "text\tlabel\ngood\tpos\n\nbad\tneg\n", tables.Options{}, two, "TSV, text from text, labels from label"},
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
		"latin1":          {"a.csv", "text,label\ncaf\xe9,pos\n\x80,neg\n", latin, []string{"pos|café", "neg|\u0080"}, "CSV, text from text, labels from label"},
		"windows-1252":    {"a.csv", "text,label\ncaf\xe9,pos\n\x80,neg\n", tables.Options{Encoding: "Windows-1252"}, []string{"pos|café", "neg|€"}, "CSV, text from text, labels from label"},
	} {
		t.Run(name, func(t *testing.T) {
			for ending, pack := range map[string]func(testing.TB, []byte) []byte{"": nil, ".gz": fixture.Gzip, ".zst": fixture.Zstd} {
				b := []byte(c.text)
				if pack != nil {
					b = pack(t, b)
				}
				how, got, err := read(put(t, c.file+ending, b), c.o)
				require.NoError(t, err)
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
	} {
		require.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o755))
		require.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644))
	}
	train, test, ok := tables.Parts(dir)
	require.True(t, ok)
	how, got, err := read(train, tables.Options{})
	require.NoError(t, err)
	assert.Equal(t, []string{"neg|bad", "pos|fine\n", "pos|good"}, got)
	assert.Equal(t, "a folder a class", how.String())
	_, got, err = read(test, tables.Options{Unlabelled: true})
	require.NoError(t, err)
	assert.Equal(t, []string{"|x"}, got)
	_, _, ok = tables.Parts(train)
	assert.False(t, ok)

	_, _, err = read(train, tables.Options{Limits: tables.Limits{RecordBytes: 4}})
	assert.ErrorContains(t, err, "pos/a.txt: longer than 4 bytes")
	_, _, err = read(t.TempDir(), tables.Options{})
	assert.ErrorContains(t, err, "has no sub-folders")
	require.NoError(t, os.Mkdir(filepath.Join(train, "pos", "more"), 0o755))
	_, _, err = read(train, tables.Options{})
	assert.ErrorContains(t, err, "pos/more: is not a regular file")
	require.NoError(t, os.Remove(filepath.Join(train, "pos", "more")))
	if os.Symlink("/etc/hostname", filepath.Join(train, "pos", "z.txt")) == nil {
		_, _, err = read(train, tables.Options{})
		assert.ErrorContains(t, err, "pos/z.txt: is not a regular file")
		require.NoError(t, os.Remove(filepath.Join(train, "pos", "z.txt")))
	}
	if os.Symlink(t.TempDir(), filepath.Join(train, "zero")) == nil {
		_, got, err = read(train, tables.Options{})
		require.NoError(t, err)
		assert.Len(t, got, 3, "a link is no class")
	}
}

func TestWhere(t *testing.T) {
	file := put(t, "a.csv", []byte("text,label\n\"a\nb\",1\nc,2\n"))
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
		_, err := tables.Read(ctx, put(t, name, []byte(text)), tables.Options{}, func(tables.Record) error { return stop })
		assert.ErrorIs(t, err, stop, name)
		stopped, cancel := context.WithCancel(ctx)
		cancel()
		_, err = tables.Read(stopped, put(t, name, []byte(text)), tables.Options{}, func(tables.Record) error { return nil })
		assert.ErrorIs(t, err, context.Canceled, name)
	}
}

func TestProgress(t *testing.T) {
	file := put(t, "a.csv", []byte("text,label\na,1\nb,2\n"))
	var last [2]int64
	_, _, err := read(file, tables.Options{Progress: func(done, total int64) { last = [2]int64{done, total} }})
	require.NoError(t, err)
	assert.Equal(t, [2]int64{19, 19}, last)
}
