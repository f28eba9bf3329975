package embedding

import (
	"cmp"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/vectors"
	"imdbexp/internal/mapped"
)

// OOV is a policy for words that have no vector.
type OOV string

// The policies. All of them use row 0 of the table for such words.
const (
	OOVMean    OOV = "mean"    // the mean of the vectors of the training words, fixed
	OOVZero    OOV = "zero"    // zeros, fixed
	OOVMasked  OOV = "masked"  // omitted from the reviews; a review without other words has one zero row
	OOVLearned OOV = "learned" // initially the mean, then trained
)

// Options configures Encode; the zero value keeps every word of every review.
type Options struct {
	OOV    OOV // "" is OOVMean
	MaxLen int // keep the first MaxLen words of a review; 0 keeps all
	Limit  int // keep the first Limit reviews of each class and split; 0 keeps all

	NGrams   int // words of the longest n-gram that has a row; 0 and 1: words alone
	NGramMin int // how often it must occur in the reviews that are trained on

	Trained map[string]bool // names of the train reviews that are trained on; nil: all that are kept
}

// Encode replaces the words of a corpus by rows of a compact table. The table
// holds only words of the kept reviews, the most frequent first, because then the
// rows in use share the processor's caches. "First reviews" are by name, as
// Python's sorted(os.listdir(…)) has them.
func Encode(c *dataset.Corpus, v *vectors.Set, o Options) (train, test *dataset.Encoded, table *Table) {
	o.OOV = cmp.Or(o.OOV, OOVMean)
	a, b := c.Train.First(o.Limit, len(c.Classes)), c.Test.First(o.Limit, len(c.Classes))
	trained := a
	if o.Trained != nil {
		trained = slices.DeleteFunc(slices.Clone(a), func(b int) bool { return !o.Trained[c.Train.Names[b]] })
	}
	learned, counts := make([]int64, len(c.Vocab.Words)), make([]int64, len(c.Vocab.Words))
	count(&c.Train, learned, trained, o.MaxLen)
	count(&c.Train, counts, a, o.MaxLen)
	count(&c.Test, counts, b, o.MaxLen)
	table, word := compact(c.Vocab, counts, v, o.OOV)
	if o.OOV == OOVMean || o.OOV == OOVLearned {
		table.setMean(learned, word)
	}
	rows := &Rows{Word: word, oov: o.OOV}
	if o.NGrams > 1 {
		table.addNGrams(rows, c.Vocab, &c.Train, trained, o)
		mapped.Release(c.Train.IDs)
	}
	return encode(&c.Train, a, rows, o), encode(&c.Test, b, rows, o), table
}

// cut returns the words of review b that maxLen keeps.
func cut(s *dataset.Split, b, maxLen int) []int32 {
	ids := s.Words(b)
	if maxLen > 0 && len(ids) > maxLen {
		return ids[:maxLen]
	}
	return ids
}

func count(s *dataset.Split, counts []int64, reviews []int, maxLen int) {
	for _, b := range reviews {
		for _, id := range cut(s, b, maxLen) {
			counts[id]++
		}
	}
	mapped.Release(s.IDs)
}

// compact returns the table of the words that occur and have a vector, and the row of each word of
// the vocabulary, 0 for all others.
func compact(vocab *dataset.Vocab, counts []int64, v *vectors.Set, policy OOV) (*Table, []int32) {
	at := dataset.Index(v.Words)
	source := make([]int32, len(vocab.Words)) // where in v
	var words []int32
	for id, n := range counts {
		if i, ok := at[vocab.Words[id]]; ok && n > 0 {
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
	row := make([]int32, len(vocab.Words))
	for i, id := range words {
		row[id] = int32(i + 1)
		t.Words = append(t.Words, vocab.Words[id])
		t.Rows = append(t.Rows, v.Row(int(source[id]))...)
	}
	t.init()
	return t, row
}

func encode(s *dataset.Split, reviews []int, rows *Rows, o Options) *dataset.Encoded {
	n := 0
	for _, b := range reviews {
		n += max(1, len(cut(s, b, o.MaxLen)))
	}
	e := dataset.NewEncoded(len(reviews), n)
	for _, b := range reviews {
		from := len(e.IDs)
		rows.Each(cut(s, b, o.MaxLen), func(row int32, _ int) { e.IDs = append(e.IDs, row) })
		if len(e.IDs) == from {
			e.IDs = append(e.IDs, OOVRow)
		}
		e.Add(nil, s.Labels[b], s.Names[b])
	}
	mapped.Release(s.IDs)
	return e
}
