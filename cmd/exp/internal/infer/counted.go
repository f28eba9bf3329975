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

// featuresTensor stands beside the weights of a model that counts n-grams, which has a
// table of its words without numbers.
const featuresTensor = "features"

// leftTensor knows the n-grams that CutNgrams has left out.
const leftTensor = "ngrams.left"

// NoGraphError says why what is asked for is not there: the model counts n-grams.
type NoGraphError struct{ What string }

func (e *NoGraphError) Error() string {
	return "it counts n-grams and is no graph of ops: " + e.What
}

// counted takes over the n-grams of a run.
func (t *Trained) counted(features []byte) error {
	f := new(ngrams.Features)
	if err := f.UnmarshalBinary(features); err != nil {
		return err
	}
	t.Table = wordsOnly(f.Words)
	t.Weights = append(t.Weights, runs.Tensor{Name: featuresTensor, Shape: []int{len(features)}, Data: features})
	return nil
}

// wordsOnly is a table of words without numbers.
func wordsOnly(words []string) *runs.Table {
	return &runs.Table{Words: append([]string{""}, words...), Rows: make([]float32, len(words)+1), Dim: 1, OOV: embedding.OOVRow}
}

// scorer rebuilds what scores the n-grams of a run, which stand under that name.
func (t *Trained) scorer(m models.Counting, features string, numbers func(name string, rows, cols int) ([]float32, error)) (*counts.Scorer, error) {
	i := slices.IndexFunc(t.Weights, func(w runs.Tensor) bool { return w.Name == features })
	if i < 0 {
		return nil, errors.New("the n-grams are missing")
	}
	b, _ := t.Weights[i].Data.([]byte)
	return counts.Load(m.Counts(), len(t.Config.Classes), b, numbers)
}

// Scorer returns what scores the n-grams of a model that counts; nil for others.
func (m *Model) Scorer() *counts.Scorer { return m.scorer }

// texts are as counts wants them: words by their rows, none of a text without words. Rows
// behind the table are of words that training has not met.
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

// score returns what the n-grams of texts come to [B, C]; nil where none are counted.
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

// Explain takes apart what a model that counts says of a text, for which it predicts a
// class: a term for each n-gram. It is nil for other models.
func (m *Model) Explain(e Encoded, predicted int) (*counts.Explanation, error) {
	if m.scorer == nil {
		return nil, nil
	}
	return m.explain(e, predicted)
}

func (m *Model) explain(e Encoded, predicted int) (*counts.Explanation, error) {
	words := make([]string, len(e.Words))
	for i, w := range e.Words {
		words[i] = w.Word
	}
	return m.scorer.Explain(words, predicted)
}

// leftOut finds what CutNgrams has left out; nil for nothing.
func (t *Trained) leftOut() (*ngrams.Left, error) {
	i := slices.IndexFunc(t.Weights, func(w runs.Tensor) bool { return w.Name == leftTensor })
	if i < 0 {
		return nil, nil
	}
	b, _ := t.Weights[i].Data.([]byte)
	l := new(ngrams.Left)
	return l, l.UnmarshalBinary(b)
}

// LeftOut returns how many n-grams CutNgrams has left the model and how many it has taken,
// and how many of these a text has at most; cut is false of a model that has all of its own.
func (m *Model) LeftOut(e Encoded) (lacks, kept, left int, cut bool) {
	scorer := m.counter()
	if m.left == nil || scorer == nil {
		return 0, 0, 0, false
	}
	words := make([]string, len(e.Words))
	for i, w := range e.Words {
		words[i] = w.Word
	}
	return m.left.Count(scorer.Features, words), scorer.Features.Len(), m.left.N, true
}

// counter is what counts n-grams, alone or beside a network; nil where nothing does.
func (m *Model) counter() *counts.Scorer { return cmp.Or(m.scorer, m.wide) }
