package vectors

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/corpusvec"
	"imdbexp/dataset/internal/dice"
	"imdbexp/dataset/internal/stream"
	"imdbexp/internal/mapped"
	"imdbexp/internal/settings"
)

// Random returns a random vector for each word of a corpus, which depends on its
// spelling and the seed only: approximately normal (the sum of twelve uniform numbers) with
// the standard deviation of GloVe's coordinates, 0.4.
func Random(c *dataset.Corpus, dim int, seed uint64) *Set {
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
	return v
}

// Trained returns vectors trained on the training and unlabelled reviews of the corpus,
// never on its test reviews.
func Trained(ctx context.Context, c *dataset.Corpus, o corpusvec.Options) (*Set, error) {
	ids, offsets := c.Train.IDs, c.Train.Offsets
	if c.Extra.Len() > 0 {
		ids, offsets = slices.Concat(ids, c.Extra.IDs), slices.Clone(offsets)
		for _, n := range c.Extra.Offsets[1:] {
			offsets = append(offsets, len(c.Train.IDs)+n)
		}
	}
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

// madeDigest identifies generated vectors by the corpus and the options.
func madeDigest(kind string, c *dataset.Corpus, dim int, seed uint64) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%s\n%s\n%s\n%d %d\n", kind, c.Digest, c.Key, dim, seed))
	return hex.EncodeToString(sum[:])
}

// Space finds the words whose vectors point the same way.
type Space struct {
	v     *Set
	norms []float64 // [len(Words)] lengths of the rows
	index map[string]int32
}

// Neighbor is a word and the cosine similarity of its vector and the query.
type Neighbor struct {
	Word   string
	Cosine float64
}

// NewSpace returns the space of v, which must not change afterwards.
func NewSpace(v *Set) *Space {
	s := &Space{v: v, norms: make([]float64, len(v.Words)), index: dataset.Index(v.Words)}
	for i := range s.norms {
		row := v.Row(i)
		s.norms[i] = math.Sqrt(dot(row, row))
	}
	return s
}

// dot sums the products in order. A float64 holds each product exactly.
func dot(a, b []float32) float64 {
	sum := 0.0
	for i, x := range a {
		sum += float64(float64(x) * float64(b[i]))
	}
	return sum
}

// Term is a word added to a sum, or subtracted from it.
type Term struct {
	Word  string
	Minus bool
}

// Nearest returns the n words that are nearest by cosine to a sum of words, such
// as king − man + woman, each scaled to length 1 (Mikolov et al. 2013, "Linguistic
// regularities", eq. 1); equal ones are in the order of their bytes. The words
// of the sum and vectors of zeros are omitted. All words are compared, so the
// result is exact, and the same on every machine.
func (s *Space) Nearest(ctx context.Context, n int, sum ...Term) ([]Neighbor, error) {
	query := make([]float64, s.v.Dim)
	skip := map[int]bool{}
	for _, t := range sum {
		id, ok := s.index[t.Word]
		if !ok {
			return nil, fmt.Errorf("%s is not among the %d words of %s%s", stream.Quote(t.Word), len(s.v.Words), s.v.Name, settings.Nearest(t.Word, s.v.Words))
		}
		if s.norms[id] == 0 {
			return nil, fmt.Errorf("the vector of %s in %s is all zeros: it has no direction", stream.Quote(t.Word), s.v.Name)
		}
		skip[int(id)] = true
		scale := 1 / s.norms[id]
		if t.Minus {
			scale = -scale
		}
		for d, x := range s.v.Row(int(id)) {
			query[d] += float64(scale * float64(x))
		}
	}
	length := 0.0
	for _, x := range query {
		length += float64(x * x)
	}
	if length = math.Sqrt(length); length == 0 {
		return nil, errors.New("the vectors of these words sum to zero, which has no direction")
	}
	best := make([]Neighbor, 0, min(n, len(s.norms))+1)
	for i, norm := range s.norms {
		if i&0xfff == 0 && ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
		if norm == 0 || skip[i] {
			continue
		}
		sum := 0.0
		for d, x := range s.v.Row(i) {
			sum += float64(query[d] * float64(x))
		}
		k := Neighbor{s.v.Words[i], sum / float64(norm*length)}
		at, _ := slices.BinarySearchFunc(best, k, func(a, b Neighbor) int {
			return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), strings.Compare(a.Word, b.Word))
		})
		if at < n {
			best = slices.Insert(best, at, k)[:min(n, len(best)+1)]
		}
	}
	return best, nil
}
