package models

import (
	"errors"

	"imdbexp/internal/ops"
)

// Masked hides words of a text, which the model guesses from all others (Devlin et al. 2019, BERT, section 3.1):
//
//	x' = Hide(x, [MASK]),  hᵢ = the encoder's words for x',  qᵢ = P·hᵢ + c,  p(wᵢ = w) ∝ Q(w)·exp(qᵢ·(x_w + u_w))
type Masked struct {
	Others
	Share float64 `key:"masked" default:"0.15" above:"0" max:"0.9" help:"share of the words that are guessed: 80 % of them are replaced by a learned vector, 10 % by another word"`
}

// MaskedSelf learns layers of self-attention from texts without labels.
type MaskedSelf struct {
	Masked
	Self
}

// MaskedTransformer learns the encoder of the Transformer from texts without labels.
type MaskedTransformer struct {
	Masked
	Transformer
}

func init() {
	const source = "Devlin et al. 2019, section 3.1"
	Register(Info{Name: "masked-self", Title: "self-attention that guesses hidden words", Source: source, New: func() Model { return &MaskedSelf{} }, Watch: watchReader})
	Register(Info{Name: "masked-transformer", Title: "Transformer's encoder that guesses hidden words", Source: source, New: func() Model { return &MaskedTransformer{} }, Watch: watchReader})
}

func (m *Masked) guessHidden(b *Builder, x *ops.Node, encode func(x *ops.Node, out *Output) *ops.Node) Output {
	w := new(Words)
	out := Output{Objective: w}
	h := encode(ops.Hide(x, b.Constant("mask", 1, x.Cols(), 0), float32(m.Share)), &out)
	out.Words = h
	m.Others.guess(b, w, "hidden", h, x, ops.Guessing{Which: ops.HiddenWord, Hidden: float32(m.Share)})
	return out
}

func (m *MaskedSelf) Check() error {
	if m.Pad {
		return errors.New("slip.pad is a slip of published classifiers: omit it")
	}
	return m.Self.Check()
}

func (m *MaskedSelf) Build(b *Builder, x *ops.Node) Output {
	return m.guessHidden(b, x, func(x *ops.Node, out *Output) *ops.Node { return m.encode(b, x, out) })
}

func (m *MaskedTransformer) Build(b *Builder, x *ops.Node) Output {
	return m.guessHidden(b, x, func(x *ops.Node, out *Output) *ops.Node { return m.encode(b, m.words(b, x), out) })
}
