package tables_test

import (
	"io"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/parquet-go/parquet-go"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/tables"
)

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
			how, got, err := asked(file, c.o)
			require.NoError(t, err)
			require.Equal(t, c.want, got)
			require.Equal(t, c.how, how.String())
		})
	}
	type row struct {
		Key   int64  `parquet:"key"`
		Text  string `parquet:"text,dict"`
		Label int32  `parquet:"label"`
	}
	file := put(t, "a.parquet", nil)
	require.NoError(t, parquet.WriteFile(file, []row{{7, "good", 1}, {8, "bad", 0}}))
	_, got, err := asked(file, tables.Options{Columns: [tables.Roles]string{tables.ID: "key"}})
	require.NoError(t, err)
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

// Reading from a stream gives what reading the file gives, if the beginning of the stream tells
// the format.
func FuzzReadFrom(f *testing.F) {
	for _, s := range []string{"good\n\nbad", "id,text\nx,\"a\nb\"\n", `{"text":"a","id":1}`, "text;label\na;b\n", "text\tlabel\n\"a\tb\"\t1\n", "\xef\xbb\xbftext,label\n", "PAR1", "\x1f\x8b"} {
		f.Add([]byte(s))
	}
	file := f.TempDir() + "/a"
	f.Fuzz(func(t *testing.T, b []byte) {
		require.NoError(t, os.WriteFile(file, b, 0o644))
		o := tables.Options{Asked: true, Limits: dataset.Limits{ReviewBytes: 1 << 12, TotalBytes: 1 << 14, Reviews: 100}}
		how, want, err := asked(file, o)
		var got []string
		as, streamed := tables.ReadFrom(ctx, strings.NewReader(string(b)), file, o, func(r tables.Record) error {
			got = append(got, r.ID+"|"+r.Label+"|"+r.Text)
			return nil
		})
		if err == nil && as.Format == how.Format {
			require.NoError(t, streamed)
			require.Equal(t, want, got)
		}
		if streamed != nil {
			require.ErrorContains(t, streamed, file)
		}
	})
}
