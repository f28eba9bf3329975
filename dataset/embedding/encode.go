package dataset

import (
	"cmp"
	"fmt"
	"slices"
)

// OOV is a policy for words that have no vector.
type OOV string

// The policies. Under all of them row 0 of the table stands for such words.
const (
	OOVMean    OOV = "mean"    // the mean of the other rows, fixed
	OOVZero    OOV = "zero"    // zeros, fixed
	OOVMasked  OOV = "masked"  // left out of the reviews; a review with no word left keeps one zero row
	OOVLearned OOV = "learned" // the mean to begin with, then trained
)

// EncodeOptions says what becomes of a corpus in training; the zero value
// keeps every word of every review.
type EncodeOptions struct {
	OOV    OOV // "" is OOVMean
	MaxLen int // keep the first MaxLen words of a review; 0 keeps all
	Limit  int // keep the first Limit reviews of each class and split; 0 keeps all
}

// Encoded is a split ready for training: B reviews with N words in all, words
// as rows of a Table; or one side of B sentence pairs, words as IDs of a Words.
// Every review has at least one word.
type Encoded struct {
	IDs     []int32  // [N] rows of the table
	Offsets []int    // [B+1] from 0 to N
	Labels  []int32  // [B] class
	Names   []string // [B] such as train/pos/0_9
	Targets *Encoded // what the same B are translated to, rows of another vocabulary; nil for reviews
}

// Len returns B, the number of reviews.
func (e *Encoded) Len() int { return len(e.Labels) }

// Words returns the rows of the words of review b.
func (e *Encoded) Words(b int) []int32 { return e.IDs[e.Offsets[b]:e.Offsets[b+1]] }

// Encode replaces the words of a corpus by rows of a compact table. The table
// holds only words of the kept reviews, the most frequent first, so that the
// rows in use share the processor's caches. "First reviews" are by name, as
// Python's sorted(os.listdir(…)) has them.
func Encode(c *Corpus, v *Vectors, o EncodeOptions) (train, test *Encoded, table *Table, err error) {
	if o.OOV == "" {
		o.OOV = OOVMean
	}
	switch {
	case !slices.Contains([]OOV{OOVMean, OOVZero, OOVMasked, OOVLearned}, o.OOV):
		return nil, nil, nil, fmt.Errorf("unknown treatment of words without vector %q: choose mean, zero, masked or learned", o.OOV)
	case o.MaxLen < 0 || o.Limit < 0:
		return nil, nil, nil, fmt.Errorf("data.max_len=%d and data.limit=%d must not be negative", o.MaxLen, o.Limit)
	case v.Dim < 1 || len(v.Rows) != len(v.Words)*v.Dim:
		return nil, nil, nil, fmt.Errorf("vectors %s: %d numbers are not %d words of %d dimensions", v.Name, len(v.Rows), len(v.Words), v.Dim)
	}
	a, b := c.Train.First(o.Limit, len(c.Classes)), c.Test.First(o.Limit, len(c.Classes))
	counts := make([]int64, c.Vocab.Len())
	c.Train.count(counts, a, o.MaxLen)
	c.Test.count(counts, b, o.MaxLen)
	table, row := compact(c.Vocab, counts, v, o.OOV)
	return c.Train.encode(a, row, o), c.Test.encode(b, row, o), table, nil
}

// First returns which reviews a limit of n keeps, as Encode does: the first n of each
// class, all for 0.
func (s *Split) First(n, classes int) []int {
	kept := make([]int, 0, s.Len())
	seen := make([]int, classes)
	for b, l := range s.Labels {
		if n > 0 && seen[l] >= n {
			continue
		}
		seen[l]++
		kept = append(kept, b)
	}
	return kept
}

// cut returns the words of review b that maxLen keeps.
func (s *Split) cut(b, maxLen int) []int32 {
	ids := s.Words(b)
	if maxLen > 0 && len(ids) > maxLen {
		return ids[:maxLen]
	}
	return ids
}

func (s *Split) count(counts []int64, reviews []int, maxLen int) {
	for _, b := range reviews {
		for _, id := range s.cut(b, maxLen) {
			counts[id]++
		}
	}
}

// compact makes the table of the words that occur and have a vector, and tells
// for each word of the vocabulary its row; 0 stands for all others.
func compact(vocab *Vocab, counts []int64, v *Vectors, policy OOV) (*Table, []int32) {
	at := indexOf(v.Words)
	source := make([]int32, vocab.Len()) // where in v
	var words []int32
	for id, n := range counts {
		if n == 0 {
			continue
		}
		if i, ok := at[vocab.words[id]]; ok {
			source[id] = i
			words = append(words, int32(id))
		}
	}
	slices.SortFunc(words, func(a, b int32) int {
		return cmp.Or(cmp.Compare(counts[b], counts[a]), cmp.Compare(a, b))
	})
	t := &Table{
		Rows:   make([]float32, v.Dim, (len(words)+1)*v.Dim),
		Dim:    v.Dim,
		Words:  make([]string, 1, len(words)+1),
		Policy: policy,
	}
	row := make([]int32, vocab.Len())
	for i, id := range words {
		row[id] = int32(i + 1)
		t.Words = append(t.Words, vocab.words[id])
		t.Rows = append(t.Rows, v.Row(int(source[id]))...)
	}
	if policy == OOVMean || policy == OOVLearned {
		t.setMean()
	}
	t.init()
	return t, row
}

func (s *Split) encode(reviews []int, row []int32, o EncodeOptions) *Encoded {
	n := 0
	for _, b := range reviews {
		n += max(1, len(s.cut(b, o.MaxLen)))
	}
	e := &Encoded{
		IDs:     make([]int32, 0, n),
		Offsets: make([]int, 1, len(reviews)+1),
		Labels:  make([]int32, len(reviews)),
		Names:   make([]string, len(reviews)),
	}
	for i, b := range reviews {
		for _, id := range s.cut(b, o.MaxLen) {
			if r := row[id]; r != OOVRow || o.OOV != OOVMasked {
				e.IDs = append(e.IDs, r)
			}
		}
		if len(e.IDs) == e.Offsets[i] {
			e.IDs = append(e.IDs, OOVRow)
		}
		e.Offsets = append(e.Offsets, len(e.IDs))
		e.Labels[i], e.Names[i] = s.Labels[b], s.Names[b]
	}
	return e
}
