package ask

import (
	"context"
	"slices"

	"imdbexp/internal/infer"
	"imdbexp/internal/infer/translator"
)

// Limits of questions to a translator.
const (
	mostSentence = 100 // words
	mostTop      = 10
)

// Translation is the translation of a sentence.
type Translation struct {
	Words    []string               `json:"words"` // [m]
	LogProb  float64                `json:"logprob"`
	Beam     int                    `json:"beam"`     // of the run's own search
	Searched int                    `json:"searched"` // of this search, which is wider for more translations
	Best     []translator.Candidate `json:"best"`     // the first is Words

	Attentions []string          `json:"attentions"` // those of translator.Attentions that the model has
	Alignment  *Alignment        `json:"alignment"`  // null for a model without
	Steps      []translator.Step `json:"steps"`      // if asked for: one for each word, and one for the end
}

// Alignment is the weights of one attention.
type Alignment struct {
	translator.Alignment
	Name string `json:"of"` // one of translator.Attentions
}

// translates is a Model that translates.
type translates struct{ *translator.Model }

// Put implements Model. It ignores Question.Word: the answer has all rows.
func (m translates) Put(q Question, _ float64) (*Answer, error) {
	if q.Top < 0 || q.Top > mostTop {
		return nil, infer.LookErrorf("%d translations: a page shows 1 to %d", q.Top, mostTop)
	}
	top := q.Top
	if top == 0 {
		top = min(m.Beam(), mostTop)
	}
	if n := len(m.Words(q.Text)); n > mostSentence {
		return nil, infer.LookErrorf("the text has %d words: a page translates a sentence of %d at most; exp predict takes longer ones", n, mostSentence)
	}
	list, err := m.Translate(context.Background(), []infer.Input{{Text: q.Text}}, translator.Search{Top: top, Align: true})
	if err != nil {
		return nil, err
	}
	s := list[0]
	if len(s.Source) == 0 {
		return nil, infer.LookErrorf("there is no word in this text to translate")
	}
	t := &Translation{Words: s.Words, LogProb: s.LogProb, Best: s.Best, Beam: m.Beam(), Searched: max(m.Beam(), top), Attentions: []string{}, Steps: []translator.Step{}}
	a := &Answer{Classes: []string{}, P: []float32{}, Words: len(s.Source), Heads: []int{}, Lacks: []string{}, Translation: t}
	a.cut(q.Text, infer.Encoded{Words: s.Source, Known: s.Known})
	if err := a.align(&s, q); err != nil {
		return nil, err
	}
	if q.Steps {
		t.Steps = m.Steps(&s)
	}
	return a, nil
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
		return infer.LookErrorf("the model has no attention %s", of)
	}
	for range layers {
		a.Heads = append(a.Heads, heads)
	}
	x, err := s.Align(of, infer.Look{Layer: q.Layer, Head: q.Head})
	if err != nil {
		return err
	}
	a.Translation.Alignment = &Alignment{x, of}
	return nil
}
