package ops

import (
	"math"

	"imdbexp/internal/onnx"
	"imdbexp/internal/simd"
)

// LayerNorm normalises each row over its own columns (Ba et al. 2016):
//
//	y = scale ⊙ (x − μ)/√(σ² + ε) + shift    μ = (1/d) Σⱼ xⱼ    σ² = (1/d) Σⱼ (xⱼ − μ)²
//
// x is [rows, d] on any axis, scale and shift [1, d].
func LayerNorm(x, scale, shift *Node, eps float64) *Node {
	if !rowVector(scale, x.cols) || !rowVector(shift, x.cols) {
		return x.g.fail("layer norm: x is [·, %d], scale [%d, %d], shift [%d, %d]", x.cols,
			scale.axis.Len(), scale.cols, shift.axis.Len(), shift.cols)
	}
	k := &layerNorm{g: x.g, axis: x.axis, eps: eps}
	return x.g.apply("layer norm", k, []*Node{x, scale, shift}, result{x.axis, x.cols})[0]
}

// rowVector reports whether n is one row of weights of that width.
func rowVector(n *Node, cols int) bool {
	return isWeight(n) && n.axis.Len() == 1 && n.cols == cols
}

// isWeight reports whether n has the same number of rows for every batch.
func isWeight(n *Node) bool {
	f, ok := n.axis.(*fixed)
	return ok && f != n.g.words.reviews
}

type layerNorm struct {
	g      *Graph
	axis   Axis
	eps    float64
	unit   []float32 // (x − μ)/√(σ² + ε), kept for the backward pass
	rstd   []float32 // 1/√(σ² + ε) of each row
	ones   []float32
	work   scratch
	dscale partials
	dshift partials
}

func (k *layerNorm) forward(in, out []Mat) error {
	x, scale, shift, y := in[0], in[1].Data, in[2].Data, out[0]
	d, block := x.Cols, rowBlock(x.Cols)
	cuts := k.axis.cuts()
	k.unit, k.rstd, k.ones = kept(k.unit, y, k.g.training), grown(k.rstd, x.Rows), ones(k.ones, max(d, block))
	k.work.prepare(len(cuts)-1, block*(d+1))
	return k.g.pool.For(len(cuts)-1, func(shard int) {
		take := k.work.of(shard)
		full, means := take(block*d), take(block)
		blocks(cuts[shard], cuts[shard+1], d, func(lo, hi int) {
			tile, mean, rstd := full[:(hi-lo)*d], means[:hi-lo], k.rstd[lo:hi]
			unit, to := k.unit[lo*d:hi*d], y.Range(lo, hi)

			simd.DotRows(mean, x.Range(lo, hi), d, d, k.ones[:d])
			simd.Scale(mean, -1/float32(d))
			copy(unit, x.Range(lo, hi))
			outer(unit, mean, k.ones[:d], true)

			simd.Mul(tile, unit, unit)
			simd.DotRows(rstd, tile, d, d, k.ones[:d])
			for i, sum := range rstd {
				rstd[i] = float32(1 / math.Sqrt(float64(sum)/float64(d)+k.eps))
			}
			outer(tile, rstd, k.ones[:d], false)
			simd.Mul(unit, unit, tile)

			outer(tile, k.ones[:hi-lo], scale, false)
			simd.Mul(to, unit, tile)
			simd.AddBias(to, hi-lo, d, d, shift)
		})
	})
}

func (k *layerNorm) exact(in, out []Mat64) error {
	for i := range in[0].Rows {
		mean, variance := exactMoments(in[0].Row(i))
		exactNormal(out[0].Row(i), in[0].Row(i), mean, variance, k.eps)
	}
	exactScale(out[0], in[1].Data, in[2].Data)
	return nil
}

// backward computes, with u = (x − μ)/√(σ² + ε) and v = ∂y ⊙ scale,
//
//	∂x = (v − mean(v) − u·mean(v ⊙ u))/√(σ² + ε)    ∂scale = Σ ∂y ⊙ u    ∂shift = Σ ∂y
func (k *layerNorm) backward(in, _, dout []Mat, din []Grad) error {
	scale, dy, dx := in[1].Data, dout[0], din[0]
	d, block := dy.Cols, rowBlock(dy.Cols)
	cuts := k.axis.cuts()
	k.work.prepare(len(cuts)-1, block*(2*d+2))
	k.dscale.prepare(len(cuts)-1, d)
	k.dshift.prepare(len(cuts)-1, d)
	err := k.g.pool.For(len(cuts)-1, func(shard int) {
		take := k.work.of(shard)
		a, b, c, e := take(block*d), take(block*d), take(block), take(block)
		clear(k.dscale.bufs[shard])
		clear(k.dshift.bufs[shard])
		blocks(cuts[shard], cuts[shard+1], d, func(lo, hi int) {
			n := hi - lo
			g, unit, rstd := dy.Range(lo, hi), k.unit[lo*d:hi*d], k.rstd[lo:hi]
			gu, to, meanG, meanGU := a[:n*d], b[:n*d], c[:n], e[:n]

			simd.Mul(gu, g, unit)
			simd.ColumnSums(k.dscale.bufs[shard], gu, n, d, d, true)
			simd.ColumnSums(k.dshift.bufs[shard], g, n, d, d, true)
			if !dx.Wanted() {
				return
			}
			simd.DotRows(meanG, g, d, d, scale)
			simd.DotRows(meanGU, gu, d, d, scale)
			for i, r := range rstd {
				meanG[i] *= -r / float32(d)
				meanGU[i] *= -r / float32(d)
			}
			outer(to, rstd, scale, false)
			simd.Mul(to, to, g)
			outer(to, meanG, k.ones[:d], true)
			outer(gu, meanGU, k.ones[:d], false)
			simd.Mul(gu, gu, unit)
			simd.Add(to, gu)
			dx.putRange(lo, hi, to)
		})
	})
	din[1].putAll(k.dscale.total())
	din[2].putAll(k.dshift.total())
	return err
}

func (k *layerNorm) onnx(x *Export, in []*Node) ([]string, error) {
	attributes := []onnx.Attribute{{Name: "axis", Value: int64(-1)}, {Name: "epsilon", Value: float32(k.eps)}}
	return []string{x.With("LayerNormalization", attributes, x.Name(in[0]), x.row(in[1]), x.row(in[2]))}, nil
}

func (k *layerNorm) picture(s *Sketch, n *Node) drawn {
	return s.modify(n, n.src.inputs[0], "layer norm")
}
