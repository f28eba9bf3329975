package cache

import (
	"context"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
	"imdbexp/internal/testkit/must"
)

// A corpus comes out of the cache as it went in, mapped or read; a file of another version
// or a damaged one never does.
func TestCorpus(t *testing.T) {
	tok := token.PTB
	for _, least := range []int64{0, 1 << 20} {
		before := leastMapped
		leastMapped = least
		t.Cleanup(func() { leastMapped = before })
		dir := t.TempDir()
		want := must.Get(dataset.Build(t.Context(), "", few{}, tok))(t)
		require.NoError(t, WriteCorpus(dir, want))
		got := must.Get(ReadCorpus(dir, want.Digest, tok))(t)
		assert.Equal(t, want.Vocab.Words, got.Vocab.Words)
		assert.Equal(t, []dataset.Split{want.Train, want.Test, want.Extra}, []dataset.Split{got.Train, got.Test, got.Extra})

		path := filepath.Join(dir, "corpus-"+want.Key+".bin")
		whole := must.Get(os.ReadFile(path))(t)
		for i := 0; i < len(whole); i += 7 {
			bad := append(append(append([]byte(nil), whole[:i]...), whole[i]^0x41), whole[i+1:]...)
			require.NoError(t, os.Remove(path)) // what is mapped is never changed in its place
			require.NoError(t, os.WriteFile(path, bad, 0o644))
			require.Error(t, must.Fail(ReadCorpus(dir, want.Digest, tok)), "byte %d", i)
		}
	}
}

// few is a corpus of four reviews.
type few struct{}

func (few) String() string    { return "few" }
func (few) Classes() []string { return []string{"a", "b"} }
func (few) Reviews(_ context.Context, yield func(dataset.Part, dataset.Review) error) error {
	for i := range 4 {
		if err := yield(dataset.Part(i/2), dataset.Review{ID: string(rune('a' + i)), Text: "b c", Label: i % 2}); err != nil {
			return err
		}
	}
	return nil
}
