package infer

import (
	"cmp"
	"errors"
	"slices"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/ngrams"
	"imdbexp/models"
	"imdbexp/models/counts"
	"imdbexp/runs"
)

// featuresTensor holds the n-grams of a bag-of-n-grams model, whose table has words without
// vectors.
const featuresTensor = "features"

// leftTensor has the number of n-grams that CutNgrams has removed, in decimal.
const leftTensor = "ngrams.left"

// counted adds the n-grams of a run.
func (t *Trained) counted(features []byte) error {
	f := new(ngrams.Features)
	if err := f.UnmarshalBinary(features); err != nil {
		return err
	}
	t.Table = wordsOnly(f.Words)
	t.Weights = append(t.Weights, bytesTensor(featuresTensor, features))
	return nil
}

// wordsOnly returns a table of words without vectors.
func wordsOnly(words []string) *runs.Table {
	return &runs.Table{Words: append([]string{""}, words...), Rows: make([]float32, len(words)+1), Dim: 1, OOV: embedding.OOVRow}
}

// scorer rebuilds the scorer of the n-grams in the tensor of that name.
func (t *Trained) scorer(m models.Counting, features string, numbers func(name string, rows, cols int) ([]float32, error)) (*counts.Scorer, error) {
	b, ok := tensor[[]byte](t, features)
	if !ok {
		return nil, errors.New("the n-grams are missing")
	}
	return counts.Load(m.Counts(), len(t.Config.Classes), b, numbers)
}

// tensor returns the data of a tensor of the model.
func tensor[T any](t *Trained, name string) (data T, ok bool) {
	for _, w := range t.Weights {
		if w.Name == name {
			data, ok = w.Data.(T)
		}
	}
	return data, ok
}

// Scorer returns the scorer of a bag-of-n-grams model; nil for others.
func (m *Model) Scorer() *counts.Scorer { return m.scorer }

// texts are the reviews of a scorer: words by their rows, and no word for a text without words.
// Rows after the table belong to words that training has not met.
type texts struct {
	list []Encoded
	met  int32
}

func (t texts) Len() int { return len(t.list) }

func (t texts) Words(i int) []int32 {
	rows := t.list[i].Rows
	if len(rows) == 1 && rows[0] == embedding.OOVRow {
		return nil
	}
	if slices.Max(rows) >= t.met {
		rows = slices.Clone(rows)
		for k, r := range rows {
			if r >= t.met {
				rows[k] = embedding.OOVRow
			}
		}
	}
	return rows
}

// score returns the scores of the n-grams of texts [B, C]; nil for a model without n-grams.
func (m *Model) score(list []Encoded) ([]float32, error) {
	scorer := m.counter()
	if scorer == nil {
		return nil, nil
	}
	x, err := scorer.Matrix(m.pool, texts{list, int32(len(m.table.Words))}, m.table.Words)
	if err != nil {
		return nil, err
	}
	return scorer.Scores(m.pool, x)
}

// Explain splits the score of a text into a term for each n-gram; predicted is the predicted class.
// It returns nil unless the model is a bag of n-grams.
func (m *Model) Explain(e Encoded, predicted int) (*counts.Explanation, error) {
	if m.scorer == nil {
		return nil, nil
	}
	words := make([]string, len(e.Rows))
	for i, r := range e.Rows {
		words[i] = m.Word(r)
	}
	return m.scorer.Explain(words, predicted)
}

// LeftOut returns how many n-grams CutNgrams has kept and removed; cut is false for a model with all of
// its n-grams.
func (m *Model) LeftOut() (kept, left int, cut bool) {
	scorer := m.counter()
	if m.left == 0 || scorer == nil {
		return 0, 0, false
	}
	return scorer.Features.Len(), m.left, true
}

// counter returns the scorer of the model or of its second input; nil for none.
func (m *Model) counter() *counts.Scorer { return cmp.Or(m.scorer, m.wide) }
