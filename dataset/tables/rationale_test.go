package tables_test

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset/tables"
	"imdbexp/internal/testkit/must"
)

// Each way to mark reasons gives the bytes that were meant.
func TestRationales(t *testing.T) {
	const text = "été: not good, notably not good."
	want := [][2]int{{7, 15}, {25, 33}} // é is two bytes
	for name, c := range map[string]struct {
		rationale string // in CSV, or as JSON
		json      bool
		want      [][2]int
	}{
		"spans":               {rationale: "5-13, 23-31", want: want},
		"spans that touch":    {rationale: "5-8 8-13;23-31", want: want},
		"words":               {rationale: "not good", want: want},
		"parts":               {rationale: "good | notably", want: [][2]int{{11, 15}, {17, 24}, {29, 33}}},
		"whole words":         {rationale: "not", want: [][2]int{{7, 10}, {25, 28}}},
		"nothing":             {rationale: ""},
		"JSON spans":          {rationale: "[[5,13],[23,31]]", json: true, want: want},
		"JSON words":          {rationale: `["not good"]`, json: true, want: want},
		"JSON text":           {rationale: `"5-13 23-31"`, json: true, want: want},
		"JSON null":           {rationale: "null", json: true},
		"JSON nothing marked": {rationale: "[]", json: true},
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
	require.ErrorContains(t, must.Fail2(readRationale(t, text, "[[1,2,3]]", true)), "a span is two numbers")
	require.ErrorContains(t, must.Fail2(readRationale(t, text, "7", true)), "is not a rationale")
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
