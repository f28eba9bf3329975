package models

import "imdbexp/internal/ops"

// Pooling turns the words of a review into one vector.
type Pooling struct {
	Pool string `key:"pool" default:"mean" choices:"mean|cls|attention" help:"mean of the words, a learned word [CLS] before them, or attention with one learned query"`
}

// begin puts [CLS] before the words for pool=cls.
func (p *Pooling) begin(b *Builder, x *ops.Node) *ops.Node {
	if p.Pool == "cls" {
		return ops.Prepend(x, b.Constant("cls", 1, x.Cols(), 1))
	}
	return x
}

// end classifies by one vector t̂ [B, d] of each review's rows x.
func (p *Pooling) end(b *Builder, x *ops.Node, h Head, out Output) Output {
	var t *ops.Node
	switch p.Pool {
	case "cls":
		t = ops.First(x)
	case "attention":
		out.Attention, out.Entropy = ops.Attend(b.Weight("pool.q", 1, x.Cols(), x.Cols()), x, 1)
		t = ops.WeightedSum(out.Attention, x)
	default:
		t = ops.Mean(x)
	}
	out.Words, out.Objective = x, h.Classify(b, t).Objective
	return out
}
