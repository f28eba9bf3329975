package models

import "imdbexp/internal/ops"

// Additive is the attention of Bahdanau, Cho and Bengio 2015 (Neural Machine
// Translation by Jointly Learning to Align and Translate, appendix A.1.2) over a
// recurrent encoder's states; with no decoder here, s is the encoder's last state:
//
//	sᵢ = v·tanh(W₁·hᵢ + W₂·s + b),  αᵢ = softmaxᵢ(sᵢ),  t̂ = Σᵢ αᵢ hᵢ
//
// form=concat writes the same as v·tanh(W·[hᵢ; s] + b) with W = [W₁ W₂]. attention.gated multiplies
// tanh(…) by a gate σ(U·hᵢ + c), element by element, because tanh is nearly linear around 0
// (Ilse et al. 2018, Attention-based Deep Multiple Instance Learning, eq. 9, which has no s).
type Additive struct {
	Head
	Penalty
	Recurrent
	StateQuery
	Width int    `key:"attention.width" default:"50" min:"1" max:"4096" needs:"attention=learned|frozen|adversarial" help:"width of v"`
	Gated bool   `key:"attention.gated" needs:"attention=learned|frozen|adversarial" help:"gated attention (Ilse et al. 2018): tanh(…) times σ(U·h + c), element by element; theirs has no s, as with query=learned"`
	Form  string `key:"form" default:"sum" choices:"sum|concat" needs:"attention=learned|frozen|adversarial" help:"W₁·h + W₂·s, or W·[h; s]: the same function"`
}

func init() {
	Register(Info{
		Name: "additive", Title: "additive attention over recurrent states",
		Source: "Bahdanau, Cho and Bengio 2015",
		New:    func() Model { return &Additive{} },
		Watch:  "Compare test accuracy and words per second with luong's; query=mean and query=learned show how much s matters.",
	})
}

func (m *Additive) Build(b *Builder, x *ops.Node) Output {
	h, last := m.Cell.read(b, x, m.Hidden, m.Bidirectional) // [N, h], [B, h]
	a, e := m.Weigh(b, h, func() (a, e *ops.Node) {
		return b.additive("attention", h, m.choose(b, h, last), m.Width, m.Form, m.Gated) // [N, 1], [B, 1]
	})
	t := ops.WeightedSum(a, h)
	return m.Attend(m.Classify(b, t), a, e)
}

// additive scores every state h [N, h] against s [B, h] by
// v·tanh(W₁·h + W₂·s + b) or, the same, v·tanh(W·[h; s] + b), gated or not.
func (b *Builder) additive(name string, h, s *ops.Node, width int, form string, gated bool) (attention, entropy *ops.Node) {
	var z *ops.Node // [N, width]
	if form == "concat" {
		z = b.Linear(name+".W", ops.Concat(h, ops.Expand(s, h.Axis())), width)
	} else {
		fan := h.Cols() + s.Cols()
		w1 := b.Weight(name+".W1", h.Cols(), width, fan)
		w2 := b.Weight(name+".W2", s.Cols(), width, fan)
		z = ops.AddReview(ops.Linear(h, w1, b.Weight(name+".b", 1, width, fan)), ops.Linear(s, w2, nil))
	}
	if z = ops.Tanh(z); gated {
		z = ops.Mul(z, ops.Sigmoid(b.Linear(name+".gate", h, width)))
	}
	return ops.Attend(b.Weight(name+".v", 1, width, width), z, 1)
}
