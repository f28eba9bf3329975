package ask

import (
	"errors"
	"fmt"
	"slices"
	"strconv"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/scores"
)

// Limits of what people can read.
const (
	mostMatrix  = 64 // words
	stepNumbers = 3  // of a vector
)

// Steps are the numbers behind the attention to a short text, see infer.Steps. Vectors have their
// first numbers only.
type Steps struct {
	From     string      `json:"from"`
	Query    []float64   `json:"query"`
	Width    int         `json:"width"` // numbers of the query in all
	Words    []string    `json:"words"`
	Known    []bool      `json:"known"`
	Additive bool        `json:"additive"`
	Scores   []float64   `json:"scores"`
	Scale    float64     `json:"scale"`
	Scaled   []float64   `json:"scaled"`
	Weights  []float64   `json:"weights"`
	Over     bool        `json:"over"`   // slip.softmax_queries: the weights of a column add up to one
	Values   [][]float64 `json:"values"` // empty where nothing is added up
	Depth    int         `json:"depth"`  // numbers of a value in all
	Sum      []float64   `json:"sum"`
	Adds     [][]float64 `json:"adds"` // what each word adds to each logit; empty where the rest is not linear
	Bias     []float64   `json:"bias"`
	Logits   []float64   `json:"logits"`
	Network  []float32   `json:"network"` // the logits in single precision, which give the probabilities
	Slip     string      `json:"slip"`    // a slip that changes the logits
}

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
		if err := lack(a.steps(m, q.Text, look)); err != nil {
			return err
		}
	}
	if q.By != "" && q.By != scores.Attention && a.Explained == nil {
		return lack(a.score(m, text, q.By))
	}
	return nil
}

func (a *Answer) steps(m *infer.Model, text string, look infer.Look) error {
	s, err := m.Steps(text, look)
	if err != nil {
		return err
	}
	a.Steps = stepsOf(s)
	return nil
}

func stepsOf(s *infer.Steps) *Steps {
	first := func(x []float64) []float64 { return append([]float64{}, x[:min(stepNumbers, len(x))]...) }
	out := &Steps{
		From: s.From, Query: first(s.Query), Width: len(s.Query), Words: s.Words, Known: s.Known, Additive: s.Additive,
		Scores: s.Scores, Scale: s.Scale, Scaled: s.Scaled, Weights: s.Weights, Over: s.OverQueries, Values: [][]float64{},
		Depth: len(s.Sum), Sum: first(s.Sum), Adds: append([][]float64{}, s.Adds...), Bias: append([]float64{}, s.Bias...),
		Logits: append([]float64{}, s.Logits...), Network: append([]float32{}, s.Network...), Slip: s.Slip,
	}
	for _, v := range s.Values {
		out.Values = append(out.Values, first(v))
	}
	return out
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
