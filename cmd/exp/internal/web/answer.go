package web

import (
	"math"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
)

// Answer is what a run says about a text.
type Answer struct {
	Run     string    `json:"run"`
	Epoch   int       `json:"epoch"` // whose weights were asked
	Classes []string  `json:"classes"`
	P       []float32 `json:"p"`     // [C] probability of each class
	Class   int       `json:"class"` // the most probable
	Words   int       `json:"words"` // n
	Unknown int       `json:"unknown"`

	Heads     []int       `json:"heads"`     // of each layer of self-attention; empty without
	CLS       bool        `json:"cls"`       // the model puts a [CLS] before the text
	Attention *Attention  `json:"attention"` // null for a model without
	Pieces    []TextPiece `json:"pieces"`    // the text, cut at its words
}

// Attention sums up the attention that the pieces carry.
type Attention struct {
	What      string   `json:"what"`      // in words
	Entropy   float64  `json:"entropy"`   // nats
	Share     *float64 `json:"share"`     // of log n; null for a single word
	Effective float64  `json:"effective"` // as if over so many words alike
	Scale     []Shade  `json:"scale"`     // of the shades
	CLS       float32  `json:"cls"`       // what falls on [CLS]
	Padding   float32  `json:"padding"`   // and on padding
}

// Shade is one of the scale: of a word that has so many times an equal share.
type Shade struct {
	Ratio    int     `json:"ratio"`
	Strength float64 `json:"strength"`
}

// TextPiece is a stretch of the text: a word that the model saw, or what stands
// between words.
type TextPiece struct {
	Text     string  `json:"text"`
	Word     int     `json:"word,omitempty"`     // from 1; 0 between words
	Unknown  bool    `json:"unknown,omitempty"`  // the model has no vector for the word
	Weight   float32 `json:"weight,omitempty"`   // its attention
	Strength float64 `json:"strength,omitempty"` // of its shade, 0 to 1, see infer.Strength
}

// newAnswer takes over what the batch says about its only text.
func newAnswer(e *entry, classes []string, b *infer.Batch) *Answer {
	return &Answer{Run: e.key, Epoch: e.run.ChosenEpoch(), Classes: classes, P: slices.Clone(b.P(0)), Class: b.Class(0),
		Words: b.Words(0), Heads: append([]int{}, b.Layers()...), CLS: b.Front() > 0}
}

func (a *Answer) attend(from *infer.Attended) {
	if from == nil {
		return
	}
	a.Attention = &Attention{What: from.What, Entropy: from.Entropy, Effective: infer.Effective(from.Entropy), CLS: from.CLS, Padding: from.Padding}
	for _, n := range infer.Doublings {
		a.Attention.Scale = append(a.Attention.Scale, Shade{n, infer.Strength(float64(n))})
	}
	if s := infer.Share(from.Entropy, from.Choices); !math.IsNaN(s) {
		a.Attention.Share = &s
	}
}

// pieces cuts the text at its words.
func (a *Answer) pieces(text string, e infer.Encoded, from *infer.Attended) {
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
		p := TextPiece{Text: text[w.Start:w.End], Word: i + 1, Unknown: !e.Known[i]}
		if from != nil {
			p.Weight = from.Weights[i]
			p.Strength = infer.Strength(float64(p.Weight) * float64(from.Choices))
		}
		a.Pieces = append(a.Pieces, p)
		at = w.End
	}
	between(len(text))
}
