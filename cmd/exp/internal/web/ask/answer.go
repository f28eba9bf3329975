// Package ask answers questions of the page about a text: the prediction of a run, its attention,
// and the numbers behind it.
package ask

import (
	"context"
	"fmt"
	"math"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/infer"
	"imdbexp/internal/infer/translator"
	"imdbexp/internal/ops"
	"imdbexp/models/counts"
)

// Question asks a run about a text.
type Question struct {
	Run  string `json:"run"`
	Text string `json:"text"`

	// Of self-attention, see infer.Selection; the zero values are the model's own choice.
	Layer int    `json:"layer"` // from 1; 0: the last
	Head  int    `json:"head"`  // from 1; 0: the mean over heads
	Word  string `json:"word"`  // the attention of this word: its number from 1, or [CLS]; "": what each word receives

	By     string `json:"by"`     // a score of exp attend --by, for the shades; "": attention
	Steps  bool   `json:"steps"`  // the numbers behind the attention
	Matrix bool   `json:"matrix"` // the self-attention of every word
	Flip   bool   `json:"flip"`   // the fewest words without which the answer changes
}

// Answer is the answer of a run about a text.
type Answer struct {
	Run     string    `json:"run"`
	Epoch   int       `json:"epoch"` // of the weights
	Classes []string  `json:"classes"`
	P       []float32 `json:"p"`     // [C] probability of each class
	Class   int       `json:"class"` // the most probable
	Words   int       `json:"words"` // n
	Unknown int       `json:"unknown"`
	Unread  int       `json:"unread"` // words cut by data.max_len

	Heads     []int           `json:"heads"`     // number in each layer of self-attention; may be empty
	CLS       bool            `json:"cls"`       // the model reads a [CLS] before the text
	Attention *infer.Attended `json:"attention"` // null for a model without
	Explained *Explained      `json:"explained"` // of a model that counts n-grams; null for others
	Scores    []Scoring       `json:"scores"`    // available for Question.By
	Scored    *Scored         `json:"scored"`    // by Question.By; null without
	Steps     *infer.Steps    `json:"steps"`
	Matrix    *Matrix         `json:"matrix"`
	Flip      string          `json:"flip"`   // the answer to Question.Flip, in a sentence; "" if false
	Counts    bool            `json:"counts"` // the model counts n-grams
	Lacks     []string        `json:"lacks"`  // why a part of the question has no answer
	Pieces    []TextPiece     `json:"pieces"` // the text, cut at its words
	Sample    int             `json:"sample"` // words that the model knows, if it was trained on the sample; 0 for other data

	Translation *Translation `json:"translation"` // null for a model that classifies
}

// Explained is the score of a bag-of-n-grams model as a sum.
type Explained struct {
	Above string  `json:"above"` // the class of positive scores
	Below string  `json:"below"` // the class of negative scores; "" if there are more than two
	Bias  float64 `json:"bias"`
	Score float64 `json:"score"`
	Terms []Term  `json:"terms"` // the largest
	Count int     `json:"count"` // of all
}

// Term is an n-gram and what it adds to the score.
type Term struct {
	Name  string  `json:"name"`
	Sum   float64 `json:"sum"`
	Times int     `json:"times"`
}

// TextPiece is a part of the text: a word that the model has read, or what is between words.
type TextPiece struct {
	Text     string  `json:"text"`
	Word     int     `json:"word,omitempty"`     // from 1; 0 between words
	Unknown  bool    `json:"unknown,omitempty"`  // the model has no vector for the word
	Weight   float32 `json:"weight,omitempty"`   // its attention
	Strength float64 `json:"strength,omitempty"` // of its shade, 0 to 1, see infer.Strength
	Says     float64 `json:"says,omitempty"`     // its share of its n-grams' contributions, or its score
}

// Model answers questions: one that classifies, or one that translates.
type Model interface {
	// Put answers a question; pairs limits the pairs of words that self-attention weighs. A layer,
	// head or word that does not exist is an infer.SelectionError.
	Put(q Question, pairs float64) (*Answer, error)
	Close() error
}

// Open rebuilds a trained model.
func Open(t *infer.Trained, pool *ops.Pool) (Model, error) {
	if t.Languages != nil {
		m, err := translator.New(t, pool)
		return translates{m}, err
	}
	c := classifier{}
	if t.Config.Data.Name == "sample" {
		c.sample = len(t.Table.Words) - 1 // without the row of unknown words
	}
	var err error
	c.Model, err = t.Model(pool)
	return c, err
}

// classifier is a Model that classifies.
type classifier struct {
	*infer.Model
	sample int // see Answer.Sample
}

// Put implements Model.
func (c classifier) Put(q Question, pairs float64) (*Answer, error) {
	m, selected := c.Model, infer.Selection{Layer: q.Layer, Head: q.Head, Word: q.Word}
	heads := 0
	for _, n := range m.Layers() {
		heads += n
	}
	maxWords := int(math.Sqrt(pairs / float64(max(heads, 1)))) // each head weighs each pair of words
	if n := len(m.Encode(q.Text).Rows); n > maxWords {
		return nil, fmt.Errorf("the text is too long: it has %d words, and this page reads at most %d with a model of this size; exp attend reads any number", n, maxWords)
	}
	v, err := m.View(q.Text, selected)
	if err != nil {
		return nil, err
	}
	a := &Answer{
		Classes: m.Classes, P: v.P, Class: v.Class, Words: len(v.Words), Heads: append([]int{}, m.Layers()...), CLS: v.Batch.Front() > 0,
		Attention: v.Attended, Scores: []Scoring{}, Counts: v.Counts, Lacks: []string{}, Sample: c.sample, Unread: len(v.Left) - v.Masked,
	}
	a.cut(q.Text, v.Encoded)
	switch {
	case v.Attended != nil:
		for i, p := range a.Pieces {
			if p.Word > 0 {
				a.Pieces[i].Weight, a.Pieces[i].Strength = v.Weights[p.Word-1], infer.Strength(v.Ratio[p.Word-1])
			}
		}
	case v.Explained != nil:
		a.explain(v.Explained)
		shade(a.Pieces, v.Explained.Words, v.Ratio)
	}
	for _, s := range scores.All() {
		if s.Name != scores.Attention && s.Lacks(m) == "" {
			a.Scores = append(a.Scores, Scoring{s.Name, s.Title})
		}
	}
	return a, a.more(m, q, v, selected)
}

// mostTerms is the max number of n-grams in an answer.
const mostTerms = 10

func (a *Answer) explain(e *counts.Explanation) {
	x := &Explained{Above: a.Classes[e.For], Bias: e.Bias, Score: e.Score(), Terms: []Term{}, Count: len(e.Terms)}
	if e.Against >= 0 {
		x.Below = a.Classes[e.Against]
	}
	for _, t := range e.Terms[:min(mostTerms, len(e.Terms))] {
		x.Terms = append(x.Terms, Term{t.Name, t.Sum, len(t.Places)})
	}
	a.Explained = x
}

// shade gives each word a number, and a shade by its ratio to an equal share.
func shade[T float32 | float64](pieces []TextPiece, says []T, ratio []float64) {
	for i, p := range pieces {
		if p.Word > 0 {
			pieces[i].Says, pieces[i].Strength = float64(says[p.Word-1]), infer.Strength(math.Abs(ratio[p.Word-1]))
		}
	}
}

// cut cuts the text at its words.
func (a *Answer) cut(text string, e infer.Encoded) {
	at := 0
	between := func(end int) {
		if end > at {
			a.Pieces = append(a.Pieces, TextPiece{Text: text[at:end]})
			at = end
		}
	}
	a.Pieces = []TextPiece{}
	for i, w := range e.Words {
		if !e.Known[i] {
			a.Unknown++
		}
		if w.Start < at || w.End <= w.Start {
			continue
		}
		between(w.Start)
		a.Pieces = append(a.Pieces, TextPiece{Text: text[w.Start:w.End], Word: i + 1, Unknown: !e.Known[i]})
		at = w.End
	}
	between(len(text))
}

// mostSentence is the maximum number of words of a sentence to translate.
const mostSentence = 100

// Translation is the translation of a sentence.
type Translation struct {
	Words   []string `json:"words"` // [m]
	LogProb float64  `json:"logprob"`

	Alignment *translator.Alignment `json:"alignment"` // null for a model without
	Steps     []translator.Step     `json:"steps"`     // if asked for: one for each word, and one for the end
}

// translates is a Model that translates.
type translates struct{ *translator.Model }

// Put implements Model. It ignores Question.Word: the answer has all rows.
func (m translates) Put(q Question, _ float64) (*Answer, error) {
	if n := len(m.Words(q.Text)); n > mostSentence {
		return nil, infer.SelectionErrorf("the text has %d words: a page translates a sentence of %d at most; exp predict takes longer ones", n, mostSentence)
	}
	list, err := m.Translate(context.Background(), []infer.Input{{Text: q.Text}}, translator.Search{Align: true})
	if err != nil {
		return nil, err
	}
	s := list[0]
	if len(s.Source) == 0 {
		return nil, infer.SelectionErrorf("there is no word in this text to translate")
	}
	t := &Translation{Words: s.Words, LogProb: s.LogProb, Steps: []translator.Step{}}
	a := &Answer{Classes: []string{}, P: []float32{}, Words: len(s.Source), Heads: s.Heads(), Lacks: []string{}, Translation: t}
	a.cut(q.Text, infer.Encoded{Words: s.Source, Known: s.Known})
	if len(a.Heads) > 0 {
		x, err := s.Align(infer.Selection{Layer: q.Layer, Head: q.Head})
		if err != nil {
			return nil, err
		}
		t.Alignment = &x
	}
	if q.Steps {
		t.Steps = m.Steps(&s)
	}
	return a, nil
}
