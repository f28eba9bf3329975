package cache

import (
	"io"

	"imdbexp/dataset"
	"imdbexp/dataset/vectors"
)

// vectorFile names the cache of the vectors with that digest, for the words of a corpus by its key,
// or for all words.
func vectorFile(digest, words string) string {
	return "vectors-" + digest[:min(16, len(digest))] + "-" + words + ".bin"
}

const allWords = "all"

// WriteVectors stores the vectors of a corpus's words.
func WriteVectors(cache string, v *vectors.Set, c *dataset.Corpus) error {
	return writeVectors(cache, vectorFile(v.Digest, c.Key), v, c.Digest)
}

// ReadVectors reads the vectors of a corpus's words.
func ReadVectors(cache, digest string, c *dataset.Corpus) (*vectors.Set, error) {
	return readVectors(cache, vectorFile(digest, c.Key), digest, c.Digest)
}

// maxAllCache bounds the cache of vectors of all words, in bytes of values.
const maxAllCache = 1 << 30

// WriteAllVectors stores the vectors of all words, unless there are too many.
func WriteAllVectors(cache string, v *vectors.Set) error {
	if 4*len(v.Rows) > maxAllCache {
		return nil
	}
	return writeVectors(cache, vectorFile(v.Digest, allWords), v, "")
}

// ReadAllVectors reads the vectors of all words.
func ReadAllVectors(cache, digest string) (*vectors.Set, error) {
	return readVectors(cache, vectorFile(digest, allWords), digest, "")
}

func writeVectors(cache, file string, v *vectors.Set, corpus string) error {
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

func readVectors(cache, file, digest, corpus string) (v *vectors.Set, err error) {
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
