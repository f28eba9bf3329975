package infer

import (
	"context"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
)

// OpenCorpus opens a data set (imdb, sample, or the name of an added one) with the tokeniser of the
// model's run. dir is the data folder.
func (m *Model) OpenCorpus(ctx context.Context, dir, name string, o folder.Options) (*dataset.Corpus, error) {
	o.Tokenizer = m.tokenizer.Name()
	return folder.Corpus(ctx, dir, name, o)
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
