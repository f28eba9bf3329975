package dataset

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"path/filepath"
	"slices"

	"imdbexp/dataset/corpusvec"
)

// RandomVectors returns a vector for each word of a corpus, drawn from its
// spelling and the seed: about normal (the sum of twelve uniform numbers) with
// the standard deviation of GloVe's coordinates, 0.4.
func RandomVectors(c *Corpus, dim int, seed uint64) (*Vectors, error) {
	if dim < 1 || dim > maxDim {
		return nil, fmt.Errorf("vectors.dim=%d: choose 1 to %d", dim, maxDim)
	}
	v := &Vectors{
		Name: "random", Dim: dim, Words: c.Vocab.words, Total: c.Vocab.Len(),
		Rows:   make([]float32, c.Vocab.Len()*dim),
		Digest: madeDigest("random 1", c, dim, seed),
	}
	for i, w := range v.Words {
		stream := mix(seed, keyOf("vectors"), keyOf(w))
		for d, row := 0, v.Row(i); d < dim; d++ {
			sum := -6.0
			for k := range 3 { // four numbers of 16 bits each
				for r, n := mix(stream, uint64(d), uint64(k)), 0; n < 4; n++ {
					sum += float64(r&0xffff) / 0x1p16
					r >>= 16
				}
			}
			row[d] = float32(0.4 * sum)
		}
	}
	return v, nil
}

// CorpusVectors returns vectors trained on the texts of the corpus itself, its
// train and unlabelled reviews and never its test reviews; open the corpus with
// OpenOptions.Extra for the unlabelled ones. They are kept in the cache: only
// where they are not there yet does co.Progress hear of the training.
func CorpusVectors(ctx context.Context, dir string, c *Corpus, co corpusvec.Options, o OpenOptions) (*Vectors, error) {
	if co.Dim == 0 {
		co.Dim = 50
	}
	digest := madeDigest(fmt.Sprintf("corpusvec 2 %d %d %d", co.Window, co.MinCount, c.Extra.Len()), c, co.Dim, co.Seed)
	train := func() (*Vectors, error) {
		ids, offsets := unlabelledToo(c)
		rows, err := corpusvec.Train(ctx, ids, offsets, c.Vocab.Len(), co)
		if err != nil {
			return nil, err
		}
		v := &Vectors{Name: "corpus", Dim: co.Dim, Digest: digest, Total: c.Vocab.Len()}
		v.takeTrained(c.Vocab, rows)
		return v, nil
	}
	if c.Name == "sample" {
		return train() // as quick as reading them
	}
	cache := o.cacheDir(dir)
	v, err := cached(ctx, dir, "vectors=corpus", o,
		func() (*Vectors, error) { return readVectorCache(cache, digest, c) },
		train,
		func(v *Vectors) error { return writeVectorCache(cache, v, c) })
	if err != nil {
		return nil, err
	}
	v.Name = "corpus"
	return v, nil
}

// unlabelledToo joins the train reviews of a corpus and its unlabelled ones.
func unlabelledToo(c *Corpus) (ids []int32, offsets []int) {
	ids, offsets = slices.Concat(c.Train.IDs, c.Extra.IDs), slices.Clone(c.Train.Offsets)
	if c.Extra.Len() > 0 {
		for _, n := range c.Extra.Offsets[1:] {
			offsets = append(offsets, len(c.Train.IDs)+n)
		}
	}
	return ids, offsets
}

// takeTrained keeps the rows of words that were trained: a row of zeros is a
// word that occurs nowhere or too rarely.
func (v *Vectors) takeTrained(vocab *Vocab, rows []float32) {
	for i, w := range vocab.words {
		row := rows[i*v.Dim : (i+1)*v.Dim]
		for _, x := range row {
			if x != 0 {
				v.Words = append(v.Words, w)
				v.Rows = append(v.Rows, row...)
				break
			}
		}
	}
}

// madeDigest identifies vectors made here by what they are made from.
func madeDigest(kind string, c *Corpus, dim int, seed uint64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%d %d\n", kind, c.Digest, filepath.Base(c.key), dim, seed))
	return hex.EncodeToString(sum[:])
}
