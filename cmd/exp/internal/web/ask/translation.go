package ask

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/infer/translator"
)

// Limits of questions to a translator.
const (
	mostSentence = 100 // words
	mostTop      = 10
)

// Translation is the translation of a sentence.
type Translation struct {
	Words    []string    `json:"words"` // [m]
	LogProb  float64     `json:"logprob"`
	Beam     int         `json:"beam"`     // of the run's own search
	Searched int         `json:"searched"` // of this search, which is wider for more translations
	Best     []Candidate `json:"best"`     // the first is Words

	Attentions []string          `json:"attentions"` // those of translator.Attentions that the model has
	Alignment  *Alignment        `json:"alignment"`  // null for a model without
	Steps      []TranslationStep `json:"steps"`      // if asked for: one for each word, and one for the end
	Vocabulary int               `json:"vocabulary"` // number of words in it
	Off        [2]float64        `json:"off"`        // largest difference of the steps, in double precision, from the network's log-probabilities and weights
}

// Candidate is one of the best translations of the search.
type Candidate struct {
	Words    []string `json:"words"`
	LogProb  float64  `json:"logprob"`  // nats
	RankedBy float64  `json:"rankedBy"` // LogProb / (m+1)^alpha
}

// Alignment is the weights of one attention, see translator.Alignment.
type Alignment struct {
	Of      string      `json:"of"`   // which of translator.Attentions
	What    string      `json:"what"` // in words
	Rows    []string    `json:"rows"`
	Columns []string    `json:"columns"`
	Weights [][]float64 `json:"weights"` // a row may end before the last column
	Down    string      `json:"down"`
	Across  string      `json:"across"`
	Key     string      `json:"key"` // how to read it
	Layer   int         `json:"layer"`
	Head    int         `json:"head"` // 0: the mean of all
}

// TranslationStep is the choice of one word, see translator.Step.
type TranslationStep struct {
	Read       string     `json:"read"`
	Wrote      string     `json:"wrote"`
	Attention  *Steps     `json:"attention"` // to the source; null for a model without
	Next       []NextWord `json:"next"`
	OtherWords int        `json:"otherWords"`
	Others     float64    `json:"others"` // their probability together
	LogProb    float64    `json:"logprob"`
}

// NextWord is a word that a step can write.
type NextWord struct {
	Word    string  `json:"word"`
	Rank    int     `json:"rank"` // from 1
	Score   float64 `json:"score"`
	P       float64 `json:"p"`
	Written bool    `json:"written"`
}

// translates is a Model that translates.
type translates struct{ *translator.Model }

// Put implements Model. It ignores Question.Word: the answer has all rows.
func (m translates) Put(q Question, _ float64) (*Answer, error) {
	if q.Top < 0 || q.Top > mostTop {
		return nil, &infer.LookError{Message: fmt.Sprintf("%d translations: a page shows 1 to %d; exp predict --top shows more", q.Top, mostTop)}
	}
	top := q.Top
	if top == 0 {
		top = min(m.Beam(), mostTop)
	}
	if n := len(m.Words(q.Text)); n > mostSentence {
		return nil, &infer.LookError{Message: fmt.Sprintf("the text has %d words: a page translates a sentence of %d at most; exp predict takes longer ones", n, mostSentence)}
	}
	list, err := m.Translate(context.Background(), []string{q.Text}, translator.Search{Top: top, Align: true})
	if err != nil {
		return nil, err
	}
	s := list[0]
	if len(s.Source) == 0 {
		return nil, &infer.LookError{Message: "there is no word in this text to translate"}
	}
	t := &Translation{Words: append([]string{}, s.Words...), LogProb: s.LogProb, Beam: m.Beam(), Searched: max(m.Beam(), top), Attentions: []string{}, Steps: []TranslationStep{}}
	for _, c := range s.Best {
		if math.IsNaN(c.LogProb) || math.IsInf(c.LogProb, 0) {
			return nil, errors.New("it gives probabilities that are no numbers: its weights are not finite")
		}
		t.Best = append(t.Best, Candidate{append([]string{}, c.Words...), c.LogProb, c.Score})
	}
	a := &Answer{Classes: []string{}, P: []float32{}, Words: len(s.Source), Heads: []int{}, Lacks: []string{}, Translation: t}
	a.pieces(q.Text, infer.Encoded{Words: s.Source, Known: s.Known}, nil)
	if err := a.align(&s, q); err != nil {
		return nil, err
	}
	if !q.Steps {
		return a, nil
	}
	err = a.translationSteps(m, s, q)
	if wrong, is := errors.AsType[*infer.LookError](err); is {
		a.Lacks, err = append(a.Lacks, wrong.Message), nil
	}
	return a, err
}

// align adds the alignment of one attention.
func (a *Answer) align(s *translator.Sentence, q Question) error {
	for _, of := range translator.Attentions {
		if layers, _ := s.Heads(of); layers > 0 {
			a.Translation.Attentions = append(a.Translation.Attentions, of)
		}
	}
	if len(a.Translation.Attentions) == 0 {
		return nil
	}
	of := q.Of
	if of == "" {
		of = translator.OfSource
	}
	layers, heads := s.Heads(of)
	if !slices.Contains(a.Translation.Attentions, of) {
		return &infer.LookError{Message: "the model has no attention " + of}
	}
	for range layers {
		a.Heads = append(a.Heads, heads)
	}
	x, err := s.Align(of, infer.Look{Layer: q.Layer, Head: q.Head})
	if err != nil {
		return err
	}
	layer := q.Layer
	if layer == 0 {
		layer = layers
	}
	a.Translation.Alignment = &Alignment{of, x.Of, x.Rows, x.Columns, x.Weights, x.Down, x.Across, x.Key, layer, q.Head}
	return nil
}

// translationSteps adds the numbers of exp attend --steps. A layer and a head of self-attention do
// not apply to the attention to the source.
func (a *Answer) translationSteps(m translates, s translator.Sentence, q Question) error {
	look := infer.Look{}
	if q.Of == "" || q.Of == translator.OfSource {
		look = infer.Look{Layer: q.Layer, Head: q.Head}
	}
	all, err := m.StepsOf(s, look)
	if err != nil {
		return err
	}
	t := a.Translation
	t.Vocabulary, t.Off = all.Vocabulary, [2]float64{all.OffLogProb, all.OffWeight}
	for _, x := range all.Steps {
		step := TranslationStep{Read: x.Read, Wrote: x.Wrote, OtherWords: x.OtherWords, Others: x.Others, LogProb: x.LogProb}
		if x.Attention != nil {
			step.Attention = stepsOf(x.Attention)
		}
		for _, w := range x.Next {
			step.Next = append(step.Next, NextWord{w.Word, w.Rank, w.Score, w.Probability, w.Written})
		}
		t.Steps = append(t.Steps, step)
	}
	return nil
}
