package vectors

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/stream"
	"imdbexp/internal/settings"
)

// Space finds the words whose vectors point the same way.
type Space struct {
	v     *Set
	norms []float64 // [len(Words)] lengths of the rows
	index map[string]int32
}

// Neighbor is a word and the cosine of the angle between its vector and that
// asked for.
type Neighbor struct {
	Word   string
	Cosine float64
}

// NewSpace takes over a table of vectors.
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

// Term is a word of a sum.
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
			return nil, fmt.Errorf("the vector of %s in %s is all zeros: it points nowhere", stream.Quote(t.Word), s.v.Name)
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
		return nil, errors.New("the words cancel each other out: nothing is left to be near to")
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
		if at, _ := slices.BinarySearchFunc(best, k, nearer); at < n {
			best = slices.Insert(best, at, k)[:min(n, len(best)+1)]
		}
	}
	return best, nil
}

func nearer(a, b Neighbor) int {
	return cmp.Or(cmp.Compare(b.Cosine, a.Cosine), strings.Compare(a.Word, b.Word))
}
