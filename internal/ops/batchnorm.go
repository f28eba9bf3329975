package ops

import (
	"math"

	"imdbexp/internal/simd"
)

// BatchStats are the running statistics of one BatchNorm, d numbers each. They
// belong to the model's state: training changes them, nothing optimises them.
// They start as 0 and 1.
type BatchStats struct {
	Mean, Var []float32
}

// BatchNorm normalises each column over all rows of the batch (Ioffe and Szegedy
// 2015):
//
//	y = scale ⊙ (x − μ)/√(σ² + ε) + shift    μ = (1/N) Σᵢ xᵢ    σ² = (1/N) Σᵢ (xᵢ − μ)²
//
// x is [N, d] on any axis, scale and shift [1, d]. In training each step also
// moves the running statistics by momentum m, as PyTorch's BatchNorm1d does (m
// 0.1, ε 1e-5):
//
//	mean ← (1−m)·mean + m·μ    var ← (1−m)·var + m·σ²·N/(N−1)
//
// One row alone has no variance and leaves them as they are. A graph that is not
// for training normalises with the running statistics.
func BatchNorm(x, scale, shift *Node, state *BatchStats, eps, momentum float64) *Node {
	if !rowVector(scale, x.cols) || !rowVector(shift, x.cols) || len(state.Mean) != x.cols || len(state.Var) != x.cols {
		return x.g.fail("batch norm: x is [·, %d], scale [%d, %d], shift [%d, %d], running statistics [%d] and [%d]", x.cols,
			scale.axis.Len(), scale.cols, shift.axis.Len(), shift.cols, len(state.Mean), len(state.Var))
	}
	k := &batchNorm{g: x.g, axis: x.axis, state: state, eps: eps, momentum: momentum}
	return x.g.apply("batch norm", k, []*Node{x, scale, shift}, result{x.axis, x.cols})[0]
}

type batchNorm struct {
	g              *Graph
	axis           Axis
	state          *BatchStats
	eps, momentum  float64
	unit           []float32 // [N, d] (x − μ)/√(σ² + ε), kept for the backward pass
	center, rstd   []float32 // [d] −μ and 1/√(σ² + ε)
	ones           []float32
	work           scratch
	sums, products columnSums
	dscale, dshift []float32
}

// blocks calls f for each block of rows of each shard, with room for two blocks.
func (k *batchNorm) blocks(d int, f func(shard, lo, hi int, a, b []float32)) error {
	cuts, size := k.axis.cuts(), rowBlock(d)*d
	return k.g.pool.For(len(cuts)-1, func(shard int) {
		take := k.work.of(shard)
		a, b := take(size), take(size)
		blocks(cuts[shard], cuts[shard+1], d, func(lo, hi int) { f(shard, lo, hi, a[:(hi-lo)*d], b[:(hi-lo)*d]) })
	})
}

// prepare makes the buffers of a pass over d columns.
func (k *batchNorm) prepare(d int) {
	shards, block := len(k.axis.cuts())-1, rowBlock(d)
	k.ones = ones(k.ones, block)
	k.work.prepare(shards, 2*block*d)
	k.sums.prepare(shards, d)
	k.products.prepare(shards, d)
}

func (k *batchNorm) forward(in, out []Mat) error {
	x, scale, shift, y := in[0], in[1].Data, in[2].Data, out[0]
	d := x.Cols
	k.center, k.rstd = grown(k.center, d), grown(k.rstd, d)
	k.prepare(d)
	k.unit = kept(k.unit, y, k.g.training)
	if err := k.statistics(x); err != nil {
		return err
	}
	return k.blocks(d, func(_, lo, hi int, tile, _ []float32) {
		unit, to := k.unit[lo*d:hi*d], y.Range(lo, hi)
		outer(tile, k.ones[:hi-lo], k.rstd, false)
		simd.Mul(unit, unit, tile)
		outer(tile, k.ones[:hi-lo], scale, false)
		simd.Mul(to, unit, tile)
		simd.AddBias(to, hi-lo, d, d, shift)
	})
}

func (k *batchNorm) exact(in, out []Wide) error {
	columns, y := transposed(in[0]), newWide(in[0].Cols, in[0].Rows)
	for j := range columns.Rows {
		mean, variance := float64(k.state.Mean[j]), float64(k.state.Var[j])
		if k.g.learning() {
			mean, variance = exactMoments(columns.Row(j))
		}
		exactNormal(y.Row(j), columns.Row(j), mean, variance, k.eps)
	}
	exactAdd(out[0].Data, transposed(y).Data)
	exactScale(out[0], in[1].Data, in[2].Data)
	return nil
}

// statistics leaves x − μ in unit, and 1/√(σ² + ε) in rstd.
func (k *batchNorm) statistics(x Mat) error {
	d, n := x.Cols, float64(x.Rows)
	subtract := func(lo, hi int) []float32 {
		unit := k.unit[lo*d : hi*d]
		copy(unit, x.Range(lo, hi))
		simd.AddBias(unit, hi-lo, d, d, k.center)
		return unit
	}
	if !k.g.learning() {
		for j, v := range k.state.Var {
			k.center[j] = -k.state.Mean[j]
			k.rstd[j] = k.inverse(float64(v))
		}
		return k.blocks(d, func(_, lo, hi int, _, _ []float32) { subtract(lo, hi) })
	}
	if err := k.blocks(d, func(shard, lo, hi int, _, _ []float32) {
		k.sums.add(shard, x.Range(lo, hi))
	}); err != nil {
		return err
	}
	for j, sum := range k.sums.total() {
		k.center[j] = -float32(sum / n)
	}
	if err := k.blocks(d, func(shard, lo, hi int, squares, _ []float32) {
		unit := subtract(lo, hi)
		simd.Mul(squares, unit, unit)
		k.products.add(shard, squares)
	}); err != nil {
		return err
	}
	squares := k.products.total()
	for j, sum := range squares {
		k.rstd[j] = k.inverse(sum / n)
	}
	if x.Rows > 1 {
		k.move(squares, n)
	}
	return nil
}

// inverse returns 1/√(variance + ε).
func (k *batchNorm) inverse(variance float64) float32 {
	return float32(1 / math.Sqrt(variance+k.eps))
}

// move moves the running statistics, given the sums of (x − μ)² over n rows.
func (k *batchNorm) move(squares []float64, n float64) {
	towards := func(old float32, now float64) float32 {
		return float32(float64((1-k.momentum)*float64(old)) + float64(k.momentum*now))
	}
	for j, sum := range squares {
		k.state.Mean[j] = towards(k.state.Mean[j], -float64(k.center[j]))
		k.state.Var[j] = towards(k.state.Var[j], sum/(n-1))
	}
}

// With u = (x − μ)/√(σ² + ε), sums and means over the N rows,
//
//	∂x = scale/√(σ² + ε) ⊙ (∂y − mean(∂y) − u ⊙ mean(∂y ⊙ u))    ∂scale = Σ ∂y ⊙ u    ∂shift = Σ ∂y
//
// In a frozen graph the statistics do not depend on x: ∂x = scale/√(σ² + ε) ⊙ ∂y.
func (k *batchNorm) backward(in, _, dout []Mat, din []Grad) error {
	scale, dy, dx := in[1].Data, dout[0], din[0]
	d := dy.Cols
	k.prepare(d)
	err := k.blocks(d, func(shard, lo, hi int, gu, _ []float32) {
		simd.Mul(gu, dy.Range(lo, hi), k.unit[lo*d:hi*d])
		k.sums.add(shard, dy.Range(lo, hi))
		k.products.add(shard, gu)
	})
	if err != nil {
		return err
	}
	// ∂x = p ⊙ ∂y + q ⊙ u + r, one number a column each: p takes the place of rstd.
	k.dscale, k.dshift = grown(k.dscale, d), grown(k.dshift, d)
	p, q, r := k.rstd, k.dscale, k.dshift
	round(q, k.products.total())
	round(r, k.sums.total())
	din[1].putAll(q)
	din[2].putAll(r)
	if !dx.Wanted() {
		return nil
	}
	n := float32(dy.Rows)
	for j := range p {
		p[j] *= scale[j]
		q[j] *= -p[j] / n
		r[j] *= -p[j] / n
	}
	if k.g.frozen {
		clear(q)
		clear(r)
	}
	return k.blocks(d, func(_, lo, hi int, a, b []float32) {
		outer(a, k.ones[:hi-lo], p, false)
		simd.Mul(a, a, dy.Range(lo, hi))
		outer(b, k.ones[:hi-lo], q, false)
		simd.Mul(b, b, k.unit[lo*d:hi*d])
		simd.Add(a, b)
		simd.AddBias(a, hi-lo, d, d, r)
		dx.putRange(lo, hi, a)
	})
}

// With running statistics it is a map of each column.
func (k *batchNorm) onnx(x *Export, in []*Node) ([]string, error) {
	scale, shift, name := in[1].leaf.mat.Data, in[2].leaf.mat.Data, stem(in[1])
	times, plus := make([]float32, len(scale)), make([]float32, len(scale))
	for j, s := range scale {
		t := float64(s) / math.Sqrt(float64(k.state.Var[j])+k.eps)
		times[j], plus[j] = float32(t), float32(float64(shift[j])-float64(float64(k.state.Mean[j])*t))
	}
	return []string{x.Op("Add", x.Op("Mul", x.Name(in[0]), x.vector(name+".times", times)), x.vector(name+".plus", plus))}, nil
}

// round sets dst to x in float32.
func round(dst []float32, x []float64) {
	for j, v := range x {
		dst[j] = float32(v)
	}
}

func (k *batchNorm) picture(s *Sketch, n *Node) drawn {
	return s.modify(n, n.src.inputs[0], "batch norm")
}
