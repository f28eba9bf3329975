package infer

import (
	"context"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
)

// Reading is the result of a model for one review of a corpus.
type Reading struct {
	ID       string
	Label    int       // class, or dataset.Unlabelled
	Class    int       // predicted
	P        []float32 // [C]
	Words    []int32   // [n] of the corpus's vocabulary; empty for a review without a word that the model reads
	Rows     []int32   // [n] of the model's table, at least one
	Attended *Attended
}

// readings is the maximum number of reviews that ReadSplit holds in memory.
const readings = 1024

// ReadSplit asks the model about the reviews of a split, in the order of their names, and calls f
// with some of them at a time. limit is the number of reviews of each class, as in data.limit; 0 is
// all. A model that is BatchDependent gets the batches of its run's evaluation, in their order. It
// returns a LookError for a model without attention.
func (m *Model) ReadSplit(ctx context.Context, c *dataset.Corpus, part dataset.Part, limit int, o Look, f func([]Reading) error) error {
	return m.eachReading(ctx, c, splitOf(c, part), limit, func(r *Reading, batch *Batch, i int, e Encoded) (err error) {
		r.Class, r.P = batch.Class(i), slices.Clone(batch.P(i))
		if r.Attended, err = batch.Look(i, e, o); err == nil && r.Attended == nil {
			err = LookErrorf("the model has no attention")
		}
		return err
	}, f)
}

// splitOf returns train, or test.
func splitOf(c *dataset.Corpus, part dataset.Part) *dataset.Split {
	if part == dataset.Train {
		return &c.Train
	}
	return &c.Test
}

// eachReading goes through a split as ReadSplit does: see is called for each review, which is text i
// of a batch and was encoded as e, and f for each group of reviews.
func (m *Model) eachReading(ctx context.Context, c *dataset.Corpus, split *dataset.Split, limit int,
	see func(r *Reading, batch *Batch, i int, e Encoded) error, f func([]Reading) error) error {
	row := m.wordRows(c.Vocab)
	kept, n := m.evaluated(c, split, limit)
	for _, group := range m.groups(len(kept), n, readings) {
		list := make([]Reading, len(group))
		texts := make([]Encoded, len(group))
		for k, i := range group {
			b := kept[i]
			list[k] = Reading{ID: split.Names[b], Label: int(split.Labels[b])}
			list[k].Words, texts[k].Rows, _ = m.rowsOf(split.Words(b), row)
			list[k].Rows = texts[k].Rows
		}
		err := m.Each(ctx, texts, func(k int, batch *Batch, i int) error { return see(&list[k], batch, i, texts[k]) })
		if err != nil {
			return called(err, func(e *LongError) { e.Name = list[e.Text].ID })
		}
		if err := f(list); err != nil {
			return err
		}
	}
	return nil
}

// evaluated returns the first limit reviews of each class of a split, and the number of them in an
// evaluation: a model that is BatchDependent gets whole batches.
func (m *Model) evaluated(c *dataset.Corpus, split *dataset.Split, limit int) (kept []int, n int) {
	kept = split.First(limit, len(c.Classes))
	if n = len(kept); m.BatchDependent() {
		n = m.settings.Evaluated(n)
	}
	return kept, n
}

// OpenCorpus opens a data set (imdb, sample, or the name of an added one) with the tokeniser of the
// model's run, and that run's data divided as it was. dir is the data folder.
func (m *Model) OpenCorpus(ctx context.Context, dir, name string, o folder.Options) (*dataset.Corpus, error) {
	o.Tokenizer = m.tokenizer.Name()
	if name == m.settings.Data.Data {
		o.TestSeed = m.settings.TestSeed
	}
	return folder.Test(ctx, dir, name, o)
}

// wordRows returns the rows of the words of a vocabulary.
func (m *Model) wordRows(v *dataset.Vocab) *embedding.Rows {
	row := make([]int32, v.Len())
	for id, w := range v.Words() {
		row[id] = m.row(w)
	}
	return m.table.Over(v, row)
}

// rowsOf returns the words of a review that the model reads, and their rows, at least one; an n-gram
// counts as its last word. lacks is the number of words without a vector, also of those that
// oov=masked omits.
func (m *Model) rowsOf(ids []int32, r *embedding.Rows) (words, rows []int32, lacks int) {
	if n := m.settings.MaxLen; n > 0 && len(ids) > n {
		ids = ids[:n]
	}
	words, rows = make([]int32, 0, len(ids)), make([]int32, 0, max(1, len(ids)))
	for _, id := range ids {
		if r.Word[id] == embedding.OOVRow {
			lacks++
		}
	}
	r.Each(ids, func(row int32, at int) { words, rows = append(words, ids[at]), append(rows, row) })
	if len(rows) == 0 {
		rows = append(rows, embedding.OOVRow)
	}
	return words, rows, lacks
}

// groups divides the first n of all reviews into groups that are asked together: for a model that is
// BatchDependent the batches of its run's evaluation, in their order; else size consecutive ones.
func (m *Model) groups(all, n, size int) [][]int {
	var order []int
	if !m.BatchDependent() {
		for i := range n {
			order = append(order, i)
		}
		return slices.Collect(slices.Chunk(order, max(1, size)))
	}
	for _, i := range dataset.Shuffle(all, m.settings.Seed, 0) {
		if int(i) < n {
			order = append(order, int(i))
		}
	}
	return slices.Collect(slices.Chunk(order, m.settings.Batch))
}
