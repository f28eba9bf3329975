package infer

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"math"
	"slices"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/ngrams"
	"imdbexp/dataset/token"
	"imdbexp/internal/safetensors"
	"imdbexp/models"
	"imdbexp/models/counts"
	"imdbexp/runs"
)

// CutWords reduces the table to the most frequent words of the run's data, and those of some texts,
// whose predictions stay the same. The other words then have no vector. n is 0 for all words.
func (t *Trained) CutWords(n int, texts ...string) error {
	words := t.Table.Words
	if n <= 0 || n >= len(words)-1 {
		return nil
	}
	_, r, tok, err := t.Architecture()
	if err != nil {
		return err
	}
	if r.NGrams > 1 {
		return fmt.Errorf("%s: vectors.ngrams=%d gives n-grams vectors, too; without the rare ones it would be a different model", t.Label(), r.NGrams)
	}
	table := embedding.NewTable(words, t.Table.Rows, t.Table.Dim, embedding.OOV(r.Unknown()))
	keep := make([]bool, len(words))
	for i := range n + 1 { // row 0 is for words without a vector; the others are sorted by falling count
		keep[i] = true
	}
	for _, text := range texts {
		rows, _ := table.Encode(tok, text, 0)
		for _, row := range rows {
			keep[row] = true
		}
	}
	kept := &runs.Table{Dim: t.Table.Dim, OOV: t.Table.OOV}
	for i, w := range words {
		if keep[i] {
			kept.Words = append(kept.Words, w)
			kept.Rows = append(kept.Rows, t.Table.Rows[i*kept.Dim:][:kept.Dim]...)
		}
	}
	t.Table = kept
	return nil
}

// CutNgrams reduces the n-grams of a bag-of-n-grams model, or of the second input of a network, to
// about the given number that change the scores of train reviews most, by |w|·√(reviews with it),
// and their parts; and to all n-grams of some texts, whose predictions stay the same. limit is 0
// for all. A network only meets n-grams of words in its table, so call CutWords first. It returns
// how many are kept, and how many there were.
func (t *Trained) CutNgrams(limit int, texts ...string) (kept, of int, err error) {
	features, weights := featuresTensor, "W"
	if t.Config.WideAndDeep() {
		features, weights = models.WideFeatures, models.WidePrefix+"W"
	} else if !t.Config.Counts() {
		return 0, 0, nil
	}
	b, is := tensor[[]byte](t, features)
	w, are := tensor[[]float32](t, weights)
	if !is || !are {
		return 0, 0, errors.New("the n-grams or their weights are missing")
	}
	f := new(ngrams.Features)
	if err := f.UnmarshalBinary(b); err != nil {
		return 0, 0, err
	}
	n := f.Len()
	if limit <= 0 || limit >= n {
		return n, n, nil
	}
	keep, err := t.chooseNgrams(f, w, limit, texts)
	if err != nil {
		return 0, 0, err
	}
	cut, which := f.Keep(keep)
	if b, err = cut.MarshalBinary(); err != nil {
		return 0, 0, err
	}
	k := len(w) / n
	rows := make([]float32, 0, len(which)*k)
	for _, i := range which {
		rows = append(rows, w[int(i)*k:][:k]...)
	}
	t.Weights = slices.DeleteFunc(slices.Clone(t.Weights), func(w runs.Tensor) bool { return w.Name == features || w.Name == weights })
	t.Weights = append(t.Weights, bytesTensor(features, b), runs.Tensor{Name: weights, Shape: []int{len(which), k}, Data: rows})
	if t.Config.Counts() {
		t.Table = wordsOnly(cut.Words)
	}
	return len(which), n, nil
}

// chooseNgrams chooses the n-grams to keep.
func (t *Trained) chooseNgrams(f *ngrams.Features, w []float32, limit int, texts []string) ([]bool, error) {
	n, k := f.Len(), len(w)/f.Len()
	size := make([]float64, n)
	for i := range n {
		_, reviews := f.Count(i)
		for _, x := range w[i*k:][:k] {
			size[i] = max(size[i], math.Abs(float64(x))*math.Sqrt(float64(reviews)))
		}
	}
	keep := make([]bool, n)
	for _, i := range Argsort(size)[:limit] {
		keep[i] = true
	}
	_, _, tok, err := t.Architecture()
	if err != nil {
		return nil, err
	}
	for _, text := range texts {
		for _, o := range f.Find(Texts(token.Tokens(tok, text))) {
			keep[o.Feature] = true
		}
	}
	return keep, nil
}

// SplitTable separates the table of words, which several runs on the same words share, from the
// model, as safetensors. The model keeps the row of unknown words, which it may have trained.
func (t *Trained) SplitTable() (model *Trained, table []byte, err error) {
	m, words, d := *t, *t.Table, t.Table.Dim
	m.Table = &runs.Table{Words: words.Words[:1], Rows: words.Rows[:d:d], Dim: d, OOV: words.OOV}
	words.Rows = slices.Clone(words.Rows)
	clear(words.Rows[:d])
	var b bytes.Buffer
	err = safetensors.Write(&b, &safetensors.File{Tensors: tableTensors(&words)})
	return &m, b.Bytes(), err
}

// JoinTable is the inverse of SplitTable.
func (t *Trained) JoinTable(table []byte) error {
	f, err := safetensors.Parse(table)
	if err != nil {
		return err
	}
	d, words := t.Table.Dim, &Trained{}
	if err := words.parseTensors(f); err != nil {
		return err
	}
	if words.Table.Dim != d || len(t.Table.Words) != 1 {
		return fmt.Errorf("%s: a table with vectors of %d numbers does not fit the model, with %d", t.Label(), words.Table.Dim, d)
	}
	copy(words.Table.Rows[:d], t.Table.Rows)
	t.Table = words.Table
	return nil
}

// featuresTensor holds the n-grams of a bag-of-n-grams model, whose table has words without
// vectors.
const featuresTensor = "features"

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
	scorer := cmp.Or(m.scorer, m.wide)
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
