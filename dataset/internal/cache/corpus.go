// Package cache keeps what was read once, under the digest of its content, so that it
// need not be read again. Whatever is wrong with it, the source makes it good again.
package cache

import (
	"errors"
	"io"
	"math"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/flat"
	"imdbexp/dataset/token"
)

// Kinds of cache files; the digit is the version of their format.
const (
	corpusMagic  = "expcorp1"
	extraMagic   = "expxtra1"
	vectorsMagic = "expvecs1"
)

// WriteCorpus writes the cache of a corpus; unlabelled reviews have a file of
// their own, which training does not read. The caller holds the lock of the cache.
func WriteCorpus(cache string, c *dataset.Corpus) error {
	err := at(cache).WriteFile("extra-"+c.Key+".bin", func(out io.Writer) error {
		w := flat.NewWriter(out, extraMagic)
		w.String(c.Digest)
		writeSplit(w, &c.Extra)
		return w.Close()
	})
	if err != nil {
		return err
	}
	return at(cache).WriteFile("corpus-"+c.Key+".bin", func(out io.Writer) error {
		w := flat.NewWriter(out, corpusMagic)
		w.String(c.Digest)
		w.String(c.Tokenizer)
		w.Strings(c.Classes)
		w.Strings(c.Vocab.Words())
		w.Int64s(c.Vocab.Counts())
		writeSplit(w, &c.Train)
		writeSplit(w, &c.Test)
		return w.Close()
	})
}

func writeSplit(w *flat.Writer, s *dataset.Split) {
	w.Int32s(s.IDs)
	w.Ints(s.Offsets)
	w.Int32s(s.Labels)
	w.Strings(s.Names)
}

// ReadCorpus reads the cache of a corpus.
func ReadCorpus(cache, digest string, tok token.Tokenizer, extra bool) (*dataset.Corpus, error) {
	c := &dataset.Corpus{Digest: digest, Key: dataset.KeyOf(digest, tok)}
	err := readFlat(cache, "corpus-"+c.Key+".bin", corpusMagic, func(r *flat.Reader) error {
		stored := r.String()
		c.Tokenizer = r.String()
		c.Classes = r.Strings()
		words, counts := r.Strings(), r.Int64s()
		c.Train, c.Test = readSplit(r), readSplit(r)
		if err := r.Close(); err != nil {
			return err
		}
		if stored != digest || c.Tokenizer != tok.Name() || len(words) != len(counts) {
			return errCache
		}
		c.Vocab = dataset.NewVocab(words, counts)
		return errors.Join(valid(&c.Train, len(words), 0, len(c.Classes)), valid(&c.Test, len(words), 0, len(c.Classes)))
	})
	if err == nil && extra {
		err = readFlat(cache, "extra-"+c.Key+".bin", extraMagic, func(r *flat.Reader) error {
			stored := r.String()
			c.Extra = readSplit(r)
			if err := r.Close(); err != nil {
				return err
			}
			if stored != digest {
				return errCache
			}
			return valid(&c.Extra, c.Vocab.Len(), dataset.Unlabelled, 0)
		})
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

func readSplit(r *flat.Reader) dataset.Split {
	return dataset.Split{IDs: r.Int32s(), Offsets: r.Ints(), Labels: r.Int32s(), Names: r.Strings()}
}

// valid checks that a split fits a vocabulary and labels from lo up to hi.
func valid(s *dataset.Split, words int, lo, hi int) error {
	b := len(s.Labels)
	if len(s.Offsets) != b+1 || len(s.Names) != b || s.Offsets[0] != 0 || s.Offsets[b] != len(s.IDs) {
		return errCache
	}
	for i, l := range s.Labels {
		if s.Offsets[i] > s.Offsets[i+1] || int(l) < lo || int(l) >= hi {
			return errCache
		}
	}
	largest := uint32(0)
	for _, id := range s.IDs {
		largest = max(largest, uint32(id)) // a negative one becomes large
	}
	if len(s.IDs) > 0 && (largest > math.MaxInt32 || int(largest) >= words) {
		return errCache
	}
	return nil
}
