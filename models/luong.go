package models

import "imdbexp/internal/ops"

// Luong is the global attention of Luong, Pham and Manning 2015 (Effective
// Approaches to Attention-based Neural Machine Translation, section 3.1) over a
// recurrent encoder's states; with no decoder here, s is the encoder's last state:
//
//	score(s, hᵢ) = s·hᵢ (dot), s·W·hᵢ (general), v·tanh(W·[s; hᵢ]) (concat)
//	α = softmax(score),  c = Σᵢ αᵢ hᵢ,  t̂ = tanh(W_c·[c; s])
type Luong struct {
	Head
	Penalty
	Recurrent
	StateQuery
	Score string `key:"score" default:"general" choices:"dot|general|concat" needs:"attention=learned|frozen|adversarial" help:"how a state is compared with s"`
	Scale string `key:"scale" default:"none" choices:"none|sqrt_k" needs:"score=dot|general" help:"divisor of the scores of dot and general: none, or √k for states of width k"`
}

func init() {
	Register(Info{
		Name: "luong", Title: "multiplicative attention over recurrent states",
		Source: "Luong, Pham and Manning 2015, section 3.1",
		New:    func() Model { return &Luong{} },
		Watch:  "Compare the test accuracies of score=dot,general,concat. s also reaches t̂ around the attention, so accuracy alone does not show whether the attention is used: look at its entropy, too.",
	})
}

func (m *Luong) Build(b *Builder, x *ops.Node) Output {
	h, last := m.Cell.read(b, x, m.Hidden, m.Bidirectional) // [N, h], [B, h]
	s := m.choose(b, h, last)
	scale := float32(1)
	if m.Scale == "sqrt_k" {
		scale = Rsqrt(h.Cols())
	}
	a, e := m.Weigh(b, h, func() (a, e *ops.Node) {
		switch m.Score {
		case "concat":
			return b.additive("attention", h, s, h.Cols(), "concat", false)
		case "general":
			return ops.Attend(b.Project("attention", s, h.Cols(), false), h, scale)
		}
		return ops.Attend(s, h, scale)
	})
	c := ops.WeightedSum(a, h).Call("c") // [B, h]
	t := ops.Tanh(b.Linear("context", ops.Concat(c, s), h.Cols()))
	return m.Attend(m.Classify(b, t), a, e)
}
