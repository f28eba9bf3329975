package pairs

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"testing"
	"unicode/utf8"

	"github.com/klauspost/compress/gzip"
	"github.com/stretchr/testify/require"
)

// FuzzPairs feeds lines to the reader of installed pairs: they are sound pairs, or
// an error says where they are not.
func FuzzPairs(f *testing.F) {
	file := filepath.Join(f.TempDir(), "mine.pairs.jsonl.gz")
	require.NoError(f, Write(file, "mine", []string{"a.tsv"}, []Pair{{"train/1", "a", "x"}, {"train/2", "é", "<s>"}}, []Pair{{"test/1", "b", "y"}}))
	packed, err := os.Open(file)
	require.NoError(f, err)
	z, err := gzip.NewReader(packed)
	require.NoError(f, err)
	var text bytes.Buffer
	_, err = text.ReadFrom(z)
	require.NoError(f, err)
	require.NoError(f, packed.Close())
	f.Add(text.Bytes())
	f.Add([]byte(`{"format":1,"pairs":[1,1]}` + "\n{}\n"))
	f.Add([]byte(`{"format":2}` + "\n"))
	f.Fuzz(func(t *testing.T, b []byte) {
		require.NoError(t, os.WriteFile(file, b, 0o644))
		train, test, err := Read(context.Background(), file, "shown", nil)
		if err != nil {
			require.ErrorContains(t, err, "shown")
			return
		}
		require.NotEmpty(t, train)
		require.NotEmpty(t, test)
		for _, p := range append(train, test...) {
			require.True(t, p.ID != "" && p.Source != "" && p.Target != "")
			require.True(t, utf8.ValidString(p.Source+p.Target))
		}
	})
}
