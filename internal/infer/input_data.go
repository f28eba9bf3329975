package infer

import (
	"context"
	"slices"

	"imdbexp/dataset"
)

// Split is the test reviews of a data set as rows of a model's table.
type Split struct {
	Classes []string  // of the data set
	Names   []string  // [B] such as test/pos/0_10
	Labels  []int32   // [B] class
	Texts   []Encoded // [B] rows alone
	Digest  string    // of the content

	lacks []int // [B] words without a vector
}

// TestSplit returns the test reviews of a data set (imdb, sample, or the name of an
// added one), in the order of their names. limit keeps the first so many of each
// class, as data.limit does; 0 keeps all. Words come from the cache of the data
// folder dir, so that no text is split twice.
func (m *Model) TestSplit(ctx context.Context, dir, name string, limit int, o dataset.OpenOptions) (*Split, error) {
	o.Tokenizer = m.tokenizer.Name()
	c, err := dataset.Open(ctx, dir, name, o)
	if err != nil {
		return nil, err
	}
	// What dataset.Encode chooses and cuts does not depend on vectors: these say
	// only which words have one.
	known := &dataset.Vectors{Name: "known", Dim: 1}
	for _, w := range c.Vocab.Words() {
		if m.row(w) != dataset.OOVRow {
			known.Words = append(known.Words, w)
		}
	}
	known.Rows = make([]float32, len(known.Words))
	_, test, table, err := dataset.Encode(c, known, dataset.EncodeOptions{OOV: dataset.OOVZero, MaxLen: m.settings.MaxLen, Limit: limit})
	if err != nil {
		return nil, err
	}
	row := make([]int32, len(table.Words))
	for i, w := range table.Words {
		row[i] = m.row(w)
	}
	s := &Split{Classes: c.Classes, Names: test.Names, Labels: test.Labels, Digest: c.Digest, Texts: make([]Encoded, test.Len()), lacks: make([]int, test.Len())}
	for b := range s.Texts {
		rows := slices.Clone(test.Words(b))
		for i, r := range rows {
			if rows[i] = row[r]; rows[i] == dataset.OOVRow {
				s.lacks[b]++
			}
		}
		if m.table.Policy == dataset.OOVMasked && s.lacks[b] < len(rows) {
			rows = slices.DeleteFunc(rows, func(r int32) bool { return r == dataset.OOVRow })
		} else if m.table.Policy == dataset.OOVMasked {
			rows = rows[:1]
		}
		s.Texts[b].Rows = rows
	}
	return s, nil
}

// Len returns B, the number of reviews.
func (s *Split) Len() int { return len(s.Texts) }

// Answers asks the model about every review, in batches as its run did at the end of
// training: what a BatchDependent model says is the same as there, and with
// slip.drop_last the last reviews are left out as there, if dropLast is set. The
// answers are in the order of the split.
func (m *Model) Answers(ctx context.Context, s *Split, dropLast bool) ([]Answer, error) {
	n := s.Len()
	if dropLast && m.settings.DropLast && n >= m.settings.Batch {
		n -= n % m.settings.Batch
	}
	out := make([]Answer, n)
	if !m.BatchDependent() {
		err := m.Each(ctx, s.Texts[:n], func(i int, b *Batch, k int) error {
			out[i] = b.answer(k, s.Texts[i].Rows, s.lacks[i])
			return nil
		})
		return out, called(err, func(e *LongError) { e.Name = s.Names[e.Text] })
	}
	order := slices.DeleteFunc(dataset.Shuffle(s.Len(), m.settings.Seed, 0), func(i int32) bool { return int(i) >= n })
	for group := range slices.Chunk(order, m.settings.Batch) {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		slices.Sort(group) // of equal length the first comes first, as dataset.Pack has them
		texts := make([]Encoded, len(group))
		for k, i := range group {
			texts[k] = s.Texts[i]
		}
		b, err := m.Run(texts)
		if err != nil {
			return nil, called(err, func(e *LongError) { e.Name = s.Names[group[e.Text]] })
		}
		for k, i := range group {
			out[i] = b.answer(k, s.Texts[i].Rows, s.lacks[i])
		}
	}
	return out, nil
}
