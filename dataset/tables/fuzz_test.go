package tables_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/tables"
	"imdbexp/internal/testkit/fixture"
)

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
			{Limits: dataset.Limits{ReviewBytes: 20, TotalBytes: 100, Reviews: 3}, Encoding: "latin1"},
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
