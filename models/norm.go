package models

import "imdbexp/internal/ops"

// NormEpsilon is what batch and layer norm add to the variance, PyTorch's default; so
// is normMomentum.
const (
	NormEpsilon  = 1e-5
	normMomentum = 0.1
)

// norm is the normalisation of that kind (batch, layer or none) with the weights
// NAME.scale and NAME.shift [1, d]; the running statistics of batch are kept
// beside the weights.
func (b *Builder) norm(kind, name string, x *ops.Node) *ops.Node {
	if kind == "batch" {
		return b.batchNorm(name, x, ops.BatchNorming{})
	}
	d := x.Cols()
	if kind == "layer" {
		return ops.LayerNorm(x, b.Constant(name+".scale", 1, d, 1), b.Constant(name+".shift", 1, d, 0), NormEpsilon)
	}
	return x
}

// batchNorm is a batch norm with PyTorch's numbers.
func (b *Builder) batchNorm(name string, x *ops.Node, o ops.BatchNorming) *ops.Node {
	d := x.Cols()
	o.Epsilon, o.Momentum = NormEpsilon, normMomentum
	return ops.BatchNorm(x, b.Constant(name+".scale", 1, d, 1), b.Constant(name+".shift", 1, d, 0), b.weights.stats(name, d), o)
}

// slotNorm normalises each position across the reviews of the batch.
func (b *Builder) slotNorm(name string, x *ops.Node, slots int, eps float64) *ops.Node {
	return ops.SlotNorm(x, b.Constant(name+".scale", slots, 1, 1), b.Constant(name+".shift", slots, 1, 0), eps)
}
