package ask

import (
	"context"
	"errors"
	"math"
	"slices"
	"strconv"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/infer"
)

// Max number of words of a text for scores that run the model often: about ten seconds in a
// browser.
const (
	mostRepeated   = 100 // once for each word
	mostExact      = 12  // once for each set of words
	mostSampled    = 40  // thousands of times
	mostIntegrated = 300 // with gradients, at several points

	mostMatrix  = 64      // for the attention of every word
	mostFlipped = 200_000 // words of the texts that a search for a flip asks about
)

// Matrix is the self-attention of every word.
type Matrix struct {
	Layer int         `json:"layer"` // from 1
	Head  int         `json:"head"`  // from 1; 0: the mean of all
	Words []string    `json:"words"` // [n], with [CLS] before them where there is one
	Rows  [][]float32 `json:"rows"`  // [n][n], a row for each word
}

// Scoring is a score of words that a model has.
type Scoring struct {
	Name  string `json:"name"` // as exp attend --by has it
	Title string `json:"title"`
}

// Scored summarises the scores of the pieces.
type Scored struct {
	Scoring
	Says   string  `json:"says"`   // its definition
	Signed bool    `json:"signed"` // positive for the predicted class
	Above  string  `json:"above"`  // that class
	Below  string  `json:"below"`  // the other class; "" if there are more than two
	Sum    float64 `json:"sum"`
	Off    float64 `json:"off"`    // relative error of the sum of integrated gradients
	Points int     `json:"points"` // points of the integral; 0 for other scores
	Asked  int     `json:"asked"`  // random texts of an estimate; 0 for other scores
	Within float64 `json:"within"` // half its 95 % intervals, the mean over the words
}

// more adds the other parts of a question. Those that ask the model again come last, because they
// overwrite the batch.
func (a *Answer) more(m *infer.Model, q Question, v *infer.View, selected infer.Selection) error {
	for _, part := range []struct {
		asked bool
		add   func() error
	}{
		{q.Matrix, func() error { return a.matrix(v, selected) }},
		{q.Steps, func() (err error) {
			a.Steps, err = m.Steps(q.Text, selected)
			return err
		}},
		{q.Flip, func() error { return a.flip(m, v) }},
		{q.By != "" && q.By != scores.Attention, func() error { return a.score(m, v, q.By) }},
	} {
		if !part.asked {
			continue
		}
		err := part.add()
		if wrong, is := errors.AsType[*infer.SelectionError](err); is {
			a.Lacks = append(a.Lacks, wrong.Message)
		} else if err != nil {
			return err
		}
	}
	return nil
}

// matrix adds the attention of every word.
func (a *Answer) matrix(v *infer.View, selected infer.Selection) error {
	if len(a.Heads) == 0 {
		return infer.SelectionErrorf("the model has no layers of self-attention")
	}
	if n := len(v.Words); n > mostMatrix {
		return infer.SelectionErrorf("the attention of every word is drawn for texts of at most %d words, and this one has %d", mostMatrix, n)
	}
	x := &Matrix{Layer: selected.Layer, Head: selected.Head, Words: infer.Texts(v.Words), Rows: [][]float32{}}
	if x.Layer == 0 {
		x.Layer = len(a.Heads)
	}
	if a.CLS {
		x.Words = slices.Insert(x.Words, 0, infer.CLS)
	}
	for i := range x.Words {
		selected.Word = strconv.Itoa(i + 1)
		if a.CLS {
			selected.Word = map[bool]string{true: infer.CLS, false: strconv.Itoa(i)}[i == 0]
		}
		from, err := v.Batch.Select(0, v.Encoded, selected)
		if err != nil {
			return err
		}
		row := slices.Clone(from.Weights)
		if a.CLS {
			row = slices.Insert(row, 0, from.CLS)
		}
		x.Rows = append(x.Rows, row)
	}
	a.Matrix = x
	return nil
}

// score adds a score of exp attend --by.
func (a *Answer) score(m *infer.Model, v *infer.View, name string) error {
	s, err := scores.Lookup(name)
	if err != nil {
		return infer.SelectionErrorf("%s", err)
	}
	if why := s.Lacks(m); why != "" {
		return infer.SelectionErrorf("%s: %s", s.Title, why)
	}
	maxWords := len(v.Words)
	switch {
	case s.Name == scores.SHAP && a.Counts: // a sum
	case s.Name == scores.SHAP, s.Name == scores.LIME:
		maxWords = mostSampled
	case s.Repeats != "":
		maxWords = mostRepeated
	case s.Name == scores.Integrated:
		maxWords = mostIntegrated
	}
	if n := len(v.Words); n > maxWords {
		return infer.SelectionErrorf("%s asks the model many times, so a page computes it for texts of at most %d words, and this one has %d; exp attend --by %s takes any number", s.Title, maxWords, n, s.Name)
	}
	asker := scores.New(m, 1)
	defer asker.Close()
	asker.Exact = mostExact
	of, err := asker.Compute(context.Background(), s, []scores.Text{{Encoded: v.Encoded, Class: a.Class}})
	if err != nil {
		return err
	}
	v.Show(of[0], s.Title, s.Signed)
	x := &Scored{Scoring: Scoring{s.Name, s.Title}, Says: s.Definition, Signed: s.Signed, Above: a.Classes[a.Class]}
	if len(a.Classes) == 2 {
		x.Below = a.Classes[1-a.Class]
	}
	if c := asker.Complete; c.All > 0 {
		x.Off, x.Points = c.Share(), c.Steps
	}
	for _, v := range of[0] {
		x.Sum += float64(v)
	}
	if e := asker.Estimate; e != nil {
		x.Asked = e.Asked
		for _, v := range e.Within[0] {
			x.Within += float64(v) / float64(len(e.Within[0]))
		}
	}
	if math.IsNaN(x.Sum) || math.IsInf(x.Sum, 0) {
		return infer.SelectionErrorf("%s gives numbers that are not finite", s.Title)
	}
	shade(a.Pieces, of[0], v.Ratio)
	a.Scored, a.Explained = x, nil
	return nil
}

// flip finds the fewest words without which the answer changes.
func (a *Answer) flip(m *infer.Model, v *infer.View) error {
	if n := len(v.Words); n > mostRepeated {
		return infer.SelectionErrorf("the fewest words that change the answer are searched for in texts of at most %d words, and this one has %d; exp attend --flip takes any number", mostRepeated, n)
	}
	if v.Wordless() {
		return infer.SelectionErrorf("the text has no words to leave out")
	}
	asker := scores.New(m, 1)
	defer asker.Close()
	t := scores.Text{Encoded: v.Encoded, Class: a.Class}
	f, err := asker.Flip(context.Background(), t, nil, scores.Ways[0], mostFlipped)
	if err == nil {
		a.Flip = f.Says(t.Names(), a.Classes)
	}
	return err
}
