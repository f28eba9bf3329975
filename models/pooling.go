package models

import "imdbexp/internal/ops"

// Pooling makes one vector of a review's words.
type Pooling struct {
	Pool string `key:"pool" default:"mean" choices:"mean|cls|attention" help:"mean of the words, the place of a learned word [CLS] put before them, or attention with one learned query"`
}

// begin puts [CLS] before the words where it is wanted.
func (p *Pooling) begin(b *Builder, x *ops.Node) *ops.Node {
	if p.Pool == "cls" {
		return ops.Prepend(x, b.Constant("cls", 1, x.Cols(), 1))
	}
	return x
}

// end returns t̂ [B, d]; attention and entropy are nil but for pool=attention.
func (p *Pooling) end(b *Builder, x *ops.Node) (t, attention, entropy *ops.Node) {
	switch p.Pool {
	case "cls":
		return ops.First(x), nil, nil
	case "attention":
		a, h := ops.Attend(b.Weight("pool.q", 1, x.Cols(), x.Cols()), x, 1)
		return ops.WeightedSum(a, x), a, h
	}
	return ops.Mean(x), nil, nil
}
