package infer

import (
	"context"
	"slices"

	"imdbexp/dataset"
)

// Reading is what a model makes of one review of a corpus.
type Reading struct {
	ID       string
	Label    int       // class, or dataset.Unlabelled
	Class    int       // predicted
	P        []float32 // [C]
	Words    []int32   // [n] of the corpus's vocabulary; empty for a review that leaves the model no word
	Attended *Attended
}

// OpenCorpus opens a data set (imdb, sample, or the name of an added one), split
// into words as the model's run had it. dir is the data folder.
func (m *Model) OpenCorpus(ctx context.Context, dir, name string, o dataset.OpenOptions) (*dataset.Corpus, error) {
	o.Tokenizer = m.tokenizer.Name()
	return dataset.Open(ctx, dir, name, o)
}

// readings is how many reviews ReadSplit holds at a time.
const readings = 1024

// ReadSplit asks the model about the reviews of a split, in the order of their
// names, and calls f for each; limit keeps the first so many of each class, as
// data.limit does, 0 all. A model that is BatchDependent gets the batches that its
// run's evaluation had, in the order that they had there. A model without attention
// is a LookError.
func (m *Model) ReadSplit(ctx context.Context, c *dataset.Corpus, part dataset.Part, limit int, o Look, f func(*Reading) error) error {
	split := &c.Test
	if part == dataset.Train {
		split = &c.Train
	}
	row := make([]int32, c.Vocab.Len())
	for id, w := range c.Vocab.Words() {
		row[id], _ = m.table.Row(w)
	}
	size := readings
	if m.BatchDependent() {
		size = m.settings.Batch
	}
	for group := range slices.Chunk(m.order(split, limit, len(c.Classes)), size) {
		list := make([]Reading, len(group))
		texts := make([]Encoded, len(group))
		for k, b := range group {
			list[k] = Reading{ID: split.Names[b], Label: int(split.Labels[b])}
			list[k].Words, texts[k].Rows = m.rowsOf(split.Words(b), row)
		}
		err := m.Each(ctx, texts, func(k int, batch *Batch, i int) (err error) {
			r := &list[k]
			r.Class, r.P = batch.Class(i), slices.Clone(batch.P(i))
			if r.Attended, err = batch.Look(i, texts[k], o); err == nil && r.Attended == nil {
				err = lookError("the model has no attention")
			}
			return err
		})
		if err != nil {
			return err
		}
		for k := range list {
			if err := f(&list[k]); err != nil {
				return err
			}
		}
	}
	return nil
}

// order returns the reviews of a split in the order in which they are read.
func (m *Model) order(s *dataset.Split, limit, classes int) []int {
	var kept []int
	seen := make([]int, classes)
	for b, l := range s.Labels {
		if limit > 0 && seen[l] >= limit {
			continue
		}
		seen[l]++
		kept = append(kept, b)
	}
	if !m.BatchDependent() {
		return kept
	}
	n, batch := len(kept), m.settings.Batch
	if m.settings.DropLast && n >= batch {
		n -= n % batch
	}
	order := slices.DeleteFunc(dataset.Shuffle(len(kept), m.settings.Seed, 0), func(i int32) bool { return int(i) >= n })
	out := make([]int, 0, n)
	for group := range slices.Chunk(order, batch) {
		slices.Sort(group) // of equal length the first comes first, as dataset.Pack has them
		for _, i := range group {
			out = append(out, kept[i])
		}
	}
	return out
}

// rowsOf returns the words of a review that the model sees, and their rows.
func (m *Model) rowsOf(ids, row []int32) (words, rows []int32) {
	if n := m.settings.MaxLen; n > 0 && len(ids) > n {
		ids = ids[:n]
	}
	for _, id := range ids {
		if r := row[id]; r != dataset.OOVRow || m.table.Policy != dataset.OOVMasked {
			words, rows = append(words, id), append(rows, r)
		}
	}
	if len(rows) == 0 {
		rows = []int32{dataset.OOVRow}
	}
	return words, rows
}
