package dataset_test

import (
	"bytes"
	"context"
	"encoding/json"
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

// readPairs returns the pairs as source|target|split.
func readPairs(t *testing.T, name, text string, o tables.Options) (how string, out []string, err error) {
	o.Pairs = true
	h, err := tables.Read(ctx, put(t, name, text), o, func(p tables.Record) error {
		out = append(out, p.Text+"|"+p.Label+"|"+p.Split)
		return nil
	})
	return h.String(), out, err
}

func TestPairs(t *testing.T) {
	plain, split := []string{"a red|rouge|", "no|non|"}, []string{"a red|rouge|train", "no|non|test"}
	for name, x := range map[string]struct {
		file, text, how string
		want            []string
	}{
		"no header":      {"a.tsv", "a red\trouge\nno\tnon\n", "TSV, source from column 1, target from column 2", plain},
		"any name":       {"a", "a red\t rouge \n\nno\tnon", "TSV, source from column 1, target from column 2", plain},
		"plain text":     {"a.txt", "a red\trouge\r\nno\tnon\r\n", "TSV, source from column 1, target from column 2", plain},
		"split":          {"a.tsv", "a red\trouge\ttrain\nno\tnon\ttest\n", "TSV, source from column 1, target from column 2, split from column 3", split},
		"header":         {"a.tsv", "Split\tid\ttarget\tSource\ntrain\t1\trouge\ta red\ntest\t2\tnon\tno\n", "TSV, source from Source, target from target, split from Split", split},
		"sides":          {"a.tsv", "tgt\tSrc\nrouge\ta red\nnon\tno\n", "TSV, source from Src, target from tgt", plain},
		"one name":       {"a.tsv", "en\ta word\nno\tnon\n", "TSV, source from column 1, target from column 2", []string{"en|a word|", "no|non|"}},
		"a split pair":   {"a.tsv", "en\tfr\ttrain\n", "TSV, source from column 1, target from column 2, split from column 3", []string{"en|fr|train"}},
		"names above":    {"a.tsv", "source\ttarget\nen\tfr\n", "TSV, source from source, target from target", []string{"en|fr|"}},
		"header alone":   {"a.tsv", "source\ttarget\n", "TSV, source from source, target from target", nil},
		"a word source":  {"a.tsv", "source\tsource\nno\tnon\n", "TSV, source from column 1, target from column 2", []string{"source|source|", "no|non|"}},
		"CSV":            {"a.csv", "source,target\n\"a, red\",rouge\nno,non\n", "CSV, source from source, target from target", []string{"a, red|rouge|", "no|non|"}},
		"semicolons":     {"a.csv", "source;target\na, red;rouge\nno;non\n", "CSV, source from source, target from target", []string{"a, red|rouge|", "no|non|"}},
		"JSONL":          {"a.jsonl", "{\"target\":\"rouge\",\"id\":3,\"source\":\"a red\"}\n\n{\"source\":\"no\",\"target\":\"non\"}\n", "JSONL, source from source, target from target", plain},
		"JSONL by sight": {"a", `{"source":"no","target":"non","split":"test"}`, "JSONL, source from source, target from target, split from split", split[1:]},
		"quotes":         {"a.tsv", "\"a\tb\"\tc\nsay \"no\"\tnon\n", "TSV, source from column 1, target from column 2", []string{"a\tb|c|", "say \"no\"|non|"}},
		"empty sides":    {"a.tsv", "a\t\n\tb\n", "TSV, source from column 1, target from column 2", []string{"a||", "|b|"}},
		"gzip":           {"a.tsv.gz", string(fixture.Gzip(t, []byte("a red\trouge\nno\tnon\n"))), "TSV, source from column 1, target from column 2", plain},
	} {
		how, got := must.Get2(readPairs(t, x.file, x.text, tables.Options{}))(t)
		assert.Equal(t, x.how, how, name)
		assert.Equal(t, x.want, got, name)
	}
	for header, want := range map[string][]string{"": append([]string{"en|fr|"}, plain...), "yes": plain, "no": append([]string{"en|fr|"}, plain...)} {
		_, got := must.Get2(readPairs(t, "a.tsv", "en\tfr\na red\trouge\nno\tnon\n", tables.Options{Header: header}))(t)
		assert.Equal(t, want, got, header)
	}
}

func TestBadPairs(t *testing.T) {
	for want, x := range map[string]struct{ file, text string }{
		"a.tsv: is empty": {"a.tsv", ""},
		"a.tsv: line 2: 3 columns instead of 2: quote":                                               {"a.tsv", "a\tb\nc\td\te\n"},
		"a.tsv: line 3: 1 columns instead of 2: fill":                                                {"a.tsv", "a\tb\n\nc\n"},
		"a.tsv: line 1: 4 columns: keep the sentence, its translation":                               {"a.tsv", "a\tb\tc\td\n"},
		"a.txt: line 1: a single column: put a tab between":                                          {"a.txt", "a b\n"},
		"a.tsv: line 2, column \"column 2\": byte 1 is not UTF-8: save the file as UTF-8":            {"a.tsv", "a\tb\na\t\xe9\n"},
		"a.tsv: line 1, column \"column 1\": byte 2 is NUL":                                          {"a.tsv", "a\x00\tb\n"},
		"a.tsv: is binary, not text":                                                                 {"a.tsv", "a\x00\x01b\n"},
		"a.jsonl: line 2, column \"target\": is missing in this object":                              {"a.jsonl", "{\"source\":\"a\",\"target\":\"b\"}\n{\"source\":\"a\"}"},
		"a.jsonl: line 1, column \"source\": is not a string but \"[1]\": quote it":                  {"a.jsonl", `{"source":[1],"target":"b"}`},
		"a.jsonl: line 1: is an array, not a JSON object on one line":                                {"a.jsonl", "[]"},
		"a.jsonl: line 1: byte 12 is not UTF-8":                                                      {"a.jsonl", "{\"source\":\"\xe9\"}"},
		"a.tsv: line 1: longer than 50 bytes":                                                        {"a.tsv", "a\t" + strings.Repeat("b", 60)},
		"a.tsv: line 3: more than 2 texts":                                                           {"a.tsv", "a\tb\nc\td\ne\tf\n"},
		"a.csv: line 2, column \"target\": longer than 50 bytes, the limit for one text":             {"a.csv", "source,target\na," + strings.Repeat("b", 60)},
		"a.parquet: is Parquet; write sentence pairs as TSV":                                         {"a.parquet", "PAR1 PAR1"},
		"a.csv: line 1: 5 columns: keep the sentence, its translation and optionally train or test,": {"a.csv", "a,b,c,d,e\n"},
	} {
		_, _, err := readPairs(t, x.file, x.text, tables.Options{Limits: dataset.Limits{ReviewBytes: 50, Reviews: 2}})
		require.ErrorContains(t, err, want)
	}
	require.ErrorContains(t, must.Fail(tables.Read(ctx, t.TempDir(), tables.Options{Pairs: true}, nil)), "is a folder; give a file, with one text or pair per line")
}

func FuzzPairs(f *testing.F) {
	for _, s := range []string{"a\tb\n", "source\ttarget\tsplit\na\tb\ttest\n", "\"a\tb\"\tc\n", "{\"source\":\"a\",\"target\":\"b\"}", "a,b\n", "\xff\xfe"} {
		f.Add([]byte(s))
	}
	file := filepath.Join(f.TempDir(), "a.tsv")
	f.Fuzz(func(t *testing.T, b []byte) {
		require.NoError(t, os.WriteFile(file, b, 0o644))
		n := 0
		_, err := tables.Read(ctx, file, tables.Options{Pairs: true, Limits: dataset.Limits{ReviewBytes: 100, Reviews: 9}}, func(p tables.Record) error {
			n++
			require.True(t, utf8.ValidString(p.Text+p.Label+p.Split))
			require.NotContains(t, p.Text+p.Label, "\x00")
			require.LessOrEqual(t, max(len(p.Text), len(p.Label)), 100)
			require.True(t, strings.HasPrefix(p.Where, file+": line "))
			return nil
		})
		require.LessOrEqual(t, n, 9)
		if err != nil {
			require.ErrorContains(t, err, file)
		}
	})
}

// Each way to mark reasons gives the bytes that were meant.
func TestRationales(t *testing.T) {
	const text = "été: not good, notably not good."
	want := [][2]int{{7, 15}, {25, 33}} // é is two bytes
	for name, c := range map[string]struct {
		rationale string // in CSV, or as JSON
		json      bool
		want      [][2]int
	}{
		"spans":            {rationale: "5-13, 23-31", want: want},
		"spans that touch": {rationale: "5-8 8-13;23-31", want: want},
		"words":            {rationale: "not good", want: want},
		"parts":            {rationale: "good | notably", want: [][2]int{{11, 15}, {17, 24}, {29, 33}}},
		"whole words":      {rationale: "not", want: [][2]int{{7, 10}, {25, 28}}},
		"nothing":          {rationale: ""},
		"JSON text":        {rationale: `"5-13 23-31"`, json: true, want: want},
		"JSON null":        {rationale: "null", json: true},
	} {
		t.Run(name, func(t *testing.T) {
			got, how := must.Get2(readRationale(t, text, c.rationale, c.json))(t)
			require.Equal(t, c.want, got)
			require.Contains(t, how.String(), "rationales from rationale")
		})
	}
	for rationale, want := range map[string]string{
		"5-99":      "5-99 is outside the text of 32 characters",
		"8-8":       "8-8 is outside the text",
		"very good": `"very good" is not in the text`,
	} {
		_, _, err := readRationale(t, text, rationale, false)
		require.ErrorContains(t, err, want)
		require.ErrorContains(t, err, "column \"rationale\"")
	}
	require.ErrorContains(t, must.Fail2(readRationale(t, text, "[[1,2]]", true)), "is neither a string nor a number")
}

func readRationale(t *testing.T, text, rationale string, json bool) (got [][2]int, how tables.How, err error) {
	file := filepath.Join(t.TempDir(), "a.csv")
	content := "text,label,rationale\n\"" + text + "\",pos,\"" + rationale + "\"\n"
	if json {
		file = filepath.Join(t.TempDir(), "a.jsonl")
		content = `{"text":"` + text + `","label":"pos","rationale":` + rationale + "}\n"
	}
	require.NoError(t, os.WriteFile(file, []byte(content), 0o666))
	how, err = tables.Read(context.Background(), file, tables.Options{}, func(r tables.Record) error {
		got = r.Rationale
		return nil
	})
	return got, how, err
}

// Whatever a rationale holds, what is marked are parts of the text, rising and apart, at
// the borders of characters.
func FuzzRationale(f *testing.F) {
	f.Add("été: not good", "5-13")
	f.Add("a b a", "a|b")
	f.Add("x", "0-99999999999999999999")
	f.Fuzz(func(t *testing.T, text, rationale string) {
		line := must.Get(json.Marshal(map[string]string{"text": text, "label": "pos", "rationale": rationale}))(t)
		_, _ = tables.ReadFrom(context.Background(), bytes.NewReader(line), "x.jsonl", tables.Options{Format: tables.JSONL}, func(r tables.Record) error {
			end := -1
			for _, s := range r.Rationale {
				require.True(t, end < s[0] && s[0] < s[1] && s[1] <= len(r.Text), "%v of %q", r.Rationale, r.Text)
				require.True(t, utf8.ValidString(r.Text[s[0]:s[1]]))
				end = s[1]
			}
			return nil
		})
	})
}
