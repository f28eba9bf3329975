package ops_test

import (
	"encoding/binary"
	"fmt"
	"hash"
	"hash/fnv"
	"math"
	"runtime"
	"slices"
	"strings"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"

	"github.com/stretchr/testify/require"
)

// attending is a graph of nothing but attention, with its inputs.
type attending struct {
	g       *ops.Graph
	machine *ops.Machine
	q, k, v *ops.Node
	out, h  *ops.Node
	grads   []func() ops.Mat
	data    [3][]float32
}

func attendingWith(t testing.TB, workers int, training bool, dk, dv int, o ops.SelfAttention) *attending {
	a := &attending{g: ops.NewGraph(newPool(t, workers), training)}
	a.g.Seed(seed)
	a.q, a.k = a.g.Leaf("q", a.g.Words(), o.Heads*dk, true), a.g.Leaf("k", a.g.Words(), o.Heads*dk, true)
	a.v = a.g.Leaf("v", a.g.Words(), o.Heads*dv, true)
	a.out, a.h = ops.SelfAttend(a.q, a.k, a.v, o)
	require.NoError(t, a.g.Err())
	cost := ops.Total(
		ops.Term{Node: ops.Linear(ops.Mean(a.out), a.g.Param("w", o.Heads*dv, 1, random("w", o.Heads*dv)), nil), Weight: 1},
		ops.Term{Node: ops.Linear(a.h, a.g.Param("u", o.Heads, 1, random("u", o.Heads)), nil), Weight: 1})
	var err error
	if training {
		a.grads, err = a.g.Grad(cost, a.q, a.k, a.v)
		require.NoError(t, err)
	}
	a.machine = machine(t, a.g)
	return a
}

func (a *attending) set(b *ragged.Batch) {
	for i, n := range []*ops.Node{a.q, a.k, a.v} {
		a.data[i] = random(fmt.Sprint("in", i), b.Words()*n.Cols())
		n.Set(ops.Mat{Rows: b.Words(), Cols: n.Cols(), Data: a.data[i]})
	}
}

func (a *attending) run(t testing.TB, b *ragged.Batch) {
	a.set(b)
	require.NoError(t, a.machine.Run(b, step))
}

// attention runs attention once on inputs of a width, and returns its values, its entropies and the
// gradients of a cost by the inputs. data returns the numbers of an input.
func attention(t *testing.T, workers, width int, b *ragged.Batch, o ops.SelfAttention, data func(input int) []float32,
	cost func(in []*ops.Node, y, h *ops.Node, project func(name string, x *ops.Node) *ops.Node) *ops.Node) (y, h []float32, grads [][]float32) {
	g := ops.NewGraph(newPool(t, workers), true)
	var in []*ops.Node
	for _, name := range []string{"q", "k", "v"} {
		in = append(in, g.Leaf(name, g.Words(), width, true))
	}
	out, entropy := ops.SelfAttend(in[0], in[1], in[2], o)
	each, err := g.Grad(cost(in, out, entropy, func(name string, x *ops.Node) *ops.Node {
		return ops.Linear(x, g.Param(name, x.Cols(), 1, random(name, x.Cols())), nil)
	}), in...)
	require.NoError(t, err)
	m := machine(t, g)
	for i, x := range in {
		x.Set(ops.Mat{Rows: b.Words(), Cols: width, Data: data(i)})
	}
	require.NoError(t, m.Run(b, 0))
	for _, of := range each {
		grads = append(grads, slices.Clone(of().Data))
	}
	return out.Mat().Data, entropy.Mat().Data, grads
}

// hashBits adds the bits of numbers to a hash.
func hashBits(h hash.Hash, values []float32) {
	for _, v := range values {
		h.Write(binary.LittleEndian.AppendUint32(nil, math.Float32bits(v)))
	}
}

// A row of P and the sums of its columns, whether the graph is trained or not,
// against the whole matrix; with it follow the values and the entropy.
func TestAttentionRow(t *testing.T) {
	const heads, dk, dv = 2, 3, 2
	for _, o := range []ops.SelfAttention{
		{Heads: heads, Scale: 2},
		{Heads: heads, Scale: 2, Dropout: 0.4}, // which a row leaves out
		{Heads: heads, Scale: 2, OverQueries: true},
		{Heads: heads, Scale: 2, Causal: true},
	} {
		for _, training := range []bool{false, true} {
			t.Run(fmt.Sprintf("%+v, training %v", o, training), func(t *testing.T) {
				a := attendingWith(t, 2, training, dk, dv, o)
				row := make([]float32, 5)
				require.ErrorContains(t, a.out.AttentionRow(row, 0, 0, 0), "has not run")
				b := batch(5, 1, 300)
				a.run(t, b)
				some := func(n int) int { return (2*n + 2) / 3 }
				received := make([]float32, heads*b.Words())
				require.NoError(t, a.out.AttentionReceived(received, func(r int) int { return some(b.Offsets[r+1] - b.Offsets[r]) }))
				q, k := wide(b.Words(), heads*dk, a.data[0]), wide(b.Words(), heads*dk, a.data[1])
				for r := range b.Len() {
					lo, n := b.Offsets[r], b.Offsets[r+1]-b.Offsets[r]
					for h := range heads {
						s := newMat64(n, n)
						for i := range n {
							for j := range n {
								for c := h * dk; c < (h+1)*dk; c++ {
									s.row(i)[j] += 2 * q.row(lo + i)[c] * k.row(lo + j)[c]
								}
								if o.Causal && j > i {
									s.row(i)[j] = math.Inf(-1)
								}
							}
						}
						p, _ := refNormalise(s, o.OverQueries)
						wanted := newMat64(1, n)
						for i := range some(n) {
							for j, v := range p.row(i) {
								wanted.row(0)[j] += v
							}
						}
						closeTo(t, wanted.row(0), ops.Mat{Rows: 1, Cols: n, Data: received[h*b.Words()+lo:][:n]}, 2e-6)
						for i := range n {
							row = make([]float32, n)
							require.NoError(t, a.out.AttentionRow(row, r, h, i))
							closeTo(t, p.row(i), ops.Mat{Rows: 1, Cols: n, Data: row}, 2e-6)
						}
					}
				}
			})
		}
	}
}

func TestAttentionRowErrors(t *testing.T) {
	a := attendingWith(t, 1, false, 2, 2, ops.SelfAttention{Heads: 1, Scale: 1})
	a.run(t, batch(3, 2))
	three := make([]float32, 3)
	require.NoError(t, a.h.AttentionRow(three, 0, 0, 2))
	for _, at := range [][3]int{{2, 0, 0}, {-1, 0, 0}, {0, 1, 0}, {0, -1, 0}, {0, 0, 3}, {0, 0, -1}} {
		require.ErrorContains(t, a.out.AttentionRow(three, at[0], at[1], at[2]), "no query")
	}
	require.ErrorContains(t, a.out.AttentionRow(three, 1, 0, 0), "3 places for the weights of 2 keys")
	require.ErrorContains(t, a.q.AttentionRow(three, 0, 0, 0), "not a result of attention")

	five := make([]float32, 5)
	require.NoError(t, a.h.AttentionReceived(five, func(int) int { return 0 }))
	require.ErrorContains(t, a.h.AttentionReceived(three, func(int) int { return 1 }), "3 places for 5 keys")
	require.ErrorContains(t, a.h.AttentionReceived(five, func(int) int { return 3 }), "3 queries of review 1, which has 2")
	require.ErrorContains(t, a.q.AttentionReceived(five, func(int) int { return 1 }), "not a result of attention")
}

func TestAttentionMistakes(t *testing.T) {
	good := ops.SelfAttention{Heads: 2, Scale: 1}
	with := func(f func(*ops.SelfAttention)) ops.SelfAttention { o := good; f(&o); return o }
	for _, c := range []struct {
		want       string
		q, k, v    int // widths
		o          ops.SelfAttention
		fronted    bool // the queries' axis
		selfAttend bool
	}{
		{want: "do not share", q: 4, k: 6, v: 4, o: good},
		{want: "do not share", q: 3, k: 3, v: 4, o: good},
		{want: "do not share", q: 4, k: 4, v: 3, o: good},
		{want: "0 heads", q: 4, k: 4, v: 4, o: with(func(o *ops.SelfAttention) { o.Heads = 0 })},
		{want: "scale is 0", q: 4, k: 4, v: 4, o: with(func(o *ops.SelfAttention) { o.Scale = 0 })},
		{want: "scale is NaN", q: 4, k: 4, v: 4, o: with(func(o *ops.SelfAttention) { o.Scale = float32(math.NaN()) })},
		{want: "dropout 1 ", q: 4, k: 4, v: 4, o: with(func(o *ops.SelfAttention) { o.Dropout = 1 })},
		{want: "causal", q: 4, k: 4, v: 4, o: with(func(o *ops.SelfAttention) { o.Causal, o.OverQueries = true, true })},
		{want: "causal", q: 4, k: 4, v: 4, o: with(func(o *ops.SelfAttention) { o.Causal = true }), fronted: true},
		{want: "different axes", q: 4, k: 4, v: 4, o: good, fronted: true, selfAttend: true},
	} {
		t.Run(c.want, func(t *testing.T) {
			g := ops.NewGraph(newPool(t, 1), true)
			axis := g.Words()
			if c.fronted {
				axis = axis.Fronted()
			}
			q, k, v := g.Leaf("q", axis, c.q, true), g.Leaf("k", g.Words(), c.k, true), g.Leaf("v", g.Words(), c.v, true)
			if c.selfAttend {
				ops.SelfAttend(q, k, v, c.o)
			} else {
				ops.Attention(q, k, v, c.o)
			}
			require.ErrorContains(t, g.Err(), c.want)
		})
	}
}

// A word alone attends to itself, whatever its score.
func TestOneWord(t *testing.T) {
	for _, over := range []bool{false, true} {
		a := attendingWith(t, 1, true, 1, 2, ops.SelfAttention{Heads: 1, Scale: 1, OverQueries: over})
		a.q.Set(ops.Mat{Rows: 2, Cols: 1, Data: []float32{1e20, 3}})
		a.k.Set(ops.Mat{Rows: 2, Cols: 1, Data: []float32{-1e15, 1e10}})
		a.v.Set(ops.Mat{Rows: 2, Cols: 2, Data: []float32{1, 2, 3, 4}})
		require.NoError(t, a.machine.Run(batch(1, 1), step))
		require.Equal(t, []float32{1, 2, 3, 4}, a.out.Mat().Data)
		require.Equal(t, []float32{0, 0}, a.h.Mat().Data)
		w := random("w", 2)
		simd.Scale(w, 0.5) // the mean of two reviews
		require.Equal(t, append(w, w...), a.grads[2]().Data)
	}
}

// Scores of which only differences can be computed: the words of a review that is
// longer than a tile all attend to the one of the largest score, wherever it is.
func TestSelfAttendExtremes(t *testing.T) {
	const n = 300
	for _, at := range []int{0, 150, n - 1} {
		a := attendingWith(t, 2, true, 1, 1, ops.SelfAttention{Heads: 1, Scale: 1})
		q, k, v := make([]float32, n), make([]float32, n), make([]float32, n)
		for i := range n {
			q[i], k[i], v[i] = 1e10, -1e20, float32(i)
		}
		k[at] = 1e20
		for i, x := range []*ops.Node{a.q, a.k, a.v} {
			x.Set(ops.Mat{Rows: n, Cols: 1, Data: [][]float32{q, k, v}[i]})
		}
		require.NoError(t, a.machine.Run(batch(n), step))
		require.Zero(t, a.h.Mat().Data[0])
		for _, o := range a.out.Mat().Data {
			require.Equal(t, float32(at), o)
		}
		for i, grad := range a.grads {
			for j, g := range grad().Data {
				require.False(t, math.IsNaN(float64(g)), "input %d, %d", i, j)
			}
		}
	}
}

// Dropout changes the values only in training, with a different mask in each
// step and head, and does not change their mean or the entropy.
func TestAttentionDropout(t *testing.T) {
	const n, p = 700, 0.3
	o := ops.SelfAttention{Heads: 2, Scale: 1, Dropout: p, Name: "test"}
	b := batch(n)
	run := func(training bool, step uint64) (out, h []float32) {
		a := attendingWith(t, 2, training, 2, 1, o)
		a.set(b)
		simd.Fill(a.data[2], 1)
		require.NoError(t, a.machine.Run(b, step))
		return append([]float32(nil), a.out.Mat().Data...), append([]float32(nil), a.h.Mat().Data...)
	}
	plain, h := run(false, 1)
	for _, v := range plain {
		require.InDelta(t, 1, v, 1e-5)
	}
	thinned, h1 := run(true, 1)
	require.Equal(t, h, h1)
	var mean [2]float64
	same := 0
	for i, v := range thinned {
		mean[i%2] += float64(v) / n
		if i%2 == 1 && v == thinned[i-1] {
			same++
		}
	}
	// The sum of a row's weights has the deviation √(p/(1−p)·Σpᵢⱼ²), here over n rows.
	for _, m := range mean {
		require.InDelta(t, 1, m, 6*math.Sqrt(p/(1-p)*2/n/n))
	}
	require.Less(t, same, n/20)
	again, _ := run(true, 1)
	require.Equal(t, thinned, again)
	next, _ := run(true, 2)
	require.NotEqual(t, thinned, next)
}

// What a step allocates does not depend on the length of its reviews, and so on
// the number of tiles, tasks and slices.
func TestSelfAttendAllocations(t *testing.T) {
	countsAllocations(t)
	for _, o := range []ops.SelfAttention{
		{Heads: 2, Scale: 1}, {Heads: 2, Scale: 1, OverQueries: true}, {Heads: 2, Scale: 1, Dropout: 0.1, Causal: true},
	} {
		a := attendingWith(t, 1, true, 8, 8, o)
		steps := func(b *ragged.Batch) float64 {
			a.set(b)
			return testing.AllocsPerRun(5, func() {
				if err := a.machine.Run(b, step); err != nil {
					t.Fatal(err)
				}
			})
		}
		b := batch(650, 300, 3)                                               // in as many shards as the other one
		require.InDelta(t, steps(b), steps(batch(1300, 150, 3)), 5, "%+v", o) // there are 80 tiles more
	}
}

// One review of 20 000 words, width 50, trains in three layers under 1 GiB: all
// that is allocated from the first to the last, used again or not. A shorter one, where
// there is no time, shows as well that memory does not grow with the square.
func TestLongReview(t *testing.T) {
	const width, layers = 50, 3
	n := sizes(20000, 3000, 1000)
	if simd.Best() == simd.Portable {
		n = 1000 // a hundred times as slow
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	g := ops.NewGraph(newPool(t, 2), true)
	x := g.Leaf("x", g.Words(), width, false)
	var weights []*ops.Node
	y := x
	for l := range layers {
		w := func(name string) *ops.Node {
			p := g.Param(name, width, width, random(fmt.Sprint(name, l), width*width))
			weights = append(weights, p)
			return ops.Linear(y, p, nil)
		}
		y, _ = ops.SelfAttend(w("q"), w("k"), w("v"), ops.SelfAttention{Heads: 1, Scale: 0.14})
	}
	cost := ops.Total(ops.Term{Node: ops.Linear(ops.Mean(y), g.Param("w", width, 1, random("w", width)), nil), Weight: 1})
	grads := must.Get(g.Grad(cost, weights...))(t)
	m := machine(t, g)
	x.Set(ops.Mat{Rows: n, Cols: width, Data: random("x", n*width)})
	require.NoError(t, m.Run(batch(n), step))
	runtime.ReadMemStats(&after)
	used := after.TotalAlloc - before.TotalAlloc
	t.Logf("%d words, %d layers: %d MiB", n, layers, used>>20)
	require.Less(t, used, uint64(1)<<30)
	require.Less(t, used, uint64(n*width*4*layers*20), "it grows faster than the review")
	for _, grad := range grads {
		require.False(t, math.IsNaN(float64(simd.Sum(grad().Data))))
	}
}

// The bits of values and gradients on the CPU where they were written: with other levels, compilers
// and purego. The second is a softmax over the queries of a long review, pinned where its scores were
// computed a tile at a time.
func TestAttentionBitsArePinned(t *testing.T) {
	for _, x := range []struct {
		only string // cases with this in their name
		b    *ragged.Batch
		want uint64
	}{
		{"", batch(270, 1, 129, 2), 0x6a2bdfdb8d3e2908},
		{"queries", batch(1300, 3), 0x1a5eac09590f7caa},
	} {
		h := fnv.New64a()
		for _, c := range attentionCases {
			if strings.Contains(c.name, x.only) {
				n := assemble(t, c, newPool(t, 2), all)
				n.run(t, x.b)
				for _, m := range n.mats()[1:] { // the cost goes through other ops
					hashBits(h, m.Data)
				}
			}
		}
		require.Equal(t, x.want, h.Sum64(), x.only)
	}
}

// Rows at the end of a review that are copies, as padding is, are computed once: with the
// bits, pinned where each was computed by itself, with any number of workers and at every
// level. Keys and values may end in fewer copies than queries, or in none.
func TestAttentionToCopiesBitsArePinned(t *testing.T) {
	b := batch(700, 300, 140, 2, 1)
	run := func(workers int, copies [3]int, o ops.SelfAttention) []float32 {
		y, h, grads := attention(t, workers, 6, b, o, func(i int) []float32 {
			data := random("qkv"[i:i+1], 6*b.Words())
			for r := range b.Len() {
				for j := b.Offsets[r] + max((b.Offsets[r+1]-b.Offsets[r])*copies[i]/8, 1); j < b.Offsets[r+1]; j++ {
					copy(data[6*j:6*j+6], data[6*j-6:])
				}
			}
			return data
		}, func(in []*ops.Node, y, h *ops.Node, project func(string, *ops.Node) *ops.Node) *ops.Node {
			terms := []ops.Term{{Node: h, Weight: 0.3}}
			for i, x := range append(in, ops.Dropout(y, "test", 0.5)) { // each copy has another gradient
				terms = append(terms, ops.Term{Node: project(fmt.Sprint("w", i), ops.Mean(x)), Weight: 1})
			}
			return ops.Total(terms...)
		})
		return slices.Concat(append([][]float32{y, h}, grads...)...)
	}
	hash := fnv.New64a()
	for i, c := range []struct {
		copies [3]int
		o      ops.SelfAttention
	}{
		{[3]int{3, 3, 3}, ops.SelfAttention{Heads: 2, Scale: 0.5, OverQueries: true}},
		{[3]int{8, 1, 2}, ops.SelfAttention{Heads: 1, Scale: 0.5, OverQueries: true}},
		{[3]int{2, 0, 8}, ops.SelfAttention{Heads: 1, Scale: 0.5, OverQueries: true}},
		{[3]int{3, 3, 3}, ops.SelfAttention{Heads: 1, Scale: 0.5, OverQueries: true, Dropout: 0.3}},
	} {
		got := run(1, c.copies, c.o)
		for workers := 2; workers <= sizes(5, 3, 3); workers++ {
			require.Equal(t, got, run(workers, c.copies, c.o))
		}
		if i == 0 {
			everyLevel(t, func(l simd.Level) { require.Equal(t, got, run(2, c.copies, c.o), l) })
		}
		hashBits(hash, got)
	}
	require.Equal(t, uint64(0x9f2731d3ae669dff), hash.Sum64())
}

// If only the first value of a review is read, that value, all entropies and the gradients
// have the same bits as with the other values, which are zero.
func TestAttentionOfTheFirstAlone(t *testing.T) {
	b := batch(300, 140, 1)
	for _, o := range []ops.SelfAttention{
		{Heads: 2, Scale: 0.5}, {Heads: 2, Scale: 0.5, Causal: true, Dropout: 0.3},
		{Heads: 1, Scale: 0.5, OverQueries: true}, {Heads: 2, Scale: 0.5, OverQueries: true, Dropout: 0.3},
	} {
		run := func(workers int, only bool) (out, entropy []float32, grads [][]float32) {
			o.Name, o.FirstOnly = "test", only
			return attention(t, workers, 4, b, o, inputs(4, b), func(_ []*ops.Node, y, h *ops.Node, project func(string, *ops.Node) *ops.Node) *ops.Node {
				return ops.Total(ops.Term{Node: project("w", ops.First(y)), Weight: 1}, ops.Term{Node: h, Weight: 0.3})
			})
		}
		out, entropy, grads := run(2, false)
		for workers := 1; workers <= sizes(5, 3, 3); workers++ {
			only, e, g := run(workers, true)
			require.Equal(t, entropy, e)
			require.Equal(t, grads, g)
			for r, lo := range b.Offsets[:b.Len()] {
				require.Equal(t, out[4*lo:4*lo+4], only[4*lo:4*lo+4], "review %d", r)
				require.Equal(t, make([]float32, 4*(b.Offsets[r+1]-lo-1)), only[4*lo+4:4*b.Offsets[r+1]], "review %d", r)
			}
		}
	}
}

// inputs returns random numbers for the inputs of attention.
func inputs(width int, b *ragged.Batch) func(input int) []float32 {
	return func(i int) []float32 { return random("qkv"[i:i+1], width*b.Words()) }
}

// Queries without a gradient are skipped: reading only the first result gives the same as
// reading all with tiny gradients for the others.
func TestAttentionWithoutGradients(t *testing.T) {
	b := batch(300, 140, 1)
	for _, o := range []ops.SelfAttention{{Heads: 2, Scale: 0.5}, {Heads: 1, Scale: 0.5, OverQueries: true}, {Heads: 2, Scale: 0.5, Causal: true}} {
		run := func(others float32) [][]float32 {
			_, _, grads := attention(t, 2, 4, b, o, inputs(4, b), func(_ []*ops.Node, y, _ *ops.Node, project func(string, *ops.Node) *ops.Node) *ops.Node {
				terms := []ops.Term{{Node: project("w", ops.First(y)), Weight: 1}}
				if others != 0 {
					terms = append(terms, ops.Term{Node: project("w", ops.Mean(y)), Weight: others})
				}
				return ops.Total(terms...)
			})
			return grads
		}
		// The smallest gradient elsewhere makes every tile count, and is lost in the sums.
		first, all := run(0), run(1e-12)
		for i := range first {
			requireNear(t, all[i], first[i], 1e-9, "input %d", i)
		}
	}
}
