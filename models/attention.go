package models

import (
	"math"
	"strconv"

	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
)

// attention says how b.attention looks from each word at all others.
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
