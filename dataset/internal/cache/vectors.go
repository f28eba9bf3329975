package cache

import (
	"errors"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/mapped"
)

// vectorFile names the cache of the vectors with that digest, for the words of a corpus by its key,
// or for all words.
func vectorFile(digest string, c *dataset.Corpus) (file, corpus string) {
	key := "all"
	if c != nil {
		key, corpus = c.Key, c.Digest
	}
	return "vectors-" + digest[:min(16, len(digest))] + "-" + key + ".bin", corpus
}

// maxAllCache bounds the cache of vectors of all words, in bytes of values.
const maxAllCache = 1 << 30

// WriteVectors stores the vectors of a corpus's words; of all words, unless they are too many, for nil.
func WriteVectors(cache string, v *vectors.Set, c *dataset.Corpus) error {
	if c == nil && 4*len(v.Rows) > maxAllCache {
		return nil
	}
	file, corpus := vectorFile(v.Digest, c)
	x := index{Kind: vectorsKind, Digest: v.Digest, Corpus: corpus, Dim: v.Dim, Total: v.Total}
	return write(cache, file, x, func(w *writer) error {
		return errors.Join(w.strings("words", v.Words), numbers(w, "rows", v.Rows))
	})
}

// ReadVectors reads the vectors of a corpus's words, or of all words for nil.
func ReadVectors(cache, digest string, c *dataset.Corpus) (*vectors.Set, error) {
	name, corpus := vectorFile(digest, c)
	f, err := read(cache, name, vectorsKind)
	if err != nil {
		return nil, err
	}
	rows := array[float32](f, "rows")
	v := &vectors.Set{Digest: digest, Dim: f.Dim, Total: f.Total, Words: f.strings("words"), Rows: slices.Clone(rows)}
	mapped.Release(rows)
	if f.Digest != digest || f.Corpus != corpus || len(v.Rows) != len(v.Words)*v.Dim {
		return nil, errDamaged
	}
	return v, nil
}
