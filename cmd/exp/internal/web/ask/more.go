package ask

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/infer"
)

// mostMatrix is the maximum number of words of a text for the attention of every word.
const mostMatrix = 64

// Matrix is the self-attention of every word.
type Matrix struct {
	Layer int         `json:"layer"` // from 1
	Head  int         `json:"head"`  // from 1; 0: the mean of all
	Words []string    `json:"words"` // [n], with [CLS] before them where there is one
	Rows  [][]float32 `json:"rows"`  // [n][n], a row for each word
}

// more adds the other parts of a question.
func (a *Answer) more(m *infer.Model, q Question, b *infer.Batch, text infer.Encoded) error {
	lack := func(err error) error {
		if wrong, is := errors.AsType[*infer.LookError](err); is {
			a.Lacks = append(a.Lacks, wrong.Message)
			return nil
		}
		return err
	}
	look := infer.Look{Layer: q.Layer, Head: q.Head, Word: q.Word}
	// Parts that ask the model again come last, because they overwrite the batch.
	if q.Matrix {
		if err := lack(a.matrix(b, text, look)); err != nil {
			return err
		}
	}
	if q.Steps {
		var err error
		if a.Steps, err = m.Steps(q.Text, look); lack(err) != nil {
			return err
		}
	}
	if q.Flip {
		if err := lack(a.flip(m, text)); err != nil {
			return err
		}
	}
	if q.By != "" && q.By != scores.Attention {
		return lack(a.score(m, text, q.By))
	}
	return nil
}

// matrix adds the attention of every word.
func (a *Answer) matrix(b *infer.Batch, text infer.Encoded, look infer.Look) error {
	if b.Layers() == nil {
		return &infer.LookError{Message: "the model has no layers of self-attention"}
	}
	if n := len(text.Rows); n > mostMatrix {
		return &infer.LookError{Message: fmt.Sprintf("the attention of every word is drawn for texts of at most %d words, and this one has %d", mostMatrix, n)}
	}
	x := &Matrix{Layer: look.Layer, Head: look.Head, Words: []string{}, Rows: [][]float32{}}
	if x.Layer == 0 {
		x.Layer = len(b.Layers())
	}
	row := func(name, word string) error {
		look.Word = word
		from, err := b.Look(0, text, look)
		if err != nil {
			return err
		}
		weights := slices.Clone(from.Weights)
		if b.Front() > 0 {
			weights = append([]float32{from.CLS}, weights...)
		}
		x.Words, x.Rows = append(x.Words, name), append(x.Rows, weights)
		return nil
	}
	if b.Front() > 0 {
		if err := row(infer.CLS, infer.CLS); err != nil {
			return err
		}
	}
	for i, w := range text.Words {
		if err := row(w.Word, strconv.Itoa(i+1)); err != nil {
			return err
		}
	}
	a.Matrix = x
	return nil
}
