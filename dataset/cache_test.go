package dataset_test

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/cache"
	"imdbexp/dataset/token"
	"imdbexp/internal/testkit/must"
)

// A corpus comes out of the cache as it went in, mapped, which files of 1 MB are, or read; a file of
// another version or a damaged one never does.
func TestCorpusCache(t *testing.T) {
	tok := token.PTB
	for text, large := range map[fourTimes]bool{"b c": false, fourTimes(strings.Repeat("b c ", 1<<15)): true} {
		dir := t.TempDir()
		want := must.Get(dataset.Build(t.Context(), "", text, tok))(t)
		require.NoError(t, cache.WriteCorpus(dir, want))
		got := must.Get(cache.ReadCorpus(dir, want.Digest, tok))(t)
		assert.Equal(t, want.Vocab.Words, got.Vocab.Words)
		assert.Equal(t, []dataset.Split{want.Train, want.Test, want.Extra}, []dataset.Split{got.Train, got.Test, got.Extra})

		path := filepath.Join(dir, "corpus-"+want.Key+".bin")
		whole := must.Get(os.ReadFile(path))(t)
		assert.Equal(t, large, len(whole) >= 1<<20)
		for i, step := 0, 7; i < len(whole); i += step {
			if large {
				step = max(7, (len(whole)-i)/4) // the index of the sections is at the end
			}
			bad := append(append(append([]byte(nil), whole[:i]...), whole[i]^0x41), whole[i+1:]...)
			require.NoError(t, os.Remove(path)) // what is mapped is never changed in its place
			require.NoError(t, os.WriteFile(path, bad, 0o644))
			require.Error(t, must.Fail(cache.ReadCorpus(dir, want.Digest, tok)), "byte %d", i)
		}
	}
}

// fourTimes is a corpus of four reviews with this text.
type fourTimes string

func (fourTimes) String() string    { return "four times" }
func (fourTimes) Classes() []string { return []string{"a", "b"} }
func (text fourTimes) Reviews(_ context.Context, yield func(dataset.Part, dataset.Review) error) error {
	for i := range 4 {
		if err := yield(dataset.Part(i/2), dataset.Review{ID: string(rune('a' + i)), Text: string(text), Label: i % 2}); err != nil {
			return err
		}
	}
	return nil
}
