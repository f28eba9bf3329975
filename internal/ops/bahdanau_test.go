package ops_test

import (
	"math"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"

	"github.com/stretchr/testify/require"
)

func refBahdanau(words, targets []int, yx, h, k, s0, w2, v, wc, wh, bh mat64) (states, context, last, entropy mat64) {
	states, context = newMat64(yx.rows, s0.cols), newMat64(yx.rows, h.cols)
	last, entropy = newMat64(s0.rows, s0.cols), newMat64(s0.rows, 1)
	one := func(x []float64) mat64 { return mat64{1, len(x), x} }
	for b := range s0.rows {
		s := s0.row(b)
		for i := targets[b]; i < targets[b+1]; i++ {
			c, e := refAlign(refLinear(one(s), w2, nil).at, k, v, h, words[b], words[b+1])
			from := refLinear(one(c), wc, yx.row(i)).at
			old := refLinear(one(s), wh, bh.at).at
			next := make([]float64, len(s))
			for u := range next {
				n := len(s)
				r := refSigmoid(from[u] + old[u])
				z := refSigmoid(from[n+u] + old[n+u])
				next[u] = (1-z)*math.Tanh(from[2*n+u]+r*old[2*n+u]) + z*s[u]
			}
			s = next
			copy(states.row(i), s)
			copy(context.row(i), c)
			entropy.at[b] += e / float64(targets[b+1]-targets[b])
		}
		copy(last.row(b), s)
	}
	return states, context, last, entropy
}

// bahdanauCase has states of width s, keys of width a and values of width d.
func bahdanauCase(name string, s, a, d int) opCase {
	return opCase{name, []input{{onTargets, 0, 3 * s}, {onWords, 0, d}, {onWords, 0, a}, {onReviews, 0, s},
		{onWeights, s, a}, {onWeights, 1, a}, {onWeights, d, 3 * s}, {onWeights, s, 3 * s}, {onWeights, 1, 3 * s}}, 4,
		func(in []*ops.Node) []*ops.Node {
			s, c, l, e := ops.BahdanauGRU(in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8])
			return []*ops.Node{s, c, l, e}
		},
		func(b *ragged.Batch, in []mat64) []mat64 {
			s, c, l, e := refBahdanau(b.Offsets, b.TargetOffsets, in[0], in[1], in[2], in[3], in[4], in[5], in[6], in[7], in[8])
			return []mat64{s, c, l, e}
		}}
}

// inTwo has the results of Bahdanau's GRU in two: with nine inputs, the combinations
// of four would take too long.
func inTwo(c opCase) opCase {
	build, ref := c.build, c.ref
	c.smooth = 2
	c.build = func(in []*ops.Node) []*ops.Node {
		y := build(in)
		return []*ops.Node{y[0], ops.Concat(ops.Mean(y[1]), ops.Concat(y[2], y[3]))}
	}
	c.ref = func(b *ragged.Batch, in []mat64) []mat64 {
		y := ref(b, in)
		return []mat64{y[0], refConcat(refMean(refTargets(b), y[1]), refConcat(y[2], y[3]))}
	}
	return c
}

// Pairs of very unequal lengths, in no order, of one word and of one row, with each
// result alone in the cost, and with all.
func TestUnequalPairs(t *testing.T) {
	n := assemble(t, bahdanau, newPool(t, 1), all)
	batches := []*ragged.Batch{
		pairsOf([][2]int{{3, 2}, {1, 1}, {20, 1}, {1, 12}, {5, 7}}...),
		pairsOf([][2]int{{1, 9}, {9, 1}}...),
	}
	for _, b := range batches {
		n.run(t, b)
		for r, want := range n.ref(b, n.wideInputs(b)) {
			closeTo(t, want.at, n.out[r].Mat(), 1e-5)
		}
	}
	requireGradients(t, bahdanau, []int{1, 2, 4, 8, 15}, batches, 2e-5)
}

// One source word has the weight one: a GRU that reads [y; h] at each step.
func TestBahdanauGRUOfOneWord(t *testing.T) {
	composed := bahdanau
	composed.build = func(in []*ops.Node) []*ops.Node {
		g, yx, s0, wc, wh, bh := in[0].Graph(), in[0], in[3], in[6], in[7], in[8]
		h := ops.Expand(ops.Mean(in[1]), g.Targets()) // of one row
		eye := make([]float32, yx.Cols()*yx.Cols())
		for i := range yx.Cols() {
			eye[i*yx.Cols()+i] = 1
		}
		states, last := ops.GRUFrom(ops.Add(yx, ops.Linear(h, wc, nil)), g.Param("1", yx.Cols(), yx.Cols(), eye), wh,
			g.Param("0", 1, yx.Cols(), make([]float32, yx.Cols())), bh, s0)
		return []*ops.Node{states, ops.Scale(h, 1), last}
	}
	pool, roles := newPool(t, 1), same(alone, 9)
	for _, unread := range []int{2, 4, 5} { // k, W2, v
		roles[unread] = frozen
	}
	composed.smooth = 3
	want, got := assemble(t, composed, pool, wiring{results: 7, roles: roles}), assemble(t, bahdanau, pool, all)
	b := pairsOf([][2]int{{1, 4}, {1, 1}, {1, 30}}...)
	requireSame(t, want, got, b, 1e-6)
	require.Equal(t, make([]float32, b.Len()), got.out[3].Mat().Data, "the entropy of one word")
	for _, unread := range []int{2, 4, 5} {
		for _, v := range got.grads[unread]().Data {
			require.InDelta(t, 0, v, 1e-7)
		}
	}
}

// A decoder that runs step by step, from the last states of the step before, has the
// bits of one that reads all rows at once.
func TestBahdanauGRUStepByStep(t *testing.T) {
	const steps = 4
	whole := assemble(t, bahdanau, newPool(t, 1), wiring{results: 1, untrained: true})
	whole.run(t, pairsOf([2]int{5, steps}, [2]int{1, steps}, [2]int{9, steps}))
	single := assemble(t, bahdanau, newPool(t, 1), wiring{results: 1, untrained: true})
	b := pairsOf([2]int{5, 1}, [2]int{1, 1}, [2]int{9, 1})
	single.set(b) // the inputs but yx are those of whole, by name and size
	yx, state := make([]float32, b.Len()*whole.in[0].Cols()), append([]float32(nil), single.inData[3]...)
	weights, want := make([]float32, 9), make([]float32, 9)
	for step := range steps {
		for pair := range b.Len() {
			copy(yx[pair*whole.in[0].Cols():], whole.in[0].Mat().Row(pair*steps+step))
		}
		single.in[0].Set(ops.Mat{Rows: b.Len(), Cols: whole.in[0].Cols(), Data: yx})
		single.in[3].Set(ops.Mat{Rows: b.Len(), Cols: single.in[3].Cols(), Data: state})
		require.NoError(t, single.machine.Run(b, uint64(step)))
		for pair := range b.Len() {
			for r := range 2 { // states and contexts
				require.Equal(t, whole.out[r].Mat().Row(pair*steps+step), single.out[r].Mat().Row(pair), "result %d of step %d", r, step)
			}
		}
		require.NoError(t, whole.out[0].Alignment(want, 2, 0, step))
		require.NoError(t, single.out[0].Alignment(weights, 2, 0, 0))
		require.Equal(t, want, weights)
		copy(state, single.out[2].Mat().Data)
	}
}
