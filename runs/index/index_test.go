package index_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/fsx"
	"imdbexp/runs/index"
)

var rows = []index.Row{
	{Key: "a", Stamp: "1", Texts: []string{"lr", "0.1", "", "lr"}},
	{Key: "b", Stamp: "", Texts: []string{"lr", "0.2"}},
	{Key: "c", Stamp: "2", Texts: []string{}},
}

func written(t testing.TB) (fsx.Dir, []byte) {
	t.Helper()
	dir := t.TempDir()
	require.NoError(t, index.Write(fsx.In(dir), "x", "v1", rows))
	b, err := os.ReadFile(filepath.Join(dir, "x"))
	require.NoError(t, err)
	return fsx.In(dir), b
}

func TestWhatWasWrittenIsRead(t *testing.T) {
	d, _ := written(t)
	table := index.Read(d, "x", "v1")
	require.Equal(t, len(rows), table.Len())
	for _, r := range rows {
		texts, ok := table.Get(nil, r.Key, r.Stamp)
		require.True(t, ok)
		require.Equal(t, r.Texts, append([]string{}, texts...))
		_, ok = table.Get(nil, r.Key, r.Stamp+"x")
		require.False(t, ok, "of the past")
	}
	_, ok := table.Get(nil, "nosuch", "1")
	require.False(t, ok)
	require.Zero(t, index.Read(d, "x", "v2").Len(), "of another program")
	require.Zero(t, index.Read(d, "nosuch", "v1").Len())
}

// An index that is not what was written, in any byte or its length, is none.
func TestDamaged(t *testing.T) {
	_, b := written(t)
	require.Equal(t, len(rows), index.Parse(b, "v1").Len())
	for i := range b {
		other := strings.Clone(string(b))
		require.Zero(t, index.Parse([]byte(other[:i]), "v1").Len(), "cut at %d", i)
		changed := []byte(other)
		changed[i]++
		require.Zero(t, index.Parse(changed, "v1").Len(), "byte %d", i)
	}
	require.Zero(t, index.Parse(append(b, 0), "v1").Len())
}

// Whatever the bytes behind a right sum, reading them ends without a panic and asks for no
// more memory than they have.
func FuzzParse(f *testing.F) {
	_, b := written(f)
	f.Add(b)
	f.Fuzz(func(t *testing.T, b []byte) {
		table := index.Parse(index.Reseal(b), "v1")
		for _, r := range rows {
			table.Get(nil, r.Key, r.Stamp)
		}
	})
}
