package infer

import (
	"context"
	"errors"
	"iter"
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

// ReadSplit asks the model about the reviews of a split, in the order of their names, and yields some
// of them at a time, or an error at the end. limit is the number of reviews of each class, as in
// data.limit; 0 is all. A model that is BatchDependent gets the batches of its run's evaluation, in
// their order. A model without attention is a LookError.
func (m *Model) ReadSplit(ctx context.Context, c *dataset.Corpus, part dataset.Part, limit int, o Look) iter.Seq2[[]Reading, error] {
	return func(yield func([]Reading, error) bool) {
		s := m.split(c, part, limit)
		all := make(map[int]Reading, readings)
		err := m.inGroups(ctx, s, m.evaluated(s), readings, func(i int, b *Batch, k int) error {
			r := Reading{ID: s.Names[i], Label: int(s.Labels[i]), Words: s.words[i], Rows: s.Texts[i].Rows, Class: b.Class(k), P: slices.Clone(b.P(k))}
			var err error
			if r.Attended, err = b.Look(k, s.Texts[i], o); err == nil && r.Attended == nil {
				err = LookErrorf("the model has no attention")
			}
			all[i] = r
			return err
		}, func(group []int) error {
			list := make([]Reading, len(group))
			for k, i := range group {
				list[k] = all[i]
			}
			clear(all)
			if !yield(list, nil) {
				return errFound
			}
			return nil
		})
		if err != nil && !errors.Is(err, errFound) {
			yield(nil, err)
		}
	}
}

// evaluated returns the number of reviews of a split in an evaluation: a model that is BatchDependent
// gets whole batches.
func (m *Model) evaluated(s *Split) int {
	if m.BatchDependent() {
		return m.settings.Evaluated(s.Len())
	}
	return s.Len()
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
