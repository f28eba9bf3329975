package dataset

import (
	"archive/tar"
	"bytes"
	"context"
	"encoding/binary"
	"hash/crc32"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/dataset/token"
)

// FuzzTar feeds bytes to the tar reader: whatever it yields is a review.
func FuzzTar(f *testing.F) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for name, text := range map[string]string{"a/train/pos/0_9.txt": "good", "a/README": "x", "a/train/unsup/1_0.txt": ""} {
		require.NoError(f, w.WriteHeader(&tar.Header{Name: name, Mode: 0o644, Size: int64(len(text))}))
		_, err := w.Write([]byte(text))
		require.NoError(f, err)
	}
	require.NoError(f, w.Close())
	f.Add(out.Bytes())
	f.Add(out.Bytes()[:700])
	limits := Limits{ReviewBytes: 1 << 16, Reviews: 100}
	f.Fuzz(func(t *testing.T, b []byte) {
		err := readTar(context.Background(), "fuzz", bytes.NewReader(b), limits, func(p Part, r Review) error {
			assert.True(t, utf8.ValidString(r.Text))
			assert.LessOrEqual(t, len(r.Text), len(b))
			assert.True(t, strings.HasPrefix(r.ID, "train/") || strings.HasPrefix(r.ID, "test/"), r.ID)
			assert.Equal(t, p == Extra, r.Label == Unlabelled)
			return nil
		})
		if err != nil {
			assert.ErrorContains(t, err, "fuzz")
		}
	})
}

// FuzzCache feeds bytes to the readers of caches, with a checksum that is right
// so that they come to be read.
func FuzzCache(f *testing.F) {
	tok := token.PTB{}
	c := &Corpus{Digest: "0123456789abcdef0", Tokenizer: tok.Name(), Classes: []string{"neg", "pos"}, Vocab: newVocab([]string{"a", "b"}, []int64{2, 1})}
	c.Train = Split{IDs: []int32{0, 1, 0}, Offsets: []int{0, 1, 3}, Labels: []int32{0, 1}, Names: []string{"x", "y"}}
	c.Test, c.Extra = c.Train, Split{Offsets: []int{0}}
	c.key = cacheKey(c.Digest, tok)
	v := &Vectors{Digest: "fedcba9876543210f", Dim: 2, Words: []string{"b"}, Rows: []float32{1, 2}}
	dir := f.TempDir()
	require.NoError(f, writeCorpus(dir, c))
	require.NoError(f, writeVectorCache(dir, v, c))
	corpusName, vectorsName := "corpus-"+c.key+".bin", filepath.Base(vectorFile(dir, v.Digest, c))
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
		if got, err := readCorpus(dir, c.Digest, tok, false); err == nil {
			for _, s := range []*Split{&got.Train, &got.Test} {
				for i := range s.Len() {
					for _, id := range s.Words(i) {
						got.Vocab.Word(id)
					}
				}
			}
		}
		if got, err := readVectorCache(dir, v.Digest, c); err == nil {
			for i := range got.Words {
				got.Row(i)
			}
		}
	})
}

func TestSafeName(t *testing.T) {
	assert.Equal(t, `"a\x00b"`, quoteName("a\x00b"))
	assert.Less(t, len(quoteName(strings.Repeat("x", 1000))), 220)
}

// withSum appends the checksum that package flat expects.
func withSum(b []byte) []byte {
	sum := crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli))
	return binary.LittleEndian.AppendUint32(bytes.Clone(b), sum)
}
