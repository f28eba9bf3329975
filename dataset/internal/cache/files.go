// Package cache stores corpora and vectors under the digest of their content, so they are read
// from the source only once. A missing or damaged file is replaced from the source.
package cache

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/fsx"
	"imdbexp/internal/mapped"
)

// A stamp stores the content digest of a file. While the file has not changed, it is not read again.

// stampFile returns the name of the stamp of path.
func stampFile(path string) string {
	sum := sha256.Sum256([]byte(path))
	return "stamp-" + hex.EncodeToString(sum[:8]) + ".txt"
}

// ReadStamp returns the stored digest of path, or "" if there is none or path has changed.
func ReadStamp(cache, path string) string {
	state, err1 := StateOf(path)
	b, err2 := fsx.In(cache).ReadFile(stampFile(path), 1<<16)
	was, digest, _ := strings.Cut(strings.TrimSpace(string(b)), "\n")
	if err1 != nil || err2 != nil || was != state {
		return ""
	}
	return digest
}

// WriteStamp stores the digest of path, which was in that state.
func WriteStamp(cache, path, state, digest string) error {
	if err := fsx.In(cache).Make(); err != nil {
		return err
	}
	return fsx.In(cache).WriteBytes(stampFile(path), []byte(state+"\n"+digest+"\n"))
}

// RemoveStamp removes the stored digest of path.
func RemoveStamp(cache, path string) error { return fsx.In(cache).Remove(stampFile(path)) }

// StateOf describes a file by its size and modification time.
func StateOf(path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	return fmt.Sprint(info.Size(), " ", info.ModTime().UnixNano()), nil
}

// Forget removes the cache files of the content with that digest.
func Forget(cache, digest string) (all error) {
	entries, _ := fsx.In(cache).Entries()
	for _, e := range entries {
		if len(digest) >= 16 && strings.Contains(e.Name(), "-"+digest[:16]+"-") && strings.HasSuffix(e.Name(), ".bin") {
			all = errors.Join(all, fsx.In(cache).Remove(e.Name()))
		}
	}
	return all
}

// Kinds of cache files; the digit is the version of their format. A file of another
// version is replaced.
const (
	corpusKind  = "corpus 4"
	vectorsKind = "vectors 3"
)

// WriteCorpus writes the cache of a corpus.
func WriteCorpus(cache string, c *dataset.Corpus) error {
	x := index{Kind: corpusKind, Digest: c.Digest, Tokenizer: c.Tokenizer, Classes: c.Classes}
	return write(cache, "corpus-"+c.Key+".bin", x, func(w *writer) {
		w.strings("words", c.Vocab.Words)
		numbers(w, "counts", c.Vocab.Counts)
		for p := range dataset.Parts {
			s, name := c.Part(p), p.String()
			numbers(w, name+" words", s.IDs)
			numbers(w, name+" offsets", s.Offsets)
			numbers(w, name+" labels", s.Labels)
			w.strings(name+" names", s.Names)
		}
	})
}

// ReadCorpus reads the cache of a corpus. If the file can be mapped, its words stay in the file.
func ReadCorpus(cache, digest string, tok token.Tokenizer) (*dataset.Corpus, error) {
	c := &dataset.Corpus{Head: dataset.Head{Digest: digest, Key: dataset.KeyOf(digest, tok)}}
	f, err := read(cache, "corpus-"+c.Key+".bin", corpusKind)
	if err != nil {
		return nil, err
	}
	c.Tokenizer, c.Classes = f.Tokenizer, f.Classes
	c.Vocab = &dataset.Vocab{Words: f.strings("words"), Counts: array[int64](f, "counts")}
	fit := f.Digest == digest && f.Tokenizer == tok.Name
	for p := range dataset.Parts {
		s, name := c.Part(p), p.String()
		s.IDs, s.Offsets = array[int32](f, name+" words"), array[int](f, name+" offsets")
		s.Labels, s.Names = array[int32](f, name+" labels"), f.strings(name+" names")
		n := len(s.Labels)
		fit = fit && len(s.Names) == n && len(s.Offsets) == n+1 && s.Offsets[n] == len(s.IDs)
	}
	if !fit {
		return nil, errDamaged
	}
	return c, nil
}

// vectorFile returns the name of the cache of the vectors with that digest, for the words of c or, if c is
// nil, for all words. corpus is the digest of c.
func vectorFile(digest string, c *dataset.Corpus) (file, corpus string) {
	key := "all"
	if c != nil {
		key, corpus = c.Key, c.Digest
	}
	return "vectors-" + digest[:min(16, len(digest))] + "-" + key + ".bin", corpus
}

// WriteVectors stores the vectors of a corpus's words, or of all words for nil.
func WriteVectors(cache string, v *vectors.Set, c *dataset.Corpus) error {
	file, corpus := vectorFile(v.Digest, c)
	x := index{Kind: vectorsKind, Digest: v.Digest, Corpus: corpus, Dim: v.Dim, Total: v.Total}
	return write(cache, file, x, func(w *writer) {
		w.strings("words", v.Words)
		numbers(w, "rows", v.Rows)
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
