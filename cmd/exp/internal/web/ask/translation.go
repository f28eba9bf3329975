package ask

import (
	"context"

	"imdbexp/internal/infer"
	"imdbexp/internal/infer/translator"
)

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
		return nil, infer.LookErrorf("the text has %d words: a page translates a sentence of %d at most; exp predict takes longer ones", n, mostSentence)
	}
	list, err := m.Translate(context.Background(), []infer.Input{{Text: q.Text}}, translator.Search{Align: true})
	if err != nil {
		return nil, err
	}
	s := list[0]
	if len(s.Source) == 0 {
		return nil, infer.LookErrorf("there is no word in this text to translate")
	}
	t := &Translation{Words: s.Words, LogProb: s.LogProb, Steps: []translator.Step{}}
	a := &Answer{Classes: []string{}, P: []float32{}, Words: len(s.Source), Heads: s.Heads(), Lacks: []string{}, Translation: t}
	a.cut(q.Text, infer.Encoded{Words: s.Source, Known: s.Known})
	if len(a.Heads) > 0 {
		x, err := s.Align(infer.Look{Layer: q.Layer, Head: q.Head})
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
