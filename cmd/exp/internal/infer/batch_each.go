package infer

import (
	"cmp"
	"context"
	"slices"

	"imdbexp/internal/settings"
	"imdbexp/models"
)

// Limits of a batch of Each: the number of texts, as in evaluation, and of words, so that many long
// texts do not need much memory. A single text may be longer.
const (
	batchTexts = 128
	batchWords = 1 << 15
)

// BatchDependent reports whether the prediction for a text depends on the other texts of its batch.
func (m *Model) BatchDependent() bool { return m.mixes }

// BatchDependent reports whether the prediction for a text depends on the other texts of its batch.
func (t *Trained) BatchDependent() (bool, error) {
	var r settings.Run
	m, err := t.Architecture(&r)
	return err == nil && models.BatchDependent(m), err
}

// BatchSize returns the number of reviews of a batch in training.
func (m *Model) BatchSize() int { return m.settings.Batch }

// Each asks the model about any number of texts, in batches of bounded size. It calls f once for
// each text: text i of the list is text k of the batch b. Texts of similar length share a batch, so
// the calls are not in the order of the list; a model that is BatchDependent gets batches of
// BatchSize consecutive texts.
func (m *Model) Each(ctx context.Context, list []Encoded, f func(i int, b *Batch, k int) error) error {
	texts := make([]Encoded, 0, min(len(list), batchTexts))
	for _, group := range m.Cut(list) {
		if err := ctx.Err(); err != nil {
			return err
		}
		texts = texts[:0]
		for _, i := range group {
			texts = append(texts, list[i])
		}
		b, err := m.Run(texts)
		if err != nil {
			return called(err, func(e *LongError) { e.Text = group[e.Text] })
		}
		for k, i := range group {
			if err := f(i, b, k); err != nil {
				return err
			}
		}
	}
	return nil
}

// Cut returns the indices of the texts of each batch of Each.
func (m *Model) Cut(list []Encoded) [][]int {
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	var out [][]int
	if m.BatchDependent() {
		return slices.AppendSeq(out, slices.Chunk(order, m.settings.Batch))
	}
	slices.SortStableFunc(order, func(i, j int) int { return cmp.Compare(len(list[j].Rows), len(list[i].Rows)) })
	for len(order) > 0 {
		n, words := 0, 0
		for n < min(len(order), batchTexts) && (n == 0 || words+len(list[order[n]].Rows) <= batchWords) {
			words += len(list[order[n]].Rows)
			n++
		}
		out = append(out, order[:n])
		order = order[n:]
	}
	return out
}
