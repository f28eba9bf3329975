package translate

import (
	"imdbexp/internal/ops"
	"imdbexp/models"
)

// Luong translates with multiplicative attention (Luong, Pham and Manning
// 2015, Effective Approaches to Attention-based Neural Machine Translation, section
// 3.1, global attention). The decoder is the one of seq2seq-plain. When its states are
// computed, they attend to the source:
//
//	hⱼ = LSTM(xⱼ, hⱼ₋₁),  sₜ = LSTM'(E·yₜ₋₁, sₜ₋₁),  s₀ = the last h, in each layer
//	score(sₜ, hⱼ) = sₜ·hⱼ (dot), sₜ·W_a·hⱼ (general), v·tanh(W_a·[sₜ; hⱼ]) (concat)
//	αₜ = softmax(score),  cₜ = Σⱼ αₜⱼ hⱼ,  s̃ₜ = tanh(W_c·[cₜ; sₜ] + b)
//	p(yₜ | y₁ … yₜ₋₁, x) = softmax(W·s̃ₜ + b')
//
// scale=sqrt_k divides the scores of dot and general by √h, like Vaswani et al. 2017 (section
// 3.2.1): products of wide states are large, so the softmax selects one word before it has learned
// which.
//
// Input feeding (section 3.3: s̃ₜ₋₁ is an input with the next word) is omitted, so that all rows of
// a sentence attend at once.
type Luong struct {
	Settings
	Embedding
	Stack
	Cell  string `key:"cell" default:"lstm" choices:"lstm|gru" help:"recurrent cell of the encoder and the decoder"`
	Score string `key:"score" default:"general" choices:"dot|general|concat" help:"how a state of the source is compared with the decoder's"`
	Scale string `key:"scale" default:"none" choices:"none|sqrt_k" needs:"score=dot|general" help:"divisor of the scores of dot and general: none, or √k for states of width k"`
}

func init() {
	models.Register(models.Info{
		Name: "seq2seq-luong", Title: "translation with multiplicative attention",
		Source: "Luong, Pham and Manning 2015, section 3.1",
		New:    func() models.Model { return &Luong{} },
		Watch: "Compare the exact matches of score=dot,general,concat scale=none,sqrt_k and their alignments (exp attend): the softmax of undivided products selects one word before it has learned which (see the entropy). " +
			"Words per second show the gain over seq2seq-bahdanau.",
	})
}

// scale returns the factor of products of states.
func (m *Luong) scale() float32 {
	if m.Score == "concat" || m.Scale == "none" {
		return 1
	}
	return models.Rsqrt(m.Hidden)
}

func (m *Luong) Build(b *models.Builder, _ *ops.Node) models.Output { return build(b, m) }

// Encode implements Translator: keys and values of the source's words, and the last
// states. Since W_c·[cₜ; sₜ] = Σⱼ αₜⱼ W₁·hⱼ + W₂·sₜ, the values are W₁·hⱼ.
func (m *Luong) Encode(b *models.Builder) Memory {
	x := source(b, m.Width, recurrentBound)                             // [N, e]
	h, last := m.read(b, &m.Settings, "encoder", m.Cell, x, nil, false) // [N, h]
	keys := h
	switch m.Score {
	case "general":
		keys = b.Project("attention", h, m.Hidden, false)
	case "concat":
		keys = b.Project("attention.W1", h, m.Hidden, false)
	}
	return Memory{Words: []*ops.Node{keys, b.Project("context", h, m.Width, false)}, Start: last}
}

func (m *Luong) Decode(b *models.Builder, memory Memory, s State) Decoded {
	keys, values := memory.Words[0], memory.Words[1]                            // [N, h], [N, e]
	y := m.target(b, m.Width, recurrentBound)                                   // [M, e]
	states, last := m.read(b, &m.Settings, "decoder", m.Cell, y, s.Last, false) // [M, h]
	var c, entropy *ops.Node                                                    // [M, e], [B, 1]
	if m.Score == "concat" {
		query := b.Project("attention.W2", states, m.Hidden, false)
		c, entropy = ops.AdditiveAttention(query, keys, b.Weight("attention.v", 1, m.Hidden, m.Hidden), values)
	} else {
		c, entropy = ops.Attention(states, keys, values, ops.SelfAttention{Heads: 1, Scale: m.scale(), Name: "attention"})
	}
	out := ops.Tanh(ops.Add(c, b.Linear("state", states, m.Width))).Call("s̃ₜ")
	return Decoded{Out: m.drop(out, "out"), Last: last, Entropies: []*ops.Node{entropy}}
}
