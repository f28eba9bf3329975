package cache

import (
	"bytes"
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
	c := &dataset.Corpus{Digest: "0123456789abcdef0", Tokenizer: tok.Name(), Classes: []string{"neg", "pos"}, Vocab: dataset.NewVocab([]string{"a", "b"}, []int64{2, 1})}
	c.Train = dataset.Split{IDs: []int32{0, 1, 0}, Offsets: []int{0, 1, 3}, Labels: []int32{0, 1}, Names: []string{"x", "y"}}
	c.Test, c.Extra = c.Train, dataset.Split{Offsets: []int{0}}
	c.Key = dataset.KeyOf(c.Digest, tok)
	v := &vectors.Set{Digest: "fedcba9876543210f", Dim: 2, Words: []string{"b"}, Rows: []float32{1, 2}}
	dir := f.TempDir()
	require.NoError(f, WriteCorpus(dir, c))
	require.NoError(f, WriteVectors(dir, v, c))
	corpusName, vectorsName := "corpus-"+c.Key+".bin", vectorFile(v.Digest, c)
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

// withSum appends the checksum that package flat expects.
func withSum(b []byte) []byte {
	sum := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return binary.LittleEndian.AppendUint32(bytes.Clone(b), sum)
}
