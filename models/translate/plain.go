package translate

import (
	"fmt"

	"imdbexp/internal/ops"
	"imdbexp/models"
)

// Plain translates without attention (Sutskever, Vinyals and Le 2014, Sequence to
// Sequence Learning with Neural Networks, section 2). The decoder gets only the encoder's last
// state:
//
//	hⱼ, cⱼ = LSTM(xⱼ, hⱼ₋₁, cⱼ₋₁)                     j = n … 1 with reverse, h₀ = c₀ = 0
//	sₜ, dₜ = LSTM'(E·yₜ₋₁, sₜ₋₁, dₜ₋₁)                s₀, d₀ = the last h and c, in each layer
//	p(yₜ | y₁ … yₜ₋₁, x) = softmax(W·sₜ + b)
//
// With reverse=true the encoder reads the source from its end, which brings the first words of
// both sentences close together (section 3.3).
type Plain struct {
	Settings
	Embedding
	Stack
	Reverse bool `key:"reverse" default:"true" help:"the encoder reads the source from its end"`
}

func init() {
	models.Register(models.Info{
		Name: "seq2seq-plain", Title: "translation through one fixed vector",
		Source: "Sutskever, Vinyals and Le 2014, section 2",
		New:    func() models.Model { return &Plain{} },
		Watch:  "Watch the exact matches by sentence length: they fall when the vector is too narrow, and a wider one (hidden) only moves that point. reverse=true brings the first words of both sentences together.",
	})
}

func (m *Plain) Check() error {
	if m.Tied && m.Hidden != m.Width {
		return fmt.Errorf("tied=true scores words from the states: it needs hidden=%d as wide as embedding=%d", m.Hidden, m.Width)
	}
	return nil
}

func (m *Plain) Build(b *models.Builder, _ *ops.Node) models.Output { return build(b, m) }

func (m *Plain) Encode(b *models.Builder) Memory {
	x := source(b, m.Width, recurrentBound)                                 // [N, e]
	_, last := m.read(b, &m.Settings, "encoder", "lstm", x, nil, m.Reverse) // [B, h] each
	return Memory{Start: last}
}

func (m *Plain) Decode(b *models.Builder, _ Memory, s State) Decoded {
	y := m.target(b, m.Width, recurrentBound)                                   // [M, e]
	states, last := m.read(b, &m.Settings, "decoder", "lstm", y, s.Last, false) // [M, h]
	return Decoded{Out: m.drop(states, "out"), Last: last}
}
