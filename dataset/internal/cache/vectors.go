package cache

import (
	"io"

	"imdbexp/dataset"
	"imdbexp/dataset/vectors"
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
	return at(cache).WriteFile(file, func(out io.Writer) error {
		w := newWriter(out, vectorsMagic)
		w.string(v.Digest)
		w.string(corpus)
		w.int(v.Dim)
		w.int(v.Total)
		w.strings(v.Words)
		writeArray(w, v.Rows)
		return w.close()
	})
}

// ReadVectors reads the vectors of a corpus's words, or of all words for nil.
func ReadVectors(cache, digest string, c *dataset.Corpus) (v *vectors.Set, err error) {
	file, corpus := vectorFile(digest, c)
	err = readFlat(cache, file, vectorsMagic, func(r *reader) error {
		v = &vectors.Set{Digest: r.string()}
		same := r.string() == corpus && v.Digest == digest
		v.Dim, v.Total, v.Words, v.Rows = r.int(), r.int(), r.strings(), readArray[float32](r)
		if err := r.close(); err != nil {
			return err
		}
		if !same || v.Dim < 1 || v.Dim > vectors.MaxDim || len(v.Rows) != len(v.Words)*v.Dim {
			return errCache
		}
		return nil
	})
	return v, err
}
