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

// Bounds of what is asked of a translator.
const (
	mostSentence = 100 // words
	mostTop      = 10
)

// Translation is what a run writes for a sentence.
type Translation struct {
	Words    []string    `json:"words"` // [m]
	LogProb  float64     `json:"logprob"`
	Beam     int         `json:"beam"`     // of the run's own search
	Searched int         `json:"searched"` // of this one, wider where more translations were wanted
	Best     []Candidate `json:"best"`     // the first is Words

	Attentions []string          `json:"attentions"` // those of translator.Attentions that the model has
	Alignment  *Alignment        `json:"alignment"`  // null for a model without
	Steps      []TranslationStep `json:"steps"`      // where they were asked for, one a word and one for the end
	Vocabulary int               `json:"vocabulary"` // words that a step chooses from
	Off        [2]float64        `json:"off"`        // by how much the steps, in double precision, are off the network's log-probabilities and weights at most
}

// Candidate is one of the best translations that the search has found.
type Candidate struct {
	Words    []string `json:"words"`
	LogProb  float64  `json:"logprob"`  // nats
	RankedBy float64  `json:"rankedBy"` // LogProb / (m+1)^alpha
}

// Alignment is how one attention has looked, see translator.Alignment.
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

// TranslationStep is how a word was written, see translator.Step.
type TranslationStep struct {
	Read       string     `json:"read"`
	Wrote      string     `json:"wrote"`
	Attention  *Steps     `json:"attention"` // to the source; null for a model without
	Next       []NextWord `json:"next"`
	OtherWords int        `json:"otherWords"`
	Others     float64    `json:"others"` // their probability together
	LogProb    float64    `json:"logprob"`
}

// NextWord is what a step may write.
type NextWord struct {
	Word    string  `json:"word"`
	Rank    int     `json:"rank"` // from 1
	Score   float64 `json:"score"`
	P       float64 `json:"p"`
	Written bool    `json:"written"`
}

// translates is a Model that translates.
type translates struct{ *translator.Model }

// Put implements Model. Question.Word is for who shows the answer: all rows are there.
func (m translates) Put(q Question, _ float64) (*Answer, error) {
	if q.Top < 0 || q.Top > mostTop {
		return nil, &infer.LookError{Message: fmt.Sprintf("%d translations: a page shows 1 to %d; exp predict --top takes more", q.Top, mostTop)}
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

// align says how the attention that was asked for has looked.
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

// translationSteps has the numbers of exp attend --steps; a layer and a head that were
// chosen of self-attention say nothing of the attention to the source.
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
