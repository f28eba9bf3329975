package cache

import (
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
	"imdbexp/dataset/vectors"
)

// FuzzCache feeds bytes to the readers of caches, with a checksum that is right
// so that they come to be read.
func FuzzCache(f *testing.F) {
	tok := token.PTB{}
	s, err := dataset.Sort(f.Context(), "x", few{}, tok, nil)
	require.NoError(f, err)
	v := &vectors.Set{Digest: "fedcba9876543210f", Dim: 2, Words: []string{"b"}, Rows: []float32{1, 2}}
	dir := f.TempDir()
	require.NoError(f, WriteCorpus(dir, s))
	c, err := s.Load()
	require.NoError(f, err)
	require.NoError(f, WriteVectors(dir, v, c))
	corpusName := "corpus-" + c.Key + ".bin"
	vectorsName, _ := vectorFile(v.Digest, c)
	for _, name := range []string{corpusName, vectorsName} {
		b, err := os.ReadFile(filepath.Join(dir, name))
		require.NoError(f, err)
		f.Add(b[:len(b)-4])
	}
	f.Fuzz(func(t *testing.T, b []byte) {
		dir := t.TempDir()
		for _, name := range []string{corpusName, vectorsName} {
			require.NoError(t, os.WriteFile(filepath.Join(dir, name), withSum(b), 0o644))
		}
		if got, err := ReadCorpus(dir, c.Digest, tok, false); err == nil {
			for _, s := range []*dataset.Split{&got.Train, &got.Test} {
				for i := range s.Len() {
					for _, id := range s.Words(i) {
						got.Vocab.Word(id)
					}
				}
			}
		}
		if got, err := ReadVectors(dir, v.Digest, c); err == nil {
			for i := range got.Words {
				got.Row(i)
			}
		}
	})
}

// few is a corpus of four reviews.
type few struct{}

func (few) String() string    { return "few" }
func (few) Classes() []string { return []string{"neg", "pos"} }
func (few) Reviews(_ context.Context, yield func(dataset.Part, dataset.Review) error) error {
	for i, text := range []string{"a", "b a", "a", "b a"} {
		if err := yield(dataset.Part(i/2), dataset.Review{ID: text, Text: text, Label: i % 2}); err != nil {
			return err
		}
	}
	return nil
}

// withSum appends the checksum that a cache file ends with.
func withSum(b []byte) []byte {
	sum := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return binary.LittleEndian.AppendUint32(bytes.Clone(b), sum)
}
