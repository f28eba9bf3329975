package models

import (
	"imdbexp/internal/ops"
)

// MultiHead is L layers of multi-head attention and nothing else (Vaswani et al.
// 2017, section 3.2.2), with a penalty that keeps the heads from learning the
// same (Lin et al. 2017 and Li et al. 2018 give several; this is the squared
// cosine between the weights of each two heads):
//
//	headₕ = softmax(x·Qₕ (x·Kₕ)ᵀ/√k) x·Vₕ,  x⁽ˡ⁾ = x⁽ˡ⁻¹⁾ + [head₁; …; head_H]·O
//	loss + λ Σ over W = Q, K, V of Σ_{i≠j} cos²(Wᵢ, Wⱼ)
type MultiHead struct {
	Head
	Positions
	Pooling
	Layers     int     `key:"layers" default:"1" min:"1" max:"24" help:"number of layers"`
	Heads      int     `key:"heads" default:"5" min:"1" max:"64" help:"heads; they share the width of the word vectors between them"`
	Norm       string  `key:"norm" default:"layer" choices:"batch|layer|none" help:"normalisation of each layer's input"`
	AttendDrop float64 `key:"attention.dropout" min:"0" max:"0.95" help:"share of the attention weights dropped"`
	Different  float64 `key:"heads.penalty" min:"0" needs:"heads!=1" help:"weight of the squared cosines between the heads' weights in the loss (0: only reported)"`
}

func init() {
	Register(Info{
		Name: "multihead", Title: "several heads of self-attention side by side",
		Source: "Vaswani et al. 2017, section 3.2.2",
		New:    func() Model { return &MultiHead{} },
		Watch:  "Watch the similarity of the heads' weights (head_similarity in metrics.jsonl: 0 if they are orthogonal) and each head's entropy; heads.penalty makes the similarity smaller, heads=1 is the control for test accuracy.",
	})
}

func (m *MultiHead) Check() error { return m.Positions.check() }

func (m *MultiHead) Build(b *Builder, x *ops.Node) Output {
	x = m.Positions.add(b, m.Pooling.begin(b, x))
	var out Output
	x = b.Repeat("layer", m.Layers, x, func(l int, x *ops.Node) *ops.Node {
		name := LayerName(l)
		normed := b.norm(m.Norm, name+".norm", x)
		if normed != x {
			normed.Call("x̃")
		}
		y, h := b.multihead(name, normed, m.Heads, m.AttendDrop)
		out.Layers = append(out.Layers, h)
		for _, w := range []string{".Q.W", ".K.W", ".V.W"} {
			like := ops.HeadSimilarity(b.nodes[name+w], m.Heads)
			out.HeadSimilarity = append(out.HeadSimilarity, like)
			if m.Different > 0 {
				out.Penalties = append(out.Penalties, ops.Term{Node: like, Weight: float32(m.Different)})
			}
		}
		return ops.Add(x, y)
	})
	return m.Pooling.end(b, x, m.Head, out)
}

// multihead is attention by heads that share the width of x, joined by NAME.O.
func (b *Builder) multihead(name string, x *ops.Node, heads int, dropout float64) (y, entropy *ops.Node) {
	d := x.Cols()
	key := max(d/heads, 1) // attention checks heads
	y, entropy = b.attention(name, x, attention{Heads: heads, Key: key, Value: d, Scale: Rsqrt(key), Bias: true, Dropout: dropout})
	return b.Linear(name+".O", y, d), entropy
}
