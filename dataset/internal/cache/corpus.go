package dataset

import (
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"strconv"

	"imdbexp/dataset/internal/flat"
	"imdbexp/dataset/token"
	"imdbexp/internal/fsx"
)

// Kinds of cache files; the digit is the version of their format.
const (
	corpusMagic  = "expcorp1"
	extraMagic   = "expxtra1"
	vectorsMagic = "expvecs1"
)

var errCache = errors.New("cache does not fit together")

// cacheKey names what a tokeniser made of a content.
func cacheKey(digest string, tok token.Tokenizer) string {
	return digest[:min(16, len(digest))] + "-" + tok.Name() + strconv.Itoa(tok.Version())
}

// writeCorpus writes the cache of a corpus; unlabelled reviews have a file of
// their own, which training does not read. The caller holds the lock of the cache.
func writeCorpus(cache string, c *Corpus) error {
	err := fsx.WriteFile(filepath.Join(cache, "extra-"+c.key+".bin"), func(out io.Writer) error {
		w := flat.NewWriter(out, extraMagic)
		w.String(c.Digest)
		writeSplit(w, &c.Extra)
		return w.Close()
	})
	if err != nil {
		return err
	}
	return fsx.WriteFile(filepath.Join(cache, "corpus-"+c.key+".bin"), func(out io.Writer) error {
		w := flat.NewWriter(out, corpusMagic)
		w.String(c.Digest)
		w.String(c.Tokenizer)
		w.Strings(c.Classes)
		w.Strings(c.Vocab.words)
		w.Int64s(c.Vocab.counts)
		writeSplit(w, &c.Train)
		writeSplit(w, &c.Test)
		return w.Close()
	})
}

func writeSplit(w *flat.Writer, s *Split) {
	w.Int32s(s.IDs)
	w.Ints(s.Offsets)
	w.Int32s(s.Labels)
	w.Strings(s.Names)
}

// readCorpus reads the cache of a corpus.
func readCorpus(cache, digest string, tok token.Tokenizer, extra bool) (*Corpus, error) {
	c := &Corpus{Digest: digest, key: cacheKey(digest, tok)}
	err := readFlat(filepath.Join(cache, "corpus-"+c.key+".bin"), corpusMagic, func(r *flat.Reader) error {
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
		c.Vocab = newVocab(words, counts)
		return errors.Join(c.Train.valid(len(words), 0, len(c.Classes)), c.Test.valid(len(words), 0, len(c.Classes)))
	})
	if err == nil && extra {
		err = readFlat(filepath.Join(cache, "extra-"+c.key+".bin"), extraMagic, func(r *flat.Reader) error {
			stored := r.String()
			c.Extra = readSplit(r)
			if err := r.Close(); err != nil {
				return err
			}
			if stored != digest {
				return errCache
			}
			return c.Extra.valid(c.Vocab.Len(), Unlabelled, 0)
		})
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

func readFlat(path, magic string, read func(*flat.Reader) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if err := read(flat.NewReader(f, info.Size(), magic)); err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	return nil
}

func readSplit(r *flat.Reader) Split {
	return Split{IDs: r.Int32s(), Offsets: r.Ints(), Labels: r.Int32s(), Names: r.Strings()}
}

// valid checks that a split fits a vocabulary and labels from lo up to hi.
func (s *Split) valid(words int, lo, hi int) error {
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
