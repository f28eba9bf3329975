package cache

import (
	"io"

	"imdbexp/dataset"
	"imdbexp/dataset/vectors"
)

// allMagic is the kind of the caches of vectors of all words.
const allMagic = "expveca1"

// vectorFile names the cache of the vectors with that digest for the words of
// a corpus.
func vectorFile(digest string, c *dataset.Corpus) string {
	return "vectors-" + digest[:min(16, len(digest))] + "-" + c.Key + ".bin"
}

// WriteVectors keeps the vectors of a corpus's words.
func WriteVectors(cache string, v *vectors.Set, c *dataset.Corpus) error {
	ids := make([]int32, len(v.Words)) // v.Words are in the order of the vocabulary
	id := int32(0)
	for i, w := range v.Words {
		for c.Vocab.Word(id) != w {
			id++
		}
		ids[i] = id
	}
	return at(cache).WriteFile(vectorFile(v.Digest, c), func(out io.Writer) error {
		w := newWriter(out, vectorsMagic)
		w.string(v.Digest)
		w.string(c.Digest)
		w.int(v.Dim)
		w.int(v.Total)
		writeArray(w, ids)
		writeArray(w, v.Rows)
		return w.close()
	})
}

// ReadVectors reads them back.
func ReadVectors(cache, digest string, c *dataset.Corpus) (*vectors.Set, error) {
	v := &vectors.Set{Digest: digest}
	err := readFlat(cache, vectorFile(digest, c), vectorsMagic, func(r *reader) error {
		same := r.string() == digest
		same = r.string() == c.Digest && same
		v.Dim, v.Total = r.int(), r.int()
		ids := readArray[int32](r)
		v.Rows = readArray[float32](r)
		if err := r.close(); err != nil {
			return err
		}
		if !same || v.Dim < 1 || v.Dim > vectors.MaxDim || len(v.Rows) != len(ids)*v.Dim {
			return errCache
		}
		v.Words = make([]string, len(ids))
		for i, id := range ids {
			if id < 0 || int(id) >= c.Vocab.Len() || i > 0 && id <= ids[i-1] {
				return errCache
			}
			v.Words[i] = c.Vocab.Word(id)
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}

// maxAllCache bounds the cache of vectors of all words, in bytes of values.
const maxAllCache = 1 << 30

// allFile names the cache of all vectors with that digest.
func allFile(digest string) string {
	return "vectors-" + digest[:min(16, len(digest))] + "-all.bin"
}

// WriteAllVectors keeps the vectors of all words, unless there are too many.
func WriteAllVectors(cache string, v *vectors.Set) error {
	if 4*len(v.Rows) > maxAllCache {
		return nil
	}
	return at(cache).WriteFile(allFile(v.Digest), func(out io.Writer) error {
		w := newWriter(out, allMagic)
		w.string(v.Digest)
		w.int(v.Dim)
		w.strings(v.Words)
		writeArray(w, v.Rows)
		return w.close()
	})
}

// ReadAllVectors reads them back.
func ReadAllVectors(cache, digest string) (*vectors.Set, error) {
	v := &vectors.Set{Digest: digest}
	err := readFlat(cache, allFile(digest), allMagic, func(r *reader) error {
		same := r.string() == digest
		v.Dim = r.int()
		v.Words = r.strings()
		v.Rows = readArray[float32](r)
		if err := r.close(); err != nil {
			return err
		}
		if !same || v.Dim < 1 || v.Dim > vectors.MaxDim || len(v.Rows) != len(v.Words)*v.Dim {
			return errCache
		}
		v.Total = len(v.Words)
		return nil
	})
	if err != nil {
		return nil, err
	}
	return v, nil
}
