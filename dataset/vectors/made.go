package vectors

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/corpusvec"
	"imdbexp/dataset/internal/dice"
	"imdbexp/internal/mapped"
)

// Random returns a random vector for each word of a corpus, which depends on its
// spelling and the seed only: about normal (the sum of twelve uniform numbers) with
// the standard deviation of GloVe's coordinates, 0.4.
func Random(c *dataset.Corpus, dim int, seed uint64) (*Set, error) {
	if dim < 1 || dim > MaxDim {
		return nil, fmt.Errorf("vectors.dim=%d: choose 1 to %d", dim, MaxDim)
	}
	v := &Set{
		Name: "random", Dim: dim, Words: c.Vocab.Words, Total: len(c.Vocab.Words),
		Rows:   make([]float32, len(c.Vocab.Words)*dim),
		Digest: madeDigest("random 1", c, dim, seed),
	}
	for i, w := range v.Words {
		stream := dice.Hash(seed, dice.Name("vectors"), dice.Name(w))
		for d, row := 0, v.Row(i); d < dim; d++ {
			sum := -6.0
			for k := range 3 { // four numbers of 16 bits each
				for r, n := dice.Hash(stream, uint64(d), uint64(k)), 0; n < 4; n++ {
					sum += float64(r&0xffff) / 0x1p16
					r >>= 16
				}
			}
			row[d] = float32(0.4 * sum)
		}
	}
	return v, nil
}

// Trained returns vectors trained on the training and unlabelled reviews of the corpus,
// never on its test reviews.
func Trained(ctx context.Context, c *dataset.Corpus, o corpusvec.Options) (*Set, error) {
	ids, offsets := trainingTexts(c)
	whole, bounded := TrainedDigests(c, o)
	v := &Set{Name: "corpus", Dim: o.Dim, Digest: whole, Total: len(c.Vocab.Words)}
	o.Dropped = func(int) { v.Digest = bounded }
	rows, err := corpusvec.Train(ctx, ids, offsets, len(c.Vocab.Words), o)
	mapped.Release(ids)
	if err != nil {
		return nil, err
	}
	for i, w := range c.Vocab.Words {
		row := rows[i*v.Dim : (i+1)*v.Dim]
		if slices.ContainsFunc(row, func(x float32) bool { return x != 0 }) { // else it does not occur or is too rare
			v.Words, v.Rows = append(v.Words, w), append(v.Rows, row...)
		}
	}
	return v, nil
}

// TrainedDigests returns the digests of the vectors that Trained makes: from all words, or
// without rare ones if there are too many pairs.
func TrainedDigests(c *dataset.Corpus, o corpusvec.Options) (whole, bounded string) {
	kind := fmt.Sprintf("corpusvec 2 %d %d %d", o.Window, o.MinCount, c.Extra.Len())
	maxPairs := cmp.Or(o.MaxPairs, corpusvec.MaxPairs)
	return madeDigest(kind, c, o.Dim, o.Seed), madeDigest(fmt.Sprintf("%s, frequent words with %d pairs", kind, maxPairs), c, o.Dim, o.Seed)
}

// trainingTexts joins the training and unlabelled reviews of a corpus.
func trainingTexts(c *dataset.Corpus) (ids []int32, offsets []int) {
	if c.Extra.Len() == 0 {
		return c.Train.IDs, c.Train.Offsets
	}
	ids, offsets = slices.Concat(c.Train.IDs, c.Extra.IDs), slices.Clone(c.Train.Offsets)
	for _, n := range c.Extra.Offsets[1:] {
		offsets = append(offsets, len(c.Train.IDs)+n)
	}
	return ids, offsets
}

// madeDigest identifies generated vectors by the corpus and the options.
func madeDigest(kind string, c *dataset.Corpus, dim int, seed uint64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%d %d\n", kind, c.Digest, c.Key, dim, seed))
	return hex.EncodeToString(sum[:])
}
