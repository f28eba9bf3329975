// Package cache stores corpora and vectors under the digest of their content, so they are read
// from the source only once. A missing or damaged file is replaced from the source.
package cache

import (
	"io"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
)

// Kinds of cache files; the digit is the version of their format. A file of another
// version is replaced.
const (
	corpusMagic  = "expcorp2"
	extraMagic   = "expxtra2"
	vectorsMagic = "expvecs2"
)

// Scratch makes scratch files on the disk of the cache, and removes old ones.
func Scratch(cache string) dataset.Scratch {
	if cache != "" {
		at(cache).RemoveScratch()
	}
	return func() (dataset.ScratchFile, error) {
		if err := at(cache).Make(); err != nil {
			return nil, err
		}
		f, err := at(cache).Scratch()
		if err != nil {
			return nil, err
		}
		return f, nil
	}
}

// WriteCorpus writes the cache of a corpus. Unlabelled reviews have a separate file, which training
// does not read. The caller holds the lock of the cache.
func WriteCorpus(cache string, s *dataset.Sorted) error {
	err := at(cache).WriteFile("extra-"+s.Key+".bin", func(out io.Writer) error {
		w := newWriter(out, extraMagic)
		w.string(s.Digest)
		if err := writeSplit(w, s, dataset.Extra); err != nil {
			return err
		}
		return w.close()
	})
	if err != nil {
		return err
	}
	return at(cache).WriteFile("corpus-"+s.Key+".bin", func(out io.Writer) error {
		w := newWriter(out, corpusMagic)
		w.string(s.Digest)
		w.string(s.Tokenizer)
		w.strings(s.Classes)
		w.strings(s.Vocab.Words())
		writeArray(w, s.Vocab.Counts())
		for _, p := range []dataset.Part{dataset.Train, dataset.Test} {
			if err := writeSplit(w, s, p); err != nil {
				return err
			}
		}
		return w.close()
	})
}

// writeSplit writes one array after another, going over the reviews for each.
func writeSplit(w *writer, s *dataset.Sorted, p dataset.Part) (err error) {
	each := func(words bool, f func(r dataset.Placed)) {
		if err == nil {
			err = s.Each(p, words, func(r dataset.Placed) error { f(r); return nil })
		}
	}
	w.align()
	w.int(s.Words(p))
	each(true, func(r dataset.Placed) {
		for _, id := range r.IDs {
			w.int32(id)
		}
	})
	w.align()
	w.int(s.Reviews(p) + 1)
	end := 0
	w.int(0)
	each(false, func(r dataset.Placed) { end += r.Words; w.int(end) })
	w.align()
	w.int(s.Reviews(p))
	each(false, func(r dataset.Placed) { w.int32(r.Label) })
	names := 0
	w.int(s.Reviews(p))
	each(false, func(r dataset.Placed) { names += len(r.Name); w.int32(int32(len(r.Name))) })
	w.int(names)
	each(false, func(r dataset.Placed) { w.text(r.Name) })
	return err
}

// ReadCorpus reads the cache of a corpus. If the file can be mapped, its words stay in the file.
func ReadCorpus(cache, digest string, tok token.Tokenizer, extra bool) (*dataset.Corpus, error) {
	c := &dataset.Corpus{Head: dataset.Head{Digest: digest, Key: dataset.KeyOf(digest, tok)}}
	err := readFlat(cache, "corpus-"+c.Key+".bin", corpusMagic, func(r *reader) error {
		stored := r.string()
		c.Tokenizer = r.string()
		c.Classes = r.strings()
		words, counts := r.strings(), readArray[int64](r)
		fit := readSplit(r, &c.Train, len(words), 0, len(c.Classes))
		fit = readSplit(r, &c.Test, len(words), 0, len(c.Classes)) && fit
		if err := r.close(); err != nil {
			return err
		}
		if !fit || stored != digest || c.Tokenizer != tok.Name() || len(words) != len(counts) {
			return errCache
		}
		c.Vocab = dataset.NewVocab(words, counts)
		return nil
	})
	if err == nil && extra {
		err = readFlat(cache, "extra-"+c.Key+".bin", extraMagic, func(r *reader) error {
			stored := r.string()
			fit := readSplit(r, &c.Extra, c.Vocab.Len(), dataset.Unlabelled, 0)
			if err := r.close(); err != nil {
				return err
			}
			if !fit || stored != digest {
				return errCache
			}
			return nil
		})
	}
	if err != nil {
		return nil, err
	}
	return c, nil
}

// readSplit reads a split and reports whether it fits a vocabulary and labels from lo up
// to hi.
func readSplit(r *reader, s *dataset.Split, words int, lo, hi int) bool {
	fit, before := true, 0
	r.align()
	s.IDs = view(r, func(ids []int32) {
		largest := uint32(0)
		for _, id := range ids {
			largest = max(largest, uint32(id)) // a negative one becomes large
		}
		fit = fit && int64(largest) < int64(words)
	})
	r.align()
	first := true
	s.Offsets = view(r, func(ends []int) {
		for _, end := range ends {
			fit = fit && end >= before && (!first || end == 0)
			before, first = end, false
		}
	})
	r.align()
	s.Labels = view(r, func(labels []int32) {
		for _, l := range labels {
			fit = fit && int(l) >= lo && int(l) < hi
		}
	})
	s.Names = r.strings()
	b := len(s.Labels)
	return fit && len(s.Offsets) == b+1 && len(s.Names) == b && before == len(s.IDs)
}
