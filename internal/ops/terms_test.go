package ops_test

import (
	"fmt"
	"math"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"
)

// dropped is a dropout of ones: its result is the mask, and so is the gradient
// of the sum of its result.
type dropped struct {
	g       *ops.Graph
	x, y    *ops.Node
	grad    func() ops.Mat
	machine *ops.Machine
}

const maskCols = 8

func newDropped(t *testing.T, name string, p float32, seed uint64) *dropped {
	d := &dropped{g: ops.NewGraph(newPool(t, 3), true)}
	d.g.Seed(seed)
	d.x = d.g.Leaf("x", d.g.Words(), maskCols, true)
	d.y = ops.Dropout(d.x, name, p)
	ones := make([]float32, maskCols)
	for i := range ones {
		ones[i] = 1
	}
	cost := ops.Total(ops.Term{Node: ops.Linear(d.y, d.g.Param("ones", maskCols, 1, ones), nil), Weight: 1, Sum: true})
	grads := must.Get(d.g.Grad(cost, d.x))(t)
	d.grad = grads[0]
	d.machine = machine(t, d.g)
	return d
}

// mask returns the mask of each review of the batch in a step.
func (d *dropped) mask(t *testing.T, b *ragged.Batch, step uint64) map[int32][]float32 {
	ones := make([]float32, b.Words()*maskCols)
	for i := range ones {
		ones[i] = 1
	}
	d.x.Set(ops.Mat{Rows: b.Words(), Cols: maskCols, Data: ones})
	require.NoError(t, d.machine.Run(b, step))
	require.Equal(t, d.y.Mat().Data, d.grad().Data, "one mask forwards and backwards")
	out := map[int32][]float32{}
	for i, r := range b.Reviews {
		out[r] = append([]float32(nil), d.y.Mat().Range(b.Offsets[i], b.Offsets[i+1])...)
	}
	return out
}

// labelled is a batch of the given reviews, review r having r words.
func labelled(reviews ...int) *ragged.Batch {
	b := batch(reviews...)
	for i, r := range reviews {
		b.Reviews[i] = int32(r)
	}
	return b
}

func TestDropoutMask(t *testing.T) {
	d := newDropped(t, "a", 0.5, 1)
	first := d.mask(t, labelled(30, 20, 10), 4)
	require.Equal(t, first, d.mask(t, labelled(30, 20, 10), 4), "again")
	require.NotEqual(t, first[20], d.mask(t, labelled(20), 5)[20], "another step")
	require.NotEqual(t, first[20], newDropped(t, "a", 0.5, 2).mask(t, labelled(20), 4)[20], "another seed")
	require.NotEqual(t, first[20], newDropped(t, "b", 0.5, 1).mask(t, labelled(20), 4)[20], "another layer")
	require.NotEqual(t, first[20][:10*maskCols], first[10], "another review")
	require.NotEqual(t, first[20][:maskCols], first[20][maskCols:2*maskCols], "another position")

	// The order of the reviews, the other reviews and the shards do not matter.
	require.Equal(t, first[20], d.mask(t, labelled(20), 4)[20])
	require.Equal(t, first, d.mask(t, labelled(10, 30, 20), 4))
	require.Equal(t, first[10], d.mask(t, labelled(5000, 3000, 10, 2500), 4)[10])
}

func TestDropoutRate(t *testing.T) {
	for _, p := range []float32{0.1, 0.5, 0.9} {
		m := newDropped(t, "a", p, 1).mask(t, labelled(4000), 0)[4000]
		var zeros int
		for _, v := range m {
			if v == 0 {
				zeros++
				continue
			}
			require.Equal(t, 1/(1-p), v)
		}
		require.InDelta(t, p, float64(zeros)/float64(len(m)), 0.012, "four standard deviations")
	}
}

func TestDropoutIsForTraining(t *testing.T) {
	for _, c := range []struct {
		training bool
		p        float32
	}{{false, 0.5}, {true, 0}} {
		g := ops.NewGraph(newPool(t, 1), c.training)
		x := g.Leaf("x", g.Words(), 2, true)
		require.Same(t, x, ops.Dropout(x, "a", c.p))
	}
}

// The first rows of both layouts, by a calculator.
func TestPositionEncoding(t *testing.T) {
	for _, c := range []struct {
		name   string
		pos, d int
		base   float64
		layout ops.PositionLayout
		want   []float64
	}{
		{"the first position", 0, 6, 10000, ops.Interleaved, []float64{0, 1, 0, 1, 0, 1}},
		{"the first position, halves", 0, 6, 10000, ops.Halves, []float64{0, 0, 0, 1, 1, 1}},
		{"the second", 1, 4, 10000, ops.Interleaved, []float64{0.8414710, 0.5403023, 0.0099998, 0.9999500}},
		{"the second, halves", 1, 4, 10000, ops.Halves, []float64{0.8414710, 0.0001, 0.5403023, 1}},
		{"another base", 100, 4, 1000, ops.Interleaved, []float64{-0.5063656, 0.8623189, -0.0206835, -0.9997861}},
		{"an odd width", 2, 3, 10000, ops.Interleaved, []float64{0.9092974, -0.4161468, 0.0043089}},
		{"an odd width, halves", 2, 5, 10000, ops.Halves, []float64{0.9092974, 0.0002, -0.4161468, 1, 0}},
		{"one pair, halves", 2, 2, 10000, ops.Halves, []float64{0.9092974, -0.4161468}},
		{"one column", 2, 1, 10000, ops.Interleaved, []float64{0.9092974}},
		{"one column, halves", 2, 1, 10000, ops.Halves, []float64{0}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := make([]float32, c.d)
			for j := range got {
				got[j] = 99
			}
			ops.PositionEncoding(got, c.pos, c.d, c.base, c.layout)
			require.InDeltaSlice(t, c.want, got, 5e-7)
		})
	}
}

// PE(p+k) is a fixed linear map of PE(p): each pair turns by the same angle
// wherever it starts (Vaswani et al. 2017, 3.5).
func TestPositionsTurn(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const d = 50
		layout := rapid.SampledFrom([]ops.PositionLayout{ops.Interleaved, ops.Halves}).Draw(t, "layout")
		base := rapid.SampledFrom([]float64{1000, 10000}).Draw(t, "base")
		p, k := rapid.IntRange(0, 20000).Draw(t, "p"), rapid.IntRange(0, 3000).Draw(t, "k")
		from, to, by := make([]float32, d), make([]float32, d), make([]float32, d)
		ops.PositionEncoding(from, p, d, base, layout)
		ops.PositionEncoding(to, p+k, d, base, layout)
		ops.PositionEncoding(by, k, d, base, layout) // the sine and cosine of the turn
		for j := range d / 2 {
			s, c := 2*j, 2*j+1
			if layout == ops.Halves {
				s, c = j, d/2+j
			}
			sin, cos := float64(from[s]), float64(from[c])
			require.InDelta(t, sin*float64(by[c])+cos*float64(by[s]), to[s], 1e-6)
			require.InDelta(t, cos*float64(by[c])-sin*float64(by[s]), to[c], 1e-6)
			require.InDelta(t, 1, math.Hypot(sin, cos), 1e-6)
		}
	})
}

// Learned positions end where training ended; sinusoids do not.
func TestPositionsBeyondTheTable(t *testing.T) {
	g := ops.NewGraph(newPool(t, 1), false)
	x := g.Leaf("x", g.Words(), 2, false)
	learned := ops.AddPositions(x, weight(g, 256, 2))
	m := machine(t, g)
	run := func(lengths ...int) error {
		b := batch(lengths...)
		x.Set(ops.Mat{Rows: b.Words(), Cols: 2, Data: random("x", 2*b.Words())})
		return m.Run(b, 0)
	}
	require.NoError(t, run(256, 3))
	require.ErrorContains(t, run(3, 900), "positions: a review needs 900 positions, but 256 were learned (positions.max)")
	require.NoError(t, run(9), "afterwards it runs as before")
	require.Equal(t, random("x", 18), learned.Mat().Data)
}

// The gradient of the penalty λ·H reaches the query and the keys through the attention, in
// addition to the gradient of the classifier's loss. The formula for one query q,
// scores sᵢ = q·kᵢ and a loss Σ_b u·t̂_b of the attended sum t̂ = Σ αᵢ kᵢ:
//
//	∂sᵢ = αᵢ u·(kᵢ − t̂) − λ αᵢ (log αᵢ + H)
//	∂q = Σᵢ ∂sᵢ kᵢ        ∂kᵢ = ∂sᵢ q + αᵢ u
func TestEntropyPenalty(t *testing.T) {
	const d = 4
	b := batch(40, 7, 2, 1)
	for _, c := range []struct {
		lambda float32
		sum    bool
	}{{0.001, true}, {0.064, false}, {3, false}} {
		t.Run(fmt.Sprintf("λ %v, sum %v", c.lambda, c.sum), func(t *testing.T) {
			k, q, u := random("k", b.Words()*d), random("q", d), random("u", d)
			g := ops.NewGraph(newPool(t, 1), true)
			keys, query := g.Leaf("k", g.Words(), d, true), g.Param("q", 1, d, q)
			alpha, entropy := ops.Attend(query, keys, 1)
			loss := ops.Linear(ops.WeightedSum(alpha, keys), g.Param("u", d, 1, u), nil)
			cost := ops.Total(ops.Term{Node: loss, Weight: 1, Sum: true}, ops.Term{Node: entropy, Weight: c.lambda, Sum: c.sum})
			grads := must.Get(g.Grad(cost, query, keys))(t)
			m := machine(t, g)
			keys.Set(ops.Mat{Rows: b.Words(), Cols: d, Data: k})
			require.NoError(t, m.Run(b, 0))

			lambda := float64(c.lambda)
			if !c.sum {
				lambda /= float64(b.Len())
			}
			K, Q, U := wide(b.Words(), d, k), wide(1, d, q), wide(1, d, u)
			a, h := refAttend(b, Q, K, 1, ops.Softmax)
			that := refWeightedSum(b, a, K)
			dq, dk := newMat64(1, d), newMat64(b.Words(), d)
			var penalty float64
			for r := range b.Len() {
				penalty += lambda * h.at[r]
				for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
					ds := -lambda * (math.Log(a.at[i]) + h.at[r])
					for j := range d {
						ds += U.at[j] * (K.row(i)[j] - that.row(r)[j])
					}
					ds *= a.at[i]
					for j := range d {
						dq.at[j] += ds * K.row(i)[j]
						dk.row(i)[j] = ds*Q.at[j] + a.at[i]*U.at[j]
					}
				}
			}
			closeTo(t, dq.at, grads[0](), 2e-6)
			closeTo(t, dk.at, grads[1](), 2e-6)
			require.InDelta(t, penalty+sum(refLinear(that, mat64{d, 1, U.at}, nil).at), cost.Mat().Data[0], 2e-6*(1+penalty))
		})
	}
}

// Every word has the weight 1/n, on every level and for any number of workers. The weights
// have no gradient; only the values have one.
func TestUniform(t *testing.T) {
	old := simd.Current()
	defer func() { require.NoError(t, simd.Use(old)) }()
	b := batch(9, 1, 700, 4)
	for _, l := range simd.Levels() {
		require.NoError(t, simd.Use(l))
		for _, workers := range []int{1, 3} {
			g := ops.NewGraph(newPool(t, workers), true)
			x := g.Leaf("x", g.Words(), 2, true)
			a, h := ops.Uniform(x)
			sum := ops.WeightedSum(a, x)
			cost := ops.Total(ops.Term{Node: ops.Linear(sum, g.Param("u", 2, 1, []float32{1, -2}), nil), Weight: 1, Sum: true})
			grads := must.Get(g.Grad(cost, x))(t)
			m := machine(t, g)
			x.Set(ops.Mat{Rows: b.Words(), Cols: 2, Data: random("x", 2*b.Words())})
			require.NoError(t, m.Run(b, 0))
			exact := ops.NewExact()
			wide := must.Get(exact.Value(a))(t)
			logs := must.Get(exact.Value(h))(t)
			for r := range b.Len() {
				n := b.Offsets[r+1] - b.Offsets[r]
				require.InDelta(t, math.Log(float64(n)), h.Mat().Data[r], 1e-6)
				require.InDelta(t, math.Log(float64(n)), logs.Data[r], 1e-12)
				for i := b.Offsets[r]; i < b.Offsets[r+1]; i++ {
					require.Equal(t, 1/float32(n), a.Mat().Data[i])
					require.InDelta(t, 1/float64(n), wide.Data[i], 1e-15)
					require.Equal(t, []float32{1 / float32(n), -2 / float32(n)}, grads[0]().Row(i))
				}
			}
		}
	}
}

// Weights of attention that are as good as 0 cost nothing and have gradients.
func TestDivergenceOfZeros(t *testing.T) {
	g := ops.NewGraph(newPool(t, 1), true)
	p, q := g.Leaf("p", g.Words(), 1, true), g.Leaf("q", g.Words(), 1, true)
	d := ops.KL(p, q)
	_, h := ops.Imposed(p)
	grads := must.Get(g.Grad(ops.Total(ops.Term{Node: d, Weight: 1}, ops.Term{Node: h, Weight: 1}), p, q))(t)
	m := machine(t, g)
	p.Set(ops.Mat{Rows: 4, Cols: 1, Data: []float32{1, 0, 0, 0}})
	q.Set(ops.Mat{Rows: 4, Cols: 1, Data: []float32{0, 0, 0.5, 0.5}})
	require.NoError(t, m.Run(batch(4), 0))
	require.InDelta(t, -math.Log(1e-30), d.Mat().Data[0], 1e-4)
	require.Zero(t, h.Mat().Data[0])
	for _, g := range grads {
		for _, v := range g().Data {
			require.False(t, math.IsNaN(float64(v)) || math.IsInf(float64(v), 0))
		}
	}
}

// As a term of the cost, on weights that have another reader.
func TestHeadSimilarity(t *testing.T) {
	s := float32(math.Sqrt2 / 2)
	for _, c := range []struct {
		name  string
		heads int
		w     []float32 // [2, 4]
		want  float64
	}{
		{"one head", 1, []float32{1, 2, 3, 4, 5, 6, 7, 8}, 0},
		{"orthogonal", 2, []float32{1, 0, 0, 1, 0, 0, 0, 0}, 0},
		{"parallel", 2, []float32{1, 2, 2, 4, 3, 4, 6, 8}, 2},
		{"opposite", 2, []float32{1, 2, -1, -2, 3, 4, -3, -4}, 2},
		{"at 45 degrees", 2, []float32{1, 0, s, s, 0, 0, 0, 0}, 1},
		{"four heads, all parallel", 4, []float32{1, 2, 3, 4, 1, 2, 3, 4}, 12},
		{"a head of zeros", 2, []float32{0, 0, 1, 1, 0, 0, 1, 1}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			g := ops.NewGraph(newPool(t, 1), true)
			x := g.Leaf("x", g.Words(), 2, false)
			w := g.Param("w", 2, 4, c.w)
			loss := ops.CrossEntropy(ops.Mean(ops.Linear(x, w, nil)), 0, nil)
			likeness := ops.HeadSimilarity(w, c.heads)
			cost := ops.Total(ops.Term{Node: loss.Mean, Weight: 1}, ops.Term{Node: likeness, Weight: 0.5})
			grads := must.Get(g.Grad(cost, w))(t)
			m := machine(t, g)
			x.Set(ops.Mat{Rows: 3, Cols: 2, Data: []float32{1, 2, 3, 4, 5, 6}})
			require.NoError(t, m.Run(batch(2, 1), 0))
			require.InDelta(t, c.want, likeness.Mat().Data[0], 1e-6)
			require.InDelta(t, float64(loss.Mean.Mat().Data[0])+c.want/2, cost.Mat().Data[0], 1e-6)
			for _, v := range grads[0]().Data {
				require.False(t, math.IsNaN(float64(v)))
			}
		})
	}
}
