package translate

import (
	"imdbexp/internal/ops"
	"imdbexp/models"
)

// Bahdanau aligns and translates (Bahdanau, Cho and Bengio 2015, Neural Machine
// Translation by Jointly Learning to Align and Translate, section 3 and appendix
// A.2): before each word the decoder attends to all states of the source,
//
//	hⱼ = [GRU(xⱼ, hⱼ₋₁); GRU'(xⱼ, h'ⱼ₊₁)],  s₀ = tanh(W_s·h'₁)
//	eₜⱼ = v·tanh(W₁·hⱼ + W₂·sₜ₋₁),  αₜ = softmax(eₜ),  cₜ = Σⱼ αₜⱼ hⱼ
//	sₜ = GRU(E·yₜ₋₁, cₜ, sₜ₋₁)
//	p(yₜ | y₁ … yₜ₋₁, x) = softmax(W·tanh(U·sₜ + V·E·yₜ₋₁ + C·cₜ + b) + b')
//
// form=concat computes the score as v·tanh(W·[hⱼ; sₜ₋₁]) with W = [W₁ W₂]. A word is predicted
// from sₜ, cₜ and the word before, as in eq. 4 and figure 1. A tanh layer replaces the maxout layer
// of A.2.2.
type Bahdanau struct {
	Settings
	Embedding
	Hidden    int    `key:"hidden" default:"128" min:"1" max:"4096" help:"width of the states, in the encoder for each direction"`
	Attention int    `key:"attention.width" default:"64" min:"1" max:"4096" help:"width of v"`
	Form      string `key:"form" default:"sum" choices:"sum|concat" help:"W₁·h + W₂·s, or W·[h; s]: the same function"`
}

func init() {
	models.Register(models.Info{
		Name: "seq2seq-bahdanau", Title: "translation with additive attention",
		Source: "Bahdanau, Cho and Bengio 2015, section 3 and appendix A.2",
		New:    func() models.Model { return &Bahdanau{} },
		Watch:  "Watch the exact matches by sentence length, which should not fall like those of seq2seq-plain, and the alignment (exp attend): mostly a diagonal, with crossings where words change their order.",
	})
}

func (m *Bahdanau) Build(b *models.Builder, _ *ops.Node) models.Output { return build(b, m) }

// Encode implements Translator: the states, their part of the scores, and s₀.
func (m *Bahdanau) Encode(b *models.Builder) Memory {
	x := m.drop(source(b, m.Width, recurrentBound), "source") // [N, e]
	forward, _ := b.GRU("encoder", x, m.Hidden, false)        // [N, s]
	back, first := b.GRU("encoder.back", x, m.Hidden, true)   // [N, s], [B, s]
	h := ops.Concat(forward, back)                            // [N, 2s]
	w1, _ := m.scoreWeights(b)
	start := ops.Tanh(b.Linear("start", first.Call("h'₁"), m.Hidden)).Call("s₀") // [B, s]
	return Memory{Words: []*ops.Node{h, ops.Linear(h, w1, nil)}, Start: []*ops.Node{start}}
}

func (m *Bahdanau) Decode(b *models.Builder, memory Memory, state State) Decoded {
	h, k := memory.Words[0], memory.Words[1] // [N, 2s], [N, a]
	s := m.Hidden
	y := m.drop(m.target(b, m.Width, recurrentBound), "target") // [M, e]
	_, w2 := m.scoreWeights(b)
	states, context, last, entropy := ops.BahdanauGRU(
		b.Linear("decoder.y", y, 3*s), h, k, state.Last[0], w2,
		b.Weight("attention.v", 1, m.Attention, m.Attention),
		b.Weight("decoder.Wc", h.Cols(), 3*s, s),
		b.Weight("decoder.Wh", s, 3*s, s),
		b.Weight("decoder.bh", 1, 3*s, s))
	deep := ops.Concat(ops.Concat(states, context), y)       // [M, 3s+e]
	t := ops.Tanh(b.Linear("deep", deep, m.Width)).Call("t") // [M, e]
	return Decoded{Out: m.drop(t, "out"), Last: []*ops.Node{last}, Entropies: []*ops.Node{entropy}}
}

// scoreWeights returns W₁ [2s, a] and W₂ [s, a].
func (m *Bahdanau) scoreWeights(b *models.Builder) (w1, w2 *ops.Node) {
	words, fan := 2*m.Hidden, 3*m.Hidden
	if m.Form == "concat" {
		w := b.Weight("attention.W", fan, m.Attention, fan)
		return ops.SliceRows(w, 0, words), ops.SliceRows(w, words, fan)
	}
	return b.Weight("attention.W1", words, m.Attention, fan), b.Weight("attention.W2", m.Hidden, m.Attention, fan)
}
