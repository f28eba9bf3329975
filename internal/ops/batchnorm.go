package ops

import (
	"math"

	"imdbexp/internal/simd"
)

// BatchStats are the running statistics of one BatchNorm, d numbers each. They
// are part of the model's state, but training updates them without a gradient.
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
// A batch of one row has no variance and leaves them unchanged. A graph that is not
// for training normalises with the running statistics. BatchNorming has options for
// both.
func BatchNorm(x, scale, shift *Node, state *BatchStats, o BatchNorming) *Node {
	if !rowVector(scale, x.cols) || !rowVector(shift, x.cols) || len(state.Mean) != x.cols || len(state.Var) != x.cols {
		return x.g.fail("batch norm: x is [·, %d], scale [%d, %d], shift [%d, %d], running statistics [%d] and [%d]", x.cols,
			scale.axis.Len(), scale.cols, shift.axis.Len(), shift.cols, len(state.Mean), len(state.Var))
	}
	k := &batchNorm{g: x.g, axis: x.axis, state: state, BatchNorming: o}
	return x.g.apply("batch norm", k, []*Node{x, scale, shift}, result{x.axis, x.cols})[0]
}

// BatchNorming selects the statistics of a BatchNorm.
type BatchNorming struct {
	Epsilon, Momentum float64

	// OfBatch uses the statistics of the batch in evaluation, too, and leaves the
	// running ones unchanged there.
	OfBatch bool
	// WithoutPadding excludes the rows that Pad has added from the statistics. They are
	// still normalised.
	WithoutPadding bool
}

type batchNorm struct {
	g     *Graph
	axis  Axis
	state *BatchStats
	BatchNorming
	unit           []float32 // [N, d] (x − μ)/√(σ² + ε), kept for the backward pass
	center, rstd   []float32 // [d] −μ and 1/√(σ² + ε)
	ones           []float32
	work           scratch
	sums, products columnSums
	dscale, dshift []float32
}

// block is a block of rows of one shard.
type block struct {
	shard, lo, hi int
	counted       bool      // in the statistics
	a, b          []float32 // buffers for as many numbers each
}

// blocks calls f for each block of rows of each shard.
func (k *batchNorm) blocks(d int, f func(block)) error {
	cuts, size := k.axis.cuts(), rowBlock(d)*d
	return k.g.pool.For(len(cuts)-1, func(shard int) {
		take := k.work.of(shard)
		a, b := take(size), take(size)
		rows := func(lo, hi int, counted bool) {
			blocks(lo, hi, d, func(lo, hi int) { f(block{shard, lo, hi, counted, a[:(hi-lo)*d], b[:(hi-lo)*d]}) })
		}
		s := k.partial()
		if s == nil {
			rows(cuts[shard], cuts[shard+1], true)
			return
		}
		s.each(shard, func(review, lo, hi int) {
			end := lo + s.own(review)
			rows(lo, end, true)
			rows(end, hi, false)
		})
	})
}

// partial returns the axis if the statistics skip some of its rows, else nil.
func (k *batchNorm) partial() *Seq {
	if s, ok := k.axis.(*Seq); ok && k.WithoutPadding && s.even {
		return s
	}
	return nil
}

// counted returns how many rows are in the statistics.
func (k *batchNorm) counted() int {
	s := k.partial()
	if s == nil {
		return k.axis.Len()
	}
	n := 0
	for review := range s.reviews.Len() {
		n += s.own(review)
	}
	return n
}

// ofBatch reports whether to use the statistics of the batch.
func (k *batchNorm) ofBatch() bool { return k.OfBatch || k.g.learning() }

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
	return k.blocks(d, func(t block) {
		unit, to := k.unit[t.lo*d:t.hi*d], y.Range(t.lo, t.hi)
		outer(t.a, k.ones[:t.hi-t.lo], k.rstd, false)
		simd.Mul(unit, unit, t.a)
		outer(t.a, k.ones[:t.hi-t.lo], scale, false)
		simd.Mul(to, unit, t.a)
		simd.AddBias(to, t.hi-t.lo, d, d, shift)
	})
}

func (k *batchNorm) exact(in, out []Mat64) error {
	columns, y := transposed(in[0]), newWide(in[0].Cols, in[0].Rows)
	for j := range columns.Rows {
		mean, variance := float64(k.state.Mean[j]), float64(k.state.Var[j])
		if k.ofBatch() {
			mean, variance = exactMoments(k.exactCounted(columns.Row(j)))
		}
		exactNormal(y.Row(j), columns.Row(j), mean, variance, k.Epsilon)
	}
	exactAdd(out[0].Data, transposed(y).Data)
	exactScale(out[0], in[1].Data, in[2].Data)
	return nil
}

// exactCounted returns the numbers of a column that are in the statistics.
func (k *batchNorm) exactCounted(column []float64) []float64 {
	s := k.partial()
	if s == nil {
		return column
	}
	var out []float64
	for review := range s.reviews.Len() {
		lo := s.Offsets[review]
		out = append(out, column[lo:lo+s.own(review)]...)
	}
	return out
}

// statistics sets unit to x − μ and rstd to 1/√(σ² + ε).
func (k *batchNorm) statistics(x Mat) error {
	d, n := x.Cols, float64(k.counted())
	subtract := func(t block) []float32 {
		unit := k.unit[t.lo*d : t.hi*d]
		copy(unit, x.Range(t.lo, t.hi))
		simd.AddBias(unit, t.hi-t.lo, d, d, k.center)
		return unit
	}
	if !k.ofBatch() {
		for j, v := range k.state.Var {
			k.center[j] = -k.state.Mean[j]
			k.rstd[j] = k.inverse(float64(v))
		}
		return k.blocks(d, func(t block) { subtract(t) })
	}
	if err := k.blocks(d, func(t block) {
		if t.counted {
			k.sums.add(t.shard, x.Range(t.lo, t.hi))
		}
	}); err != nil {
		return err
	}
	for j, sum := range k.sums.total() {
		k.center[j] = -float32(sum / n)
	}
	if err := k.blocks(d, func(t block) {
		if unit := subtract(t); t.counted {
			simd.Mul(t.a, unit, unit)
			k.products.add(t.shard, t.a)
		}
	}); err != nil {
		return err
	}
	squares := k.products.total()
	for j, sum := range squares {
		k.rstd[j] = k.inverse(sum / n)
	}
	if n > 1 && k.g.learning() {
		k.move(squares, n)
	}
	return nil
}

// inverse returns 1/√(variance + ε).
func (k *batchNorm) inverse(variance float64) float32 {
	return float32(1 / math.Sqrt(variance+k.Epsilon))
}

// move updates the running statistics, given the sums of (x − μ)² over n rows.
func (k *batchNorm) move(squares []float64, n float64) {
	towards := func(old float32, now float64) float32 {
		return float32(float64((1-k.Momentum)*float64(old)) + float64(k.Momentum*now))
	}
	for j, sum := range squares {
		k.state.Mean[j] = towards(k.state.Mean[j], -float64(k.center[j]))
		k.state.Var[j] = towards(k.state.Var[j], sum/(n-1))
	}
}

// backward computes, with u = (x − μ)/√(σ² + ε), sums over all rows and n of them in the statistics,
//
//	∂x = scale/√(σ² + ε) ⊙ (∂y − (Σ ∂y)/n − u ⊙ (Σ ∂y ⊙ u)/n)    ∂scale = Σ ∂y ⊙ u    ∂shift = Σ ∂y
//
// If the statistics do not depend on a row (padding, running statistics): ∂x = scale/√(σ² + ε) ⊙ ∂y.
func (k *batchNorm) backward(in, _, dout []Mat, din []Grad) error {
	scale, dy, dx := in[1].Data, dout[0], din[0]
	d := dy.Cols
	k.prepare(d)
	err := k.blocks(d, func(t block) {
		simd.Mul(t.a, dy.Range(t.lo, t.hi), k.unit[t.lo*d:t.hi*d])
		k.sums.add(t.shard, dy.Range(t.lo, t.hi))
		k.products.add(t.shard, t.a)
	})
	if err != nil {
		return err
	}
	// ∂x = p ⊙ ∂y + q ⊙ u + r, one number a column each; p reuses the memory of rstd.
	k.dscale, k.dshift = grown(k.dscale, d), grown(k.dshift, d)
	p, q, r := k.rstd, k.dscale, k.dshift
	round(q, k.products.total())
	round(r, k.sums.total())
	din[1].putAll(q)
	din[2].putAll(r)
	if !dx.Wanted() {
		return nil
	}
	n := float32(k.counted())
	for j := range p {
		p[j] *= scale[j]
		q[j] *= -p[j] / n
		r[j] *= -p[j] / n
	}
	if !k.ofBatch() {
		clear(q)
		clear(r)
	}
	return k.blocks(d, func(t block) {
		rows, a, b := t.hi-t.lo, t.a, t.b
		outer(a, k.ones[:rows], p, false)
		simd.Mul(a, a, dy.Range(t.lo, t.hi))
		if t.counted {
			outer(b, k.ones[:rows], q, false)
			simd.Mul(b, b, k.unit[t.lo*d:t.hi*d])
			simd.Add(a, b)
			simd.AddBias(a, rows, d, d, r)
		}
		dx.putRange(t.lo, t.hi, a)
	})
}

// onnx adds a scale and a shift of each column, from the running statistics.
func (k *batchNorm) onnx(x *Export, in []*Node) ([]string, error) {
	if k.OfBatch {
		x.Name(in[0]) // report padding first
		return nil, errDepends
	}
	scale, shift, name := in[1].leaf.mat.Data, in[2].leaf.mat.Data, stem(in[1])
	times, plus := make([]float32, len(scale)), make([]float32, len(scale))
	for j, s := range scale {
		t := float64(s) / math.Sqrt(float64(k.state.Var[j])+k.Epsilon)
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
	return s.modify(n, n.src.inputs[0], append([]string{"batch norm"}, k.notes(n)...)...)
}

// notes returns notes on the unusual settings of a batch norm.
func (k *batchNorm) notes(n *Node) (notes []string) {
	if k.OfBatch {
		notes = append(notes, "by the batch at test, too")
	}
	if slip := slip(n); slip != "" {
		notes = append(notes, "padding counts"+slip)
	}
	return notes
}
