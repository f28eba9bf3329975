package models

import (
	"errors"
	"math"
	"strconv"

	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
)

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

// attention holds the options of b.attention.
type attention struct {
	Heads       int
	Key, Value  int     // width of a head's queries and keys; of all heads' values
	Scale       float32 // of the scores
	Bias        bool    // of queries, keys and values
	OverQueries bool    // softmax over the queries, a slip
	Dropout     float64 // of the weights
	FirstOnly   bool    // nothing reads the values but the first of each review
}

// attention is self-attention with the weights NAME.Q, NAME.K, NAME.V: all heads'
// results side by side [N, Value], and the entropy of each [B, H], the mean over
// its queries. Value must be a multiple of Heads.
func (b *Builder) attention(name string, x *ops.Node, a attention) (y, entropy *ops.Node) {
	if err := CheckHeads(a.Heads, a.Value, "the width "); err != nil {
		b.Fail("%w", err)
	}
	q := b.Project(name+".Q", x, a.Heads*a.Key, a.Bias)
	k := b.Project(name+".K", x, a.Heads*a.Key, a.Bias)
	v := b.Project(name+".V", x, a.Value, a.Bias)
	return ops.SelfAttend(q, k, v, ops.SelfAttention{
		Heads: a.Heads, Scale: a.Scale, OverQueries: a.OverQueries, Dropout: float32(a.Dropout), Name: name, FirstOnly: a.FirstOnly,
	})
}

// CheckHeads returns an error when heads cannot share a width of that name.
func CheckHeads(heads, width int, name string) error {
	if width%heads == 0 {
		return nil
	}
	return settings.Misfit("heads=%d does not divide %s%d: choose a number of heads that does", heads, name, width)
}

// Project is a linear map with or without a bias.
func (b *Builder) Project(name string, x *ops.Node, out int, bias bool) *ops.Node {
	if bias {
		return b.Linear(name, x, out)
	}
	return ops.Linear(x, b.Weight(name+".W", x.Cols(), out, x.Cols()), nil)
}

// LayerName begins the names of the weights of layer l of self-attention, which counts
// from 0: layer1, layer2, ….
func LayerName(l int) string { return "layer" + strconv.Itoa(l+1) }

// Rsqrt returns 1/√n.
func Rsqrt(n int) float32 { return float32(1 / math.Sqrt(float64(n))) }

// Positions adds the position of each word, which attention alone ignores. Encodings are added
// once, before the first layer.
type Positions struct {
	Kind string  `key:"positions" default:"none" choices:"none|sinusoid|halves|learned" help:"sinusoid: sine and cosine in turn (Vaswani et al.); halves: all sines, then all cosines (Tensor2Tensor); learned: a vector for each position"`
	Base float64 `key:"positions.base" default:"10000" min:"1.001" max:"1e9" needs:"positions=sinusoid|halves" help:"of sinusoid and halves: 10000 in the paper, 1000 in the course's slides"`
	Join string  `key:"positions.join" default:"sum" choices:"sum|concat" needs:"positions=sinusoid|halves" help:"of sinusoid and halves: added to the words, or appended to them, with the same width"`
	Max  int     `key:"positions.max" default:"513" min:"1" max:"65536" needs:"positions=learned" help:"of learned: number of positions; longer reviews are an error"`
}

func (p *Positions) check() error {
	if p.Base != 10000 && p.Kind != "sinusoid" && p.Kind != "halves" {
		return errors.New("positions.base needs positions=sinusoid or halves")
	}
	return nil
}

// add returns x with its positions.
func (p *Positions) add(b *Builder, x *ops.Node) *ops.Node {
	layout := ops.Interleaved
	switch p.Kind {
	case "sinusoid":
	case "halves":
		layout = ops.Halves
	case "learned":
		return ops.AddPositions(x, b.Weight("positions", p.Max, x.Cols(), x.Cols()))
	default:
		return x
	}
	if p.Join == "concat" {
		return ops.JoinSinusoid(x, x.Cols(), p.Base, layout)
	}
	return ops.Sinusoid(x, p.Base, layout)
}
