package models

import (
	"imdbexp/internal/ops"
)

// Transformer is the encoder of Vaswani et al. 2017 (Attention Is All You Need,
// section 3; drawn in Alammar's Illustrated Transformer), L blocks of two
// sublayers, each with a residual and a layer norm:
//
//	a = x + MultiHead(x, x, x),  headₕ = softmax(x·Qₕ (x·Kₕ)ᵀ/√k) x·Vₕ,  MultiHead = [head₁; …; head_H]·O
//	y = a + FFN(a),              FFN(a) = act(a·W₁ + b₁)·W₂ + b₂
//
// norm.place=after normalises each sum, as in the paper; before normalises each
// sublayer's input and the last output (Xiong et al. 2020), which trains without
// a warm-up.
type Transformer struct {
	Head
	Positions
	Pooling
	Width      int     `key:"width" min:"0" max:"4096" help:"width of the model; the words are mapped to it (0: the width of the word vectors)"`
	Scale      string  `key:"embedding.scale" default:"none" choices:"none|sqrt_d" help:"multiply the word vectors by √d, d their width, before positions are added (Vaswani et al. 2017, section 3.4)"`
	Layers     int     `key:"layers" default:"2" min:"1" max:"24" help:"number of blocks: 2, 4, 6, …"`
	Heads      int     `key:"heads" default:"5" min:"1" max:"64" help:"heads; they share the width between them"`
	Inner      int     `key:"ffn.width" default:"200" min:"1" max:"16384" help:"inner width of the position-wise network"`
	Activation string  `key:"activation" default:"relu" choices:"relu|gelu" help:"of the position-wise network"`
	NormAt     string  `key:"norm.place" default:"after" choices:"before|after" help:"layer norm before each sublayer, or after its residual"`
	LayerDrop  float64 `key:"layer.dropout" default:"0.1" min:"0" max:"0.95" help:"share of each sublayer's output dropped"`
	AttendDrop float64 `key:"attention.dropout" min:"0" max:"0.95" help:"share of the attention weights dropped"`
	InputDrop  float64 `key:"input.dropout" default:"0.1" min:"0" max:"0.95" help:"share of the words' vectors, with positions, dropped"`
	Smoothing  float64 `key:"label_smoothing" default:"0.1" min:"0" max:"0.9" help:"share of the target that goes to all classes alike, in training"`
}

func init() {
	Register(Info{
		Name: "transformer", Title: "the encoder of the Transformer",
		Source: "Vaswani et al. 2017, sections 3.1 to 3.3 and 3.5",
		New:    func() Model { return &Transformer{} },
		Watch: "With norm.place=after it needs a warm-up to train (schedule.warmup), with norm.place=before it does not. " +
			"Watch whether the train loss falls in the first epochs, then the gap between train and test accuracy.",
	})
}

func (m *Transformer) Check() error {
	if err := CheckHeads(m.Heads, m.Width, "width="); err != nil {
		return err
	}
	return m.Positions.check()
}

func (m *Transformer) Build(b *Builder, x *ops.Node) Output {
	var out Output
	x = m.encode(b, m.Pooling.begin(b, m.words(b, x)), &out)
	out = m.Pooling.end(b, x, m.Head, out)
	out.Objective.(*Classes).Smoothing = m.Smoothing
	return out
}

// words maps the word vectors to the width of the model.
func (m *Transformer) words(b *Builder, x *ops.Node) *ops.Node {
	if m.Width > 0 {
		x = b.Linear("input", x, m.Width)
	}
	if m.Scale == "sqrt_d" {
		x = ops.Scale(x, 1/Rsqrt(x.Cols())).Call("x")
	}
	return x
}

// encode returns the last block's words [N, d] and appends the entropies of each block's heads to out.
func (m *Transformer) encode(b *Builder, x *ops.Node, out *Output) *ops.Node {
	x = ops.Dropout(m.Positions.add(b, x), "input", float32(m.InputDrop))
	x = b.Repeat("block", m.Layers, x, func(l int, x *ops.Node) *ops.Node {
		y, h := m.block().Encode(b, LayerName(l), x)
		out.Layers = append(out.Layers, h)
		return y
	})
	return m.block().End(b, "norm", x)
}

func (m *Transformer) block() Block {
	return Block{Heads: m.Heads, Inner: m.Inner, Activation: m.Activation, NormAt: m.NormAt, Dropout: m.LayerDrop, AttendDrop: m.AttendDrop}
}
