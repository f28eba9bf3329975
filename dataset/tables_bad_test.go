package dataset_test

import (
	"bytes"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/tables"
	"imdbexp/internal/testkit/fixture"
	"imdbexp/internal/testkit/must"
)

func TestBadInput(t *testing.T) {
	wide := strings.Repeat("a,", 100_000) + "a"
	small := dataset.Limits{ReviewBytes: 100, TotalBytes: 1000, Reviews: 3}
	for name, c := range map[string]struct {
		file, text string
		o          tables.Options
		want       []string
	}{
		"empty":               {"a.csv", "", tables.Options{}, []string{"a.csv: is empty"}},
		"no label, csv":       {"a.csv", "text,label\nx,1\ny,\n", tables.Options{}, []string{`a.csv: line 3, column "label": has no label`, "--unlabelled"}},
		"no label, lines":     {"a.txt", "pos\tx\n\ty\n", tables.Options{}, []string{"line 2: has no label"}},
		"no tab":              {"a.txt", "pos\tx\nneg y\n", tables.Options{}, []string{"line 2: has no tab after the label"}},
		"a line without":      {"a.txt", "__label__a x\ny z\n", tables.Options{}, []string{"line 2: does not begin with __label__, as the first line does"}},
		"two labels":          {"a.txt", "__label__a __label__b x\n", tables.Options{}, []string{"line 1: has two labels"}},
		"NUL":                 {"a.csv", "text,label\na\x00b,1\n", tables.Options{}, []string{`line 2, column "text": byte 2 is NUL`}},
		"a web page":          {"a.csv", "<!DOCTYPE html>\n<html><body>Sign in</body></html>\n", tables.Options{}, []string{"a.csv: is a web page, which servers also send in place of a file"}},
		"a PDF":               {"a.csv", "%PDF-1.4\n1 0 obj\n", tables.Options{}, []string{"a.csv: is a PDF, not text: export its table as CSV"}},
		"binary":              {"a.csv", "\x7fELF\x02\x01\r\x00\x00\xff", tables.Options{}, []string{"a.csv: is binary, not text: give CSV, TSV"}},
		"UTF-16, no mark":     {"a.csv", "t\x00e\x00x\x00t\x00,\x00l\x00", tables.Options{}, []string{"convert UTF-16 with iconv -f UTF-16 -t UTF-8"}},
		"not UTF-8":           {"a.csv", "text,label\ncaf\xe9,1\n", tables.Options{}, []string{`line 2, column "text": byte 4 is not UTF-8`, "iconv -f windows-1252 -t UTF-8"}},
		"not UTF-8, json":     {"a.jsonl", "{\"text\":\"caf\xe9\",\"label\":1}", tables.Options{}, []string{"line 1: byte 13 is not UTF-8"}},
		"UTF-16":              {"a.csv", "\xff\xfet\x00", tables.Options{}, []string{"is UTF-16", "iconv -f UTF-16"}},
		"columns unknown":     {"a.csv", "id,text,stuff\n1,2,3\n", tables.Options{}, []string{"cannot find the label column: give --label-column NAME", `"id", "text", "stuff"`}},
		"column missing":      {"a.csv", "text,label\n1,2\n", tables.Options{Columns: [tables.Roles]string{"review"}}, []string{`there is no column "review"; its columns are "text", "label"`}},
		"column twice":        {"a.csv", "text,label\n1,2\n", tables.Options{Columns: [tables.Roles]string{tables.Label: "text"}}, []string{"cannot be both"}},
		"column, jsonl":       {"a.jsonl", `{"a":"x","label":1,"b":2}`, tables.Options{}, []string{"line 1: cannot find the text column: ", `"a", "b", "label"`}},
		"one column":          {"a.csv", "a great film\na dull one\n", tables.Options{}, []string{`its only column is "a great film"`, "one a line, needs the extension .txt"}},
		"label, class file":   {"a.txt", " __label__pos good\n", tables.Options{Class: "pos"}, []string{"line 1: begins with a label: add the file without --class"}},
		"not that format":     {"a.csv", "id,text\nx,good\n", tables.Options{Format: tables.Parquet}, []string{"is not Parquet"}},
		"more columns":        {"a.csv", "text,label\nx,y,z\n", tables.Options{}, []string{"line 2: 3 columns instead of 2"}},
		"quote inside":        {"a.csv", "text,label\nx \"y\",1\n", tables.Options{}, []string{"line 2", "a quote inside a field", "byte 3"}},
		"quote open, tsv":     {"a.tsv", "label\ttext\tx\n1\t\"y\n2\tz\n", tables.Options{}, []string{"line 2: 2 columns instead of 3"}},
		"old Mac":             {"a.csv", "text,label\rx,1\ry,2\r", tables.Options{}, []string{"lines end in CR alone", "tr "}},
		"quote open, line":    {"a.csv", "text,label\nx,1\n\"y,2\nz \"q,3\n", tables.Options{}, []string{"a.csv: line 3: a quoted field begins here", "in line 4, byte 3"}},
		"array":               {"a.json", `[{"text":"x","label":1}]`, tables.Options{}, []string{"is an array", "jq"}},
		"no object":           {"a.jsonl", "{\"text\":\"x\",\"label\":1}\n3\n", tables.Options{}, []string{"line 2: is not a JSON object"}},
		"cut object":          {"a.jsonl", "{\"text\":\"x\",\"label\":1}\n{\"text\":\"x\"", tables.Options{}, []string{"line 2: is not a JSON object", "unexpected end of JSON input"}},
		"two objects":         {"a.jsonl", `{"text":"x","label":1} {}`, tables.Options{}, []string{"is not a JSON object on one line"}},
		"number as text":      {"a.jsonl", `{"text":5,"label":1}`, tables.Options{}, []string{`column "text": is not a string but "5"`}},
		"text missing":        {"a.jsonl", "{\"text\":\"x\",\"label\":1}\n{\"label\":1}", tables.Options{}, []string{`line 2, column "text": is missing`}},
		"list as label":       {"a.jsonl", `{"text":"x","label":[1]}`, tables.Options{}, []string{"is neither a string nor a number but"}},
		"100 000 columns":     {"a.csv", wide + "\n" + wide, tables.Options{}, []string{"line 1: more than 4096 columns"}},
		"long text":           {"a.csv", "text,label\n" + strings.Repeat("x", 101) + ",1\n", tables.Options{Limits: small}, []string{"line 2", "longer than 100 bytes"}},
		"long row":            {"a.csv", "text,label\nx,1\n\"" + strings.Repeat("x\n", 5000), tables.Options{Limits: dataset.Limits{ReviewBytes: 100}}, []string{"the row after line 2 is longer than 100 bytes", "quote not closed"}},
		"long tsv":            {"a.tsv", "label\ttext\tx\n1\t\"" + strings.Repeat("x\n", 150), tables.Options{Limits: small}, []string{"line 2: longer than 100 bytes"}},
		"many":                {"a.txt", "1 a\n1 b\n1 c\n1 d\n", tables.Options{Limits: small}, []string{"line 4: more than 3 texts"}},
		"bomb":                {"a.csv.gz", string(fixture.Gzip(t, make([]byte, 1<<20))), tables.Options{Limits: small}, []string{"a.csv.gz: ", "1000 bytes", "bomb"}},
		"zip":                 {"a.csv", "PK\x03\x04rest", tables.Options{}, []string{"is a zip: unpack it first; export a workbook (.xlsx, .ods) as CSV"}},
		"tar":                 {"a.gz", string(fixture.Gzip(t, append(append(make([]byte, 257), "ustar\x0000"...), make([]byte, 1000)...))), tables.Options{}, []string{"is a tar archive"}},
		"no Parquet":          {"a.parquet", "x", tables.Options{}, []string{"is not Parquet (it does not begin with PAR1)"}},
		"Parquet of a class":  {"a", "PAR1....", tables.Options{Class: "pos"}, []string{"is Parquet; a class needs a file"}},
		"cut Parquet":         {"a", "PAR1....", tables.Options{}, []string{"cut off or damaged"}},
		"encrypted Parquet":   {"a", "PARE........PARE", tables.Options{}, []string{"is encrypted"}},
		"footer announced":    {"a", "PAR1....\xff\xff\xff\x7fPAR1", tables.Options{}, []string{"cut off or damaged"}},
		"footer of one field": {"a", "PAR1\x15\x02\x00\x03\x00\x00\x00PAR1", tables.Options{}, []string{"a: "}},
	} {
		t.Run(name, func(t *testing.T) {
			file := put(t, c.file, []byte(c.text))
			_, _, err := read(file, c.o)
			require.Error(t, err)
			for _, want := range append(c.want, file) {
				assert.ErrorContains(t, err, want)
			}
			assert.Equal(t, 1, strings.Count(err.Error(), file), err.Error())
		})
	}
	_, _, err := read(filepath.Join(t.TempDir(), "none"), tables.Options{})
	assert.ErrorIs(t, err, os.ErrNotExist)
	_, _, err = read(os.DevNull, tables.Options{})
	assert.ErrorContains(t, err, "is not a regular file")
	_, _, err = read(t.TempDir(), tables.Options{Class: "pos"})
	assert.ErrorContains(t, err, "is a folder")
}

// All wrong rows of a file are reported at once, up to five; a damaged rest comes last.
func TestWrongRows(t *testing.T) {
	rows := "text,label\nx,1\ny,\nz\nx,2\ny,\nx,y,1\n"
	file := put(t, "a.csv", rows)
	n := 0
	_, err := tables.Read(ctx, file, tables.Options{}, func(r tables.Record) error {
		n++
		if r.Label == "2" {
			return &tables.RowError{Role: tables.Label, Text: "is 2: write 1"}
		}
		return nil
	})
	assert.EqualError(t, err, file+`: wrong rows, the first 5:
  line 3, column "label": has no label: add one, or move the text to a file for --unlabelled
  line 4: 1 columns instead of 2: fill in what is missing; quote a field that holds a line break
  line 5, column "label": is 2: write 1
  line 6, column "label": has no label: add one, or move the text to a file for --unlabelled
  line 7: 3 columns instead of 2: quote a field that holds the delimiter`)
	assert.Equal(t, 2, n)
	_, _, err = read(put(t, "b.csv", "text,label\ny,\nx,1\n\"z,1\n"), tables.Options{})
	assert.ErrorContains(t, err, "b.csv: wrong rows:\n  line 2, column \"label\": has no label: add one, or move the text to a file for --unlabelled\n  line 4: byte 6 is a quote inside a field")
	_, _, err = read(put(t, "c.csv", "text,label\ncaf\xe9,1\nth\xe9,1\n"), tables.Options{})
	assert.ErrorContains(t, err, "line 2, column \"text\": byte 4 is not UTF-8: save the file as UTF-8")
	assert.ErrorContains(t, err, "\n  line 3, column \"text\": byte 3 is not UTF-8")
	assert.Equal(t, 2, strings.Count(err.Error(), "iconv"))
	_, got, err := read(file, tables.Options{Asked: true})
	assert.EqualError(t, err, file+": line 4: 1 columns instead of 2: fill in what is missing; quote a field that holds a line break")
	assert.Len(t, got, 2, "those before it")
}

const whole = "text,label\n\"Quite, a good film\",pos\nA bad one,neg\nNothing to see,neg\n"

// A compressed file that is cut off or has a wrong bit gives an error that names it, or all records.
func TestDamagedCompression(t *testing.T) {
	dir := t.TempDir()
	_, want := must.Get2(read(put(t, "a.csv", whole), tables.Options{}))(t)
	random := rand.New(rand.NewPCG(1, 2))
	for ending, b := range map[string][]byte{"gz": fixture.Gzip(t, []byte(whole)), "zst": fixture.Zstd(t, []byte(whole))} {
		for n := 0; n < len(b); n += fixture.Every(3) {
			file := fixture.Put(t, dir, "a.csv."+ending, b[:n])
			_, _, err := read(file, tables.Options{})
			assert.ErrorContains(t, err, file, "%s cut at %d", ending, n)
		}
		for range 300 / fixture.Every(5) {
			bad := bytes.Clone(b)
			bad[random.IntN(len(bad))] ^= byte(1 << random.IntN(8))
			file := fixture.Put(t, dir, "a.csv."+ending, bad)
			if _, got, err := read(file, tables.Options{}); err != nil {
				assert.ErrorContains(t, err, file)
			} else { // a bit without meaning
				assert.Equal(t, want, got, ending)
			}
		}
	}
	_, _, err := read(put(t, "a.csv.gz", fixture.Gzip(t, []byte(whole))[:60]), tables.Options{})
	assert.ErrorContains(t, err, "cut off after its beginning: the file is not whole")
}

// A file that is read whole takes memory for a record, not for itself.
func TestMemory(t *testing.T) {
	file := put(t, "a.tsv", "label\ttext\n"+strings.Repeat("1\t"+strings.Repeat("word ", 200)+"\n", 20_000))
	var m runtime.MemStats
	live := func() int64 {
		runtime.GC()
		runtime.ReadMemStats(&m)
		return int64(m.HeapAlloc)
	}
	before, n := live(), 0
	peak := before
	_, err := tables.Read(ctx, file, tables.Options{}, func(tables.Record) error {
		if n++; n%2000 == 0 {
			peak = max(peak, live())
		}
		return nil
	})
	require.NoError(t, err)
	assert.Less(t, peak-before, int64(6<<20), "of 20 MB")
}

// asked returns the records as id|label|text.
func asked(file string, o tables.Options) (how tables.How, out []string, err error) {
	o.Asked = true
	how, err = tables.Read(ctx, file, o, func(r tables.Record) error {
		out = append(out, r.ID+"|"+r.Label+"|"+r.Text)
		return nil
	})
	return how, out, err
}

// Texts that a model is asked about may come without label, and with a name.
func TestAsked(t *testing.T) {
	for name, c := range map[string]struct {
		file, text string
		o          tables.Options
		want       []string
		how        string
	}{
		"text":           {"a.txt", "good film\n\nbad film\n", tables.Options{}, []string{"||good film", "||", "||bad film"}, "a text a line"},
		"labelled lines": {"a.txt", "pos good film\nneg bad\n", tables.Options{Format: tables.Lines}, []string{"|pos|good film", "|neg|bad"}, "lines of label and text"},
		"tabs":           {"a.txt", "pos\tgood film\nneg\tbad\npos\tso\n", tables.Options{}, []string{"|pos|good film", "|neg|bad", "|pos|so"}, "lines of label and text"},
		"a known label":  {"a.txt", "pos\tgood film\n", tables.Options{IsLabel: func(l string) bool { return l == "pos" }}, []string{"|pos|good film"}, "lines of label and text"},
		"tabs in texts":  {"a.txt", "well\tgood film\nso\tbad\n", tables.Options{IsLabel: func(l string) bool { return l == "pos" }}, []string{"||well\tgood film", "||so\tbad"}, "a text a line"},
		"fastText":       {"a.txt", "__label__pos good film\n__label__neg bad\n", tables.Options{}, []string{"|pos|good film", "|neg|bad"}, "lines of label and text"},
		"all columns":    {"a.csv", "label,text,id\npos,good,x\n,bad,y\n", tables.Options{}, []string{"x|pos|good", "y||bad"}, "CSV, text from text, labels from label, names from id"},
		"name and text":  {"a.csv", "id,text\nx,good\n", tables.Options{}, []string{"x||good"}, "CSV, text from text, names from id"},
		"text and other": {"a.csv", "when,text\n1,good\n", tables.Options{}, []string{"||good"}, "CSV, text from text"},
		"columns named":  {"a.tsv", "a\tb\tc\n1\tgood\tpos\n", tables.Options{Columns: [tables.Roles]string{"b", "c", "a"}}, []string{"1|pos|good"}, "TSV, text from b, labels from c, names from a"},
		"table by --format": {"a.txt", "text;id\ngood;x\n", tables.Options{Format: tables.CSV}, []string{"x||good"},
			"CSV, text from text, names from id"},
		"jsonl": {"a.jsonl", `{"id":7,"text":"good","label":1}` + "\n" + `{"id":null,"text":"bad","label":null}` + "\n" + `{"text":"so"}`,
			tables.Options{}, []string{"7|1|good", "||bad", "||so"}, "JSONL, text from text, labels from label, names from id"},
	} {
		t.Run(name, func(t *testing.T) {
			file := put(t, c.file, []byte(c.text))
			how, got := must.Get2(asked(file, c.o))(t)
			require.Equal(t, c.want, got)
			require.Equal(t, c.how, how.String())
		})
	}
	type row struct {
		Key   int64  `parquet:"key"`
		Text  string `parquet:"text,dict"`
		Label int32  `parquet:"label"`
	}
	file := put(t, "a.parquet", fixture.Parquet(t, 2, []row{{7, "good", 1}, {8, "bad", 0}}))
	_, got := must.Get2(asked(file, tables.Options{Columns: [tables.Roles]string{tables.ID: "key"}}))(t)
	require.Equal(t, []string{"7|1|good", "8|0|bad"}, got)
}

func TestStreamOfParquet(t *testing.T) {
	for _, asked := range []tables.Format{"", tables.Parquet} {
		_, err := tables.ReadFrom(ctx, strings.NewReader("PAR1 and more"), "standard input", tables.Options{Asked: true, Format: asked}, nil)
		require.EqualError(t, err, "standard input: is Parquet, which cannot be read from a stream: write it to a file first")
	}
}

// A stream is read as it comes: the first line need not wait for the rest.
func TestReadFromDoesNotWait(t *testing.T) {
	in, out := io.Pipe()
	got := make(chan string, 3)
	go func() {
		_, err := tables.ReadFrom(ctx, in, "standard input", tables.Options{Asked: true}, func(r tables.Record) error {
			got <- r.Where + " " + r.Text
			return nil
		})
		got <- strings.TrimSpace("end " + errText(err))
	}()
	next := func() string {
		select {
		case s := <-got:
			return s
		case <-time.After(10 * time.Second):
			return "nothing came"
		}
	}
	io.WriteString(out, "good film\nbad")
	require.Equal(t, "standard input: line 1 good film", next())
	io.WriteString(out, " film\n")
	require.Equal(t, "standard input: line 2 bad film", next())
	out.Close()
	require.Equal(t, "end", next())
}

func errText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
