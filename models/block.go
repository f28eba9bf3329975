package models

import "imdbexp/internal/ops"

// block is how the blocks of a Transformer's encoder and decoder are built: each of
// their sublayers in a residual and a layer norm.
type block struct {
	heads, inner     int
	activation       string  // of the position-wise network
	place            string  // of the layer norm: before each sublayer, or after its residual
	drop, attendDrop float64 // of a sublayer's output, of the attention weights
}

// encode is one block of an encoder: [N, d] to [N, d], with the entropies of its
// heads [B, H].
func (k block) encode(b *Builder, name string, x *ops.Node) (y, entropy *ops.Node) {
	x = k.sublayer(b, name+".attention", x, func(x *ops.Node) *ops.Node {
		y, entropy = b.multihead(name, x, k.heads, k.attendDrop)
		return y
	}).Call("a")
	return k.feedForward(b, name, x), entropy
}

// feedForward is the sublayer of the position-wise network.
func (k block) feedForward(b *Builder, name string, x *ops.Node) *ops.Node {
	return k.sublayer(b, name+".ffn", x, func(x *ops.Node) *ops.Node {
		inner := activate(k.activation, b.Linear(name+".ffn1", x, k.inner))
		return b.Linear(name+".ffn2", inner, x.Cols())
	})
}

// sublayer wraps f into its residual and norm.
func (k block) sublayer(b *Builder, name string, x *ops.Node, f func(*ops.Node) *ops.Node) *ops.Node {
	drop := float32(k.drop)
	if k.place == "before" {
		return ops.Add(x, ops.Dropout(f(b.norm("layer", name+".norm", x)), name, drop))
	}
	return b.norm("layer", name+".norm", ops.Add(x, ops.Dropout(f(x), name, drop)))
}

// end is the norm after the last block, where none stands there already.
func (k block) end(b *Builder, name string, x *ops.Node) *ops.Node {
	if k.place == "before" {
		return b.norm("layer", name, x)
	}
	return x
}

// keysValues are what queries find at the rows of x, with the weights NAME.K and
// NAME.V.
func (b *Builder) keysValues(name string, x *ops.Node) (keys, values *ops.Node) {
	return b.Linear(name+".K", x, x.Cols()), b.Linear(name+".V", x, x.Cols())
}

// look is multi-head attention from x to keys and values, with the weights NAME.Q
// and NAME.O, and the entropies of its heads [B, H].
func (k block) look(b *Builder, name string, x, keys, values *ops.Node, causal bool) (y, entropy *ops.Node) {
	d := x.Cols()
	y, entropy = ops.Attention(b.Linear(name+".Q", x, d), keys, values, ops.SelfAttention{
		Heads: k.heads, Scale: rsqrt(max(d/k.heads, 1)), Causal: causal, Dropout: float32(k.attendDrop), Name: name,
	})
	return b.Linear(name+".O", y, d), entropy
}
