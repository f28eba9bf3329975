package models

import "imdbexp/internal/ops"

// Block is how the blocks of a Transformer's encoder and decoder are built: each sublayer has a
// residual and a layer norm.
type Block struct {
	Heads, Inner int
	Activation   string  // of the position-wise network
	NormAt       string  // the layer norm: before each sublayer, or after its residual
	Dropout      float64 // of a sublayer's output
	AttendDrop   float64 // of the attention weights
}

// Encode is one block of an encoder, [N, d] to [N, d], with the entropies of its heads [B, H].
func (k Block) Encode(b *Builder, name string, x *ops.Node) (y, entropy *ops.Node) {
	x = k.Sublayer(b, name+".attention", x, func(x *ops.Node) *ops.Node {
		y, entropy = b.multihead(name, x, k.Heads, k.AttendDrop)
		return y
	}).Call("a")
	return k.FeedForward(b, name, x), entropy
}

// FeedForward is the sublayer of the position-wise network.
func (k Block) FeedForward(b *Builder, name string, x *ops.Node) *ops.Node {
	return k.Sublayer(b, name+".ffn", x, func(x *ops.Node) *ops.Node {
		inner := activate(k.Activation, b.Linear(name+".ffn1", x, k.Inner))
		return b.Linear(name+".ffn2", inner, x.Cols())
	})
}

// Sublayer wraps f into its residual and norm.
func (k Block) Sublayer(b *Builder, name string, x *ops.Node, f func(*ops.Node) *ops.Node) *ops.Node {
	drop := float32(k.Dropout)
	if k.NormAt == "before" {
		return ops.Add(x, ops.Dropout(f(b.norm("layer", name+".norm", x)), name, drop))
	}
	return b.norm("layer", name+".norm", ops.Add(x, ops.Dropout(f(x), name, drop)))
}

// End is the norm after the last block, unless each block ends with one.
func (k Block) End(b *Builder, name string, x *ops.Node) *ops.Node {
	if k.NormAt == "before" {
		return b.norm("layer", name, x)
	}
	return x
}

// KeysValues returns the keys and values of the rows of x, with the weights NAME.K and NAME.V.
func (b *Builder) KeysValues(name string, x *ops.Node) (keys, values *ops.Node) {
	return b.Linear(name+".K", x, x.Cols()), b.Linear(name+".V", x, x.Cols())
}

// Attend is multi-head attention of the rows of x to keys and values, with the weights NAME.Q
// and NAME.O, and the entropies of its heads [B, H].
func (k Block) Attend(b *Builder, name string, x, keys, values *ops.Node, causal bool) (y, entropy *ops.Node) {
	d := x.Cols()
	y, entropy = ops.Attention(b.Linear(name+".Q", x, d), keys, values, ops.SelfAttention{
		Heads: k.Heads, Scale: Rsqrt(max(d/k.Heads, 1)), Causal: causal, Dropout: float32(k.AttendDrop), Name: name,
	})
	return b.Linear(name+".O", y, d), entropy
}
