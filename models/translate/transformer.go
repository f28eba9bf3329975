package translate

import (
	"fmt"

	"imdbexp/internal/ops"
	"imdbexp/models"
)

// Transformer is the whole model of Vaswani et al. 2017 (Attention Is All You
// Need, figure 1): an encoder as that of Transformer, and a decoder whose L blocks
// have three sublayers each, with a residual and a layer norm,
//
//	a = y + MultiHead(y, y, y)    masked: row t sees the rows up to t alone
//	c = a + MultiHead(a, x, x)    x: the encoder's result; queries from a
//	z = c + FFN(c)                FFN(c) = max(0, c·W₁ + b₁)·W₂ + b₂
//
// over √d·E·y + PE, with sine and cosine in turn (section 3.5). A word is predicted
// from the last z: softmax(W·zₜ + b), with W = E for tied=true (section 3.4).
// Dropout is on each sublayer's output and on the sums of embeddings and positions.
type Transformer struct {
	Settings
	Width  int    `key:"width" default:"128" min:"2" max:"4096" help:"width d of the model and its embeddings"`
	Layers int    `key:"layers" default:"2" min:"1" max:"24" help:"blocks of the encoder, and as many of the decoder"`
	Heads  int    `key:"heads" default:"4" min:"1" max:"64" help:"heads of each attention; they share the width between them"`
	Inner  int    `key:"ffn.width" default:"256" min:"1" max:"16384" help:"inner width of the position-wise network"`
	NormAt string `key:"norm.place" default:"after" choices:"before|after" help:"layer norm before each sublayer, or after its residual"`
}

func init() {
	models.Register(models.Info{
		Name: "seq2seq-transformer", Title: "translation with attention alone",
		Source: "Vaswani et al. 2017, section 3",
		New:    func() models.Model { return &Transformer{} },
		Watch: "Watch the train loss of the first epochs (with norm.place=after a warm-up, schedule.warmup, decides whether it falls), words per second against the recurrent models, " +
			"and what each head of the decoder aligns (exp attend): usually a few heads align, the others average.",
	})
}

func (m *Transformer) Check() error {
	return models.CheckHeads(m.Heads, m.Width, "width=")
}

func (m *Transformer) Build(b *models.Builder, _ *ops.Node) models.Output { return build(b, m) }

func (m *Transformer) block() models.Block {
	return models.Block{Heads: m.Heads, Inner: m.Inner, Activation: "relu", NormAt: m.NormAt, Dropout: m.Dropout}
}

// input adds positions to embeddings.
func (m *Transformer) input(name, symbol string, x *ops.Node) *ops.Node {
	x = ops.Scale(x, 1/models.Rsqrt(m.Width))
	return m.drop(ops.Sinusoid(x, 10000, ops.Interleaved).Call(symbol), name)
}

// Encode implements Translator: the keys and values of each layer of the decoder.
func (m *Transformer) Encode(b *models.Builder) Memory {
	var memory Memory
	k, x := m.block(), m.input("source", "x", source(b, m.Width, models.Rsqrt(m.Width))) // [N, d]
	x = b.Repeat("encoder block", m.Layers, x, func(l int, x *ops.Node) *ops.Node {
		x, _ = k.Encode(b, fmt.Sprintf("encoder%d", l+1), x)
		return x
	})
	x = k.End(b, "encoder.norm", x)
	for l := range m.Layers {
		keys, values := b.KeysValues(fmt.Sprintf("decoder%d.source", l+1), x)
		memory.Words = append(memory.Words, keys, values)
	}
	return memory
}

// Decode implements Translator. With a past, each pair has a single row, which sees
// all of it: no mask is needed.
func (m *Transformer) Decode(b *models.Builder, memory Memory, s State) Decoded {
	var out Decoded
	k, y := m.block(), m.input("target", "y", m.target(b, m.Width, models.Rsqrt(m.Width))) // [M, d]
	y = b.Repeat("decoder block", m.Layers, y, func(l int, y *ops.Node) *ops.Node {
		name := fmt.Sprintf("decoder%d", l+1)
		y = k.Sublayer(b, name+".self", y, func(y *ops.Node) *ops.Node {
			keys, values := b.KeysValues(name+".self", y)
			if s.Past != nil {
				keys, values = ops.Append(s.Past[2*l], keys), ops.Append(s.Past[2*l+1], values)
			}
			out.Past = append(out.Past, keys, values)
			y, _ = k.Attend(b, name+".self", y, keys, values, s.Past == nil)
			return y
		})
		y = k.Sublayer(b, name+".source", y, func(y *ops.Node) *ops.Node {
			y, entropy := k.Attend(b, name+".source", y, memory.Words[2*l], memory.Words[2*l+1], false)
			out.Entropies = append(out.Entropies, entropy)
			return y
		})
		return k.FeedForward(b, name, y)
	})
	out.Out = k.End(b, "decoder.norm", y)
	return out
}
