package ops_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/testkit/must"
)

func layerNormCase(name string, x input, eps float64) opCase {
	return one(name, []input{x, {onWeights, 1, x.cols}, {onWeights, 1, x.cols}},
		func(in []*ops.Node) *ops.Node { return ops.LayerNorm(in[0], in[1], in[2], eps) },
		func(_ *ragged.Batch, in []mat64) mat64 { return refLayerNorm(in[0], in[1], in[2], eps) })
}

func batchNormCase(name string, x input, eps float64) opCase {
	return one(name, []input{x, {onWeights, 1, x.cols}, {onWeights, 1, x.cols}},
		func(in []*ops.Node) *ops.Node {
			return ops.BatchNorm(in[0], in[1], in[2], newStats(x.cols), ops.BatchNorming{Epsilon: eps, Momentum: 0.1})
		},
		func(_ *ragged.Batch, in []mat64) mat64 { return refBatchNorm(in[0], in[1], in[2], eps) })
}

// paddedNormCase is a batch norm on a padded axis, with or without the padding in its statistics.
func paddedNormCase(name string, cols int, without bool) opCase {
	return one(name, []input{{onPadded, 0, cols}, {onWeights, 1, cols}, {onWeights, 1, cols}},
		func(in []*ops.Node) *ops.Node {
			return ops.BatchNorm(in[0], in[1], in[2], newStats(cols), ops.BatchNorming{Epsilon: 1e-2, Momentum: 0.1, WithoutPadding: without})
		},
		func(b *ragged.Batch, in []mat64) mat64 {
			if !without {
				return refBatchNorm(in[0], in[1], in[2], 1e-2)
			}
			return refUnpaddedNorm(b, in[0], in[1], in[2], 1e-2)
		})
}

func newStats(d int) *ops.BatchStats {
	s := &ops.BatchStats{Mean: make([]float32, d), Var: make([]float32, d)}
	for j := range s.Var {
		s.Var[j] = 1
	}
	return s
}

// testSlots are as many as the largest batch of the tests has reviews.
const testSlots = 64

func slotNormCase(name string, cols int, eps float64) opCase {
	return one(name, []input{{onPadded, 0, cols}, {onWeights, testSlots, 1}, {onWeights, testSlots, 1}},
		func(in []*ops.Node) *ops.Node { return ops.SlotNorm(in[0], in[1], in[2], eps) },
		func(b *ragged.Batch, in []mat64) mat64 { return refSlotNorm(b, in[0], in[1], in[2], eps) })
}

// normCases are the normalisations and what else has a parameter for training.
var normCases = []opCase{
	layerNormCase("layer norm on words", input{onWords, 0, 5}, 1e-5),
	layerNormCase("layer norm on reviews", input{onReviews, 0, 17}, 1e-5),
	batchNormCase("batch norm on words", input{onWords, 0, 5}, 1e-2),
	batchNormCase("batch norm on reviews", input{onReviews, 0, 3}, 1e-2),
	batchNormCase("batch norm of fronted", input{onFronted, 0, 3}, 1e-2),
	paddedNormCase("batch norm of padded", 3, false),
	paddedNormCase("batch norm without padding", 5, true),
	slotNormCase("slot norm", 3, 0.3),
	slotNormCase("slot norm as published", 2, 50),
	{"smoothed cross-entropy", []input{{onReviews, 0, 3}}, 1,
		func(in []*ops.Node) []*ops.Node {
			l := ops.CrossEntropy(in[0], 0.1, nil)
			return []*ops.Node{l.Mean, l.Each, l.Probs}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			_, e, s := refCrossEntropy(b, in[0])
			return []mat64{refSmoothed(b, in[0], 0.1), e, s}
		}},
	{"weighted cross-entropy", []input{{onReviews, 0, 3}}, 1,
		func(in []*ops.Node) []*ops.Node {
			l := ops.CrossEntropy(in[0], 0, []float32{0.5, 2, 4})
			return []*ops.Node{l.Mean, l.Each, l.Probs}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			_, e, s := refCrossEntropy(b, in[0])
			mean := newMat64(1, 1)
			for r, loss := range e.at {
				if y := b.Labels[r]; y >= 0 {
					mean.at[0] += []float64{0.5, 2, 4}[y] * loss / float64(len(e.at))
				}
			}
			return []mat64{mean, e, s}
		}},
}

// refNormal returns (v − mean)/√(variance + ε) with the biased variance.
func refNormal(v []float64, eps float64) []float64 {
	var mean, variance float64
	for _, x := range v {
		mean += x / float64(len(v))
	}
	for _, x := range v {
		variance += (x - mean) * (x - mean) / float64(len(v))
	}
	out := make([]float64, len(v))
	for i, x := range v {
		out[i] = (x - mean) / math.Sqrt(variance+eps)
	}
	return out
}

func refLayerNorm(x, scale, shift mat64, eps float64) mat64 {
	y := newMat64(x.rows, x.cols)
	for i := range x.rows {
		for j, u := range refNormal(x.row(i), eps) {
			y.row(i)[j] = scale.at[j]*u + shift.at[j]
		}
	}
	return y
}

func refBatchNorm(x, scale, shift mat64, eps float64) mat64 {
	y := newMat64(x.rows, x.cols)
	column := make([]float64, x.rows)
	for j := range x.cols {
		for i := range column {
			column[i] = x.row(i)[j]
		}
		for i, u := range refNormal(column, eps) {
			y.row(i)[j] = scale.at[j]*u + shift.at[j]
		}
	}
	return y
}

// refUnpaddedNorm normalises all rows by the mean and variance of the rows that are not
// padding.
func refUnpaddedNorm(b *ragged.Batch, x, scale, shift mat64, eps float64) mat64 {
	y, length := newMat64(x.rows, x.cols), x.rows/b.Len()
	for j := range x.cols {
		var words []float64
		for r := range b.Len() {
			for i := range b.Offsets[r+1] - b.Offsets[r] {
				words = append(words, x.row(r*length + i)[j])
			}
		}
		var mean, variance float64
		for _, v := range words {
			mean += v / float64(len(words))
		}
		for _, v := range words {
			variance += (v - mean) * (v - mean) / float64(len(words))
		}
		for i := range x.rows {
			y.row(i)[j] = scale.at[j]*(x.row(i)[j]-mean)/math.Sqrt(variance+eps) + shift.at[j]
		}
	}
	return y
}

// refSlotNorm takes each position and column apart; a review's slot is where it was
// drawn.
func refSlotNorm(b *ragged.Batch, x, scale, shift mat64, eps float64) mat64 {
	y := newMat64(x.rows, x.cols)
	length := x.rows / b.Len()
	across := make([]float64, b.Len())
	for i := range length {
		for j := range x.cols {
			for r := range across {
				across[r] = x.row(r*length + i)[j]
			}
			for r, u := range refNormal(across, eps) {
				y.row(r*length + i)[j] = scale.at[b.Order[r]]*u + shift.at[b.Order[r]]
			}
		}
	}
	return y
}

// refSmoothed is the mean of −Σ t·log p with the smoothed labels t.
func refSmoothed(b *ragged.Batch, z mat64, smoothing float64) mat64 {
	mean := newMat64(1, 1)
	for r := range z.rows {
		if b.Labels[r] < 0 {
			continue
		}
		p, _ := refSoftmax(z.row(r))
		for c, v := range p {
			t := smoothing / float64(z.cols)
			if c == int(b.Labels[r]) {
				t += 1 - smoothing
			}
			mean.at[0] -= t * math.Log(v) / float64(z.rows)
		}
	}
	return mean
}

// normed is a BatchNorm alone in a graph.
type normed struct {
	x, y *ops.Node
	m    *ops.Machine
}

func newNormed(t *testing.T, state *ops.BatchStats, training bool) normed {
	g := ops.NewGraph(newPool(t, 1), training)
	n := normed{x: g.Leaf("x", g.Words(), 3, false)}
	n.y = ops.BatchNorm(n.x, g.Param("scale", 1, 3, []float32{1, 2, -1}), g.Param("shift", 1, 3, []float32{0, 1, 5}), state, ops.BatchNorming{Epsilon: 1e-5, Momentum: 0.1})
	n.m = machine(t, g)
	return n
}

func (n normed) run(t *testing.T, b *ragged.Batch, x []float32) {
	n.x.Set(ops.Mat{Rows: b.Words(), Cols: 3, Data: x})
	require.NoError(t, n.m.Run(b, 0))
}

// Training moves the running statistics by the mean and the unbiased variance of
// the batch; evaluation uses them and leaves them alone.
func TestBatchNormRunningStatistics(t *testing.T) {
	state := newStats(3)
	training, evaluation := newNormed(t, state, true), newNormed(t, state, false)
	mean, variance := []float64{0, 0, 0}, []float64{1, 1, 1}
	for _, b := range []*ragged.Batch{batch(5, 3), longTail(4000), batch(2)} {
		x := random("x", 3*b.Words())
		training.run(t, b, x)
		n := float64(b.Words())
		for j := range 3 {
			var m, v float64
			for i := range b.Words() {
				m += float64(x[3*i+j]) / n
			}
			for i := range b.Words() {
				v += math.Pow(float64(x[3*i+j])-m, 2) / (n - 1)
			}
			mean[j] += 0.1 * (m - mean[j])
			variance[j] += 0.1 * (v - variance[j])
		}
		require.InDeltaSlice(t, mean, state.Mean, 1e-6)
		require.InDeltaSlice(t, variance, state.Var, 1e-6)
	}
	training.run(t, batch(1), []float32{7, 8, 9})
	require.InDeltaSlice(t, mean, state.Mean, 1e-6, "one row alone has no variance")
	require.Equal(t, []float32{0, 1, 5}, training.y.Mat().Data)

	b := batch(2, 1)
	x := random("other", 9)
	evaluation.run(t, b, x)
	scale, shift := []float64{1, 2, -1}, []float64{0, 1, 5}
	for i, v := range x {
		j := i % 3
		require.InDelta(t, scale[j]*(float64(v)-mean[j])/math.Sqrt(variance[j]+1e-5)+shift[j], evaluation.y.Mat().Data[i], 1e-6)
	}
	require.InDeltaSlice(t, mean, state.Mean, 1e-6)
	require.InDeltaSlice(t, variance, state.Var, 1e-6)
}

// With the statistics of the batch evaluation does what training does, and leaves the
// running ones alone; so does a frozen graph, with the gradient of training.
func TestBatchNormOfBatch(t *testing.T) {
	b := batch(5, 3, 1)
	x := random("x", 3*b.Words())
	build := func(state *ops.BatchStats, training, frozen bool) (y, dx []float32) {
		g := ops.NewGraph(newPool(t, 1), training)
		if frozen {
			g.Freeze()
		}
		in := g.Leaf("x", g.Words(), 3, true)
		out := ops.BatchNorm(in, g.Param("scale", 1, 3, []float32{1, 2, -1}), g.Param("shift", 1, 3, []float32{0, 1, 5}),
			state, ops.BatchNorming{Epsilon: 1e-5, Momentum: 0.1, OfBatch: true})
		grad := func() ops.Mat { return ops.Mat{} }
		if training {
			w := g.Param("w", 3, 1, []float32{1, 2, 3})
			grads := must.Get(g.Grad(ops.Total(ops.Term{Node: ops.Linear(ops.Mean(ops.Tanh(out)), w, nil), Weight: 1}), in))(t)
			grad = grads[0]
		}
		m := machine(t, g)
		in.Set(ops.Mat{Rows: b.Words(), Cols: 3, Data: x})
		require.NoError(t, m.Run(b, 0))
		y = slices.Clone(out.Mat().Data)
		return y, slices.Clone(grad().Data)
	}
	moved, kept := newStats(3), newStats(3)
	want, gradient := build(moved, true, false)
	y, _ := build(kept, false, false)
	require.Equal(t, want, y)
	y, dx := build(kept, true, true)
	require.Equal(t, want, y)
	require.Equal(t, gradient, dx)
	require.Equal(t, newStats(3), kept)
	require.NotEqual(t, newStats(3), moved)
}

// Running statistics without padding move by the rows of the reviews alone. By hand:
// words 1 and 3 in a review of two, 8 in one of one, whose padding says 100.
func TestBatchNormWithoutPadding(t *testing.T) {
	for without, want := range map[bool][2]float64{
		true:  {0.1 * 4, 0.9 + 0.1*13},                    // mean 4, squares 9 + 1 + 16 over 2
		false: {0.1 * 28, 0.9 + 0.1*(729+625+400+5184)/3}, // mean 28
	} {
		g, state := ops.NewGraph(newPool(t, 1), true), newStats(1)
		x := g.Leaf("x", g.Words().Padded(), 1, false)
		y := ops.BatchNorm(x, g.Param("scale", 1, 1, []float32{1}), g.Param("shift", 1, 1, []float32{0}), state,
			ops.BatchNorming{Epsilon: 1e-5, Momentum: 0.1, WithoutPadding: without})
		m := must.Get(g.Machine())(t)
		x.Set(ops.Mat{Rows: 4, Cols: 1, Data: []float32{1, 3, 8, 100}})
		require.NoError(t, m.Run(batch(2, 1), 0))
		require.InDelta(t, want[0], state.Mean[0], 1e-6)
		require.InDelta(t, want[1], state.Var[0], 1e-4)
		if without {
			require.InDelta(t, (100-4)/math.Sqrt(26.0/3), y.Mat().Data[3], 1e-4, "padding is normalised all the same")
		}
		m.Close()
	}
}

// Far from zero the variance is computed from differences, without cancellation.
func TestNormsFarFromZero(t *testing.T) {
	const far = 1 << 12
	b := longTail(4000)
	x := random("x", 3*b.Words())
	for i := range x {
		x[i] = far + float32(int(x[i]*1024))/1024 // exact
	}
	want := newMat64(b.Words(), 3)
	for i, v := range x {
		want.at[i] = float64(v)
	}
	want = refBatchNorm(want, mat64{1, 3, []float64{1, 2, -1}}, mat64{1, 3, []float64{0, 1, 5}}, 1e-5)
	n := newNormed(t, newStats(3), true)
	n.run(t, b, x)
	closeTo(t, want.at, n.y.Mat(), 2e-3) // the mean itself is rounded to float32
}

// More reviews than slots is an error that names the setting.
func TestSlotNormRefuses(t *testing.T) {
	g := ops.NewGraph(newPool(t, 1), true)
	x := g.Leaf("x", g.Words(), 2, true)
	ops.SlotNorm(ops.Pad(x), weight(g, 2, 1), weight(g, 2, 1), 50)
	m := machine(t, g)
	x.Set(ops.Mat{Rows: 6, Cols: 2, Data: make([]float32, 12)})
	require.NoError(t, m.Run(batch(4, 2), 0))
	require.ErrorContains(t, m.Run(batch(3, 2, 1), 0), "slot norm: 3 reviews in a batch, but the scale has 2 slots: set batch=2")
}

// A smoothed label changes the cost of training alone.
func TestSmoothingIsForTraining(t *testing.T) {
	losses := func(training bool, smoothing float64) (mean float32, each []float32) {
		g := ops.NewGraph(newPool(t, 1), training)
		x := g.Leaf("x", g.Words().Reviews(), 2, false)
		l := ops.CrossEntropy(x, smoothing, nil)
		m := machine(t, g)
		x.Set(ops.Mat{Rows: 2, Cols: 2, Data: []float32{3, -1, 0, 0.5}})
		require.NoError(t, m.Run(batch(1, 1), 0))
		return l.Mean.Mat().Data[0], append([]float32(nil), l.Each.Mat().Data...)
	}
	mean, each := losses(true, 0)
	smooth, same := losses(true, 0.1)
	require.InDelta(t, (0.0181499279+0.4740769842)/2, mean, 1e-6)
	require.InDelta(t, mean+(0.05*4+0.05*0.5)/2, smooth, 1e-6) // ε/C times what the other class has less
	require.Equal(t, each, same)
	evaluated, same := losses(false, 0.1)
	require.Equal(t, mean, evaluated)
	require.Equal(t, each, same)
}
