package infer

import (
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/token"
	"imdbexp/internal/safetensors"
	"imdbexp/internal/settings"
	"imdbexp/runs"
)

// Cut keeps of the table the most words that are most frequent in the run's data, where
// most is above 0, and beside them those of some texts, of which the model then says what
// it said before. The words that are left out have no vector from then on.
func (t *Trained) Cut(most int, texts ...string) error {
	words := t.Table.Words
	if most <= 0 || most >= len(words)-1 {
		return nil
	}
	r := settings.Run{}
	if _, err := t.model(&r); err != nil {
		return err
	}
	if r.NGrams > 1 {
		return fmt.Errorf("%s: with vectors.ngrams=%d pairs of words have vectors, too: without those of them that are rare it would be another model", t.Label(), r.NGrams)
	}
	tok, err := token.Get(r.Tokenizer())
	if err != nil {
		return err
	}
	table := embedding.NewTable(words, t.Table.Rows, t.Table.Dim, embedding.OOV(r.Unknown()))
	keep := make([]bool, len(words))
	for i := range most + 1 { // row 0 stands for words without a vector; the others come by falling count
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

// Apart splits off the table of words, which runs on the same words share. What is left
// keeps the row of words without a vector, which may be the run's own.
func (t *Trained) Apart() (*Trained, *runs.Table) {
	model := *t
	d := t.Table.Dim
	model.Table = &runs.Table{Words: t.Table.Words[:1], Rows: t.Table.Rows[:d:d], Dim: d, OOV: t.Table.OOV}
	words := *t.Table
	words.Rows = slices.Clone(words.Rows)
	clear(words.Rows[:d])
	return &model, &words
}

// Join puts a model and its table of words together again, as Apart has split them. The
// table stays as it is.
func (t *Trained) Join(words *runs.Table) error {
	d := t.Table.Dim
	if words.Dim != d || len(t.Table.Words) != 1 {
		return fmt.Errorf("%s: vectors of %d numbers do not go with its own of %d", t.Label(), words.Dim, d)
	}
	joined := *words
	joined.Rows = slices.Concat(t.Table.Rows, words.Rows[d:])
	t.Table = &joined
	return nil
}

// WriteTable writes a table of words as safetensors and returns the sum of its content.
func WriteTable(w io.Writer, t *runs.Table) (sum [sha256.Size]byte, err error) {
	words := []byte(strings.Join(t.Words, "\n"))
	h := sha256.New()
	err = safetensors.Write(io.MultiWriter(w, h), &safetensors.File{Tensors: []runs.Tensor{
		{Name: vectorsTensor, Shape: []int{len(t.Words), t.Dim}, Data: t.Rows},
		{Name: vocabularyTensor, Shape: []int{len(words)}, Data: words},
	}})
	return [sha256.Size]byte(h.Sum(nil)), err
}

// ParseTable reads what WriteTable wrote.
func ParseTable(b []byte) (*runs.Table, error) {
	f, err := safetensors.Parse(b)
	if err != nil {
		return nil, err
	}
	t := &Trained{}
	if err := t.parseTensors(f); err != nil {
		return nil, err
	}
	if len(t.Weights) > 0 {
		return nil, errors.New("the table of words has more than words and vectors")
	}
	return t.Table, nil
}
