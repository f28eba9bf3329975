package ops_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/testkit/must"
)

func TestPoolRunsEachShardOnce(t *testing.T) {
	for _, workers := range []int{1, 2, 4, 7} {
		pool := newPool(t, workers)
		require.Equal(t, workers, pool.Workers())
		for _, n := range []int{0, 1, 3, 16, 1000} {
			count := make([]atomic.Int32, n)
			require.NoError(t, pool.For(n, func(shard int) { count[shard].Add(1) }))
			for i := range count {
				require.Equal(t, int32(1), count[i].Load())
			}
		}
	}
	pool := newPool(t, 0)
	require.Positive(t, pool.Workers())
}

// A call inside a call may find every worker busy; it must not wait for them.
func TestPoolNests(t *testing.T) {
	pool := newPool(t, 3)
	var sum atomic.Int64
	require.NoError(t, pool.For(8, func(a int) {
		if err := pool.For(8, func(b int) { sum.Add(int64(8*a + b)) }); err != nil {
			panic(err)
		}
	}))
	require.Equal(t, int64(64*63/2), sum.Load())
}

// Several graphs may share a pool.
func TestPoolServesSeveralCallers(t *testing.T) {
	pool := newPool(t, 3)
	done := make(chan int64)
	for range 4 {
		go func() {
			var sum atomic.Int64
			for range 200 {
				if err := pool.For(5, func(i int) { sum.Add(int64(i)) }); err != nil {
					sum.Add(-1)
				}
			}
			done <- sum.Load()
		}()
	}
	for range 4 {
		require.Equal(t, int64(200*10), <-done)
	}
}

func TestPoolPanics(t *testing.T) {
	pool := newPool(t, 2)
	for range 3 {
		var ran atomic.Int32
		err := pool.For(9, func(shard int) {
			ran.Add(1)
			if shard == 4 {
				panic("oh")
			}
		})
		require.ErrorContains(t, err, "shard 4: internal error: oh")
		require.ErrorContains(t, err, "pool_test.go", "where it was")
		require.Equal(t, int32(9), ran.Load(), "the others still run")
		require.NoError(t, pool.For(9, func(int) {}))
	}
	pool.Close()
	pool.Close()
}

// Shards are whole reviews in order, each at least one, and the same for the
// same lengths.
func TestShards(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(1, 6000), 1, 80).Draw(t, "lengths")
		b := batch(lengths...)
		s := ops.NewSeq()
		s.Set(b.Offsets)
		cuts := append([]int(nil), ops.Cuts(s)...)
		require.Equal(t, b.Words(), s.Len())
		require.Equal(t, b.Len(), s.Reviews().Len())
		require.Equal(t, 0, cuts[0])
		require.Equal(t, b.Words(), cuts[len(cuts)-1])
		maxShards := max(1, min(3, b.Words()/256), b.Words()/2048)
		require.LessOrEqual(t, len(cuts)-1, min(16, maxShards, b.Len()))
		next := 0
		for _, c := range cuts[1:] {
			start := next
			for next < len(b.Offsets) && b.Offsets[next] < c {
				next++
			}
			require.Equal(t, c, b.Offsets[next], "a cut inside a review")
			require.Greater(t, next, start)
		}
		s.Set(batch(1).Offsets)
		s.Set(b.Offsets)
		require.Equal(t, cuts, ops.Cuts(s))
	})
}

// Pieces are all rows, each once, and no more than a worker takes at a time.
func TestRowwise(t *testing.T) {
	pool := newPool(t, 3)
	for _, rows := range []int{0, 1, 511, 512, 513, 1025, 5000} {
		count := make([]atomic.Int32, rows)
		var pieces atomic.Int32
		require.NoError(t, pool.Rowwise(rows, func(lo, hi int) {
			require.Less(t, lo, hi)
			pieces.Add(1)
			for i := lo; i < hi; i++ {
				count[i].Add(1)
			}
		}))
		for i := range count {
			require.Equal(t, int32(1), count[i].Load())
		}
		require.Equal(t, int32((rows+511)/512), pieces.Load())
	}
}

// The group with the longest review comes first, though each has as many words.
func TestHeaviestFirst(t *testing.T) {
	s := ops.NewSeq()
	var lengths []int
	for range 16 {
		lengths = append(lengths, 128)
	}
	lengths = append(append(lengths, 2048, 1024, 1024), lengths...)
	s.Set(batch(lengths...).Offsets)
	require.Equal(t, []int{0, 2048, 4096, 6144, 8192}, ops.Cuts(s))
	require.Equal(t, []int{1, 2, 0, 3}, ops.Turns(s, 4))
	require.Equal(t, []int{0, 1}, ops.Turns(s, 2))
	require.Equal(t, []int{0}, ops.Turns(s, 1))
}

// A stopped pool skips the shards that have not begun.
func TestPoolStops(t *testing.T) {
	p := newPool(t, 2)
	var ran atomic.Int64
	err := p.For(1000, func(int) {
		p.Stop()
		ran.Add(1)
	})
	require.ErrorIs(t, err, ops.ErrStopped)
	require.ErrorIs(t, err, context.Canceled)
	require.LessOrEqual(t, ran.Load(), int64(2))
}

// The derived axes follow their parent from batch to batch, and one another.
func TestDerivedAxes(t *testing.T) {
	words := ops.NewSeq()
	fronted, padded := words.Fronted(), words.Padded()
	both, other := fronted.Padded(), padded.Fronted()
	require.Same(t, fronted, words.Fronted(), "the same one at each call")
	require.Same(t, padded, words.Padded())
	require.Same(t, padded, padded.Padded(), "even already")
	require.Same(t, other, other.Padded())
	rapid.Check(t, func(t *rapid.T) {
		lengths := rapid.SliceOfN(rapid.IntRange(1, 900), 1, 80).Draw(t, "lengths")
		b := batch(lengths...)
		words.Set(b.Offsets)
		for _, c := range []struct {
			axis   *ops.Seq
			length func(n int) int
		}{
			{words, func(n int) int { return n }},
			{fronted, func(n int) int { return n + 1 }},
			{padded, func(int) int { return longest(b) }},
			{both, func(int) int { return longest(b) + 1 }},
			{other, func(int) int { return longest(b) + 1 }},
		} {
			require.Equal(t, words.Reviews(), c.axis.Reviews(), "what belongs to a review fits all axes")
			require.Len(t, c.axis.Offsets, len(lengths)+1)
			for r, n := range lengths {
				require.Equal(t, c.length(n), c.axis.Offsets[r+1]-c.axis.Offsets[r])
			}
			require.Equal(t, c.axis.Offsets[len(lengths)], c.axis.Len())
			cuts := ops.Cuts(c.axis)
			require.Equal(t, c.axis.Len(), cuts[len(cuts)-1])
		}
	})
}

// An axis with followers is cut like one without.
func TestDerivedAxesLeaveTheirParent(t *testing.T) {
	b := longTail(9000)
	alone, parent := ops.NewSeq(), ops.NewSeq()
	parent.Fronted()
	parent.Padded()
	alone.Set(b.Offsets)
	parent.Set(b.Offsets)
	require.Equal(t, ops.Cuts(alone), ops.Cuts(parent))
}

// A panic in a kernel, in the pool's workers or outside, forwards or backwards,
// becomes an error that names the op; afterwards the machine runs as before.
func TestPanicsBecomeErrors(t *testing.T) {
	for _, c := range []struct {
		name string
		ops.Fault
		want string
	}{
		{"forward", ops.Fault{Forward: true}, "faulty: internal error: struck"},
		{"forward in the pool", ops.Fault{Forward: true, InPool: true}, "faulty: shard 3: internal error: struck"},
		{"backward", ops.Fault{Backward: true}, "faulty.backward: internal error: struck"},
		{"backward in the pool", ops.Fault{Backward: true, InPool: true}, "faulty, backward: shard 3: internal error: struck"},
	} {
		t.Run(c.name, func(t *testing.T) {
			var fault ops.Fault
			g := ops.NewGraph(newPool(t, 2), true)
			x := g.Leaf("x", g.Words(), 2, true)
			cost := ops.Total(ops.Term{Node: ops.Linear(ops.Faulty(x, &fault), g.Param("w", 2, 1, []float32{1, 2}), nil), Weight: 1})
			grads := must.Get(g.Grad(cost, x))(t)
			m := machine(t, g)
			b := batch(1, 1)
			x.Set(ops.Mat{Rows: 2, Cols: 2, Data: []float32{1, 2, 3, 4}})
			for range 3 {
				fault = ops.Fault{}
				require.NoError(t, m.Run(b, 0))
				require.Equal(t, float32(8), cost.Mat().Data[0])
				require.Equal(t, []float32{0.5, 1, 0.5, 1}, grads[0]().Data)
				fault = c.Fault
				err := m.Run(b, 0)
				require.ErrorContains(t, err, c.want)
				require.NotContains(t, err.Error(), "instruction", "gorgonia's own notes")
			}
		})
	}
}

// A batch that does not hold together is refused before any kernel sees it.
func TestRunRefuses(t *testing.T) {
	g := ops.NewGraph(newPool(t, 1), true)
	x := g.Leaf("x", g.Words(), 2, true)
	loss := ops.CrossEntropy(ops.Mean(x), 0, nil)
	m := machine(t, g)
	for _, c := range []struct {
		name string
		b    ragged.Batch
		want string
	}{
		{"nothing", ragged.Batch{}, "do not fit together"},
		{"no reviews", ragged.Batch{Offsets: []int{0}}, "do not fit together"},
		{"labels missing", ragged.Batch{Offsets: []int{0, 3}, Reviews: []int32{0}}, "do not fit together"},
		{"reviews missing", ragged.Batch{Offsets: []int{0, 3}, Labels: []int32{0}}, "do not fit together"},
		{"an offset too high", ragged.Batch{Offsets: []int{1, 3}, Reviews: []int32{0}, Labels: []int32{0}}, "do not fit together"},
		{"no words", ragged.Batch{Offsets: []int{0, 3, 3}, Reviews: []int32{8, 9}, Labels: []int32{0, 0}}, "review 9 has no words"},
		{"offsets falling", ragged.Batch{Offsets: []int{0, 4, 3}, Reviews: []int32{8, 9}, Labels: []int32{0, 0}}, "review 9 has no words"},
		{"another batch's words", ragged.Batch{Offsets: []int{0, 4}, Reviews: []int32{8}, Labels: []int32{0}}, "set to 3 rows, the batch has 4"},
		{"a place missing", ragged.Batch{Offsets: []int{0, 3}, Reviews: []int32{8}, Labels: []int32{0}, Order: []int32{}}, "0 places of 1 reviews"},
		{"a place too high", ragged.Batch{Offsets: []int{0, 3}, Reviews: []int32{8}, Labels: []int32{0}, Order: []int32{1}}, "review 0 cannot have been drawn at place 1 of 1"},
		{"a place twice", ragged.Batch{Offsets: []int{0, 1, 3}, Reviews: []int32{8, 9}, Labels: []int32{0, 0}, Order: []int32{1, 1}}, "review 1 cannot have been drawn at place 1 of 2"},
		{"a class too many", ragged.Batch{Offsets: []int{0, 3}, Reviews: []int32{8}, Labels: []int32{2}}, "cross-entropy: label 2 of review 8, but 2 classes"},
	} {
		t.Run(c.name, func(t *testing.T) {
			x.Set(ops.Mat{Rows: 3, Cols: 2, Data: make([]float32, 6)})
			require.ErrorContains(t, m.Run(&c.b, 0), c.want)
			require.NoError(t, m.Run(&ragged.Batch{Offsets: []int{0, 3}, Reviews: []int32{8}, Labels: []int32{1}}, 0))
			require.InDelta(t, 0.6931472, loss.Mean.Mat().Data[0], 1e-6)
		})
	}
}

// The losses of single reviews are for reading only.
func TestOnlyTheMeanLossCounts(t *testing.T) {
	g := ops.NewGraph(newPool(t, 1), true)
	x := g.Leaf("x", g.Words(), 2, true)
	loss := ops.CrossEntropy(ops.Mean(x), 0, nil)
	must.Get(g.Grad(ops.Total(ops.Term{Node: loss.Mean, Weight: 1}, ops.Term{Node: loss.Each, Weight: 1}), x))(t)
	m := machine(t, g)
	x.Set(ops.Mat{Rows: 3, Cols: 2, Data: make([]float32, 6)})
	require.ErrorContains(t, m.Run(batch(3), 0), "only the mean can be part of a cost")
}

// Errors in building a graph stick and say what does not fit.
func TestBuildErrors(t *testing.T) {
	for _, c := range []struct {
		want  string
		build func(g *ops.Graph, x *ops.Node)
	}{
		{"linear: x is [·, 4], W [3, 2]", func(g *ops.Graph, x *ops.Node) { ops.Linear(x, weight(g, 3, 2), nil) }},
		{"linear: x is [·, 4], W [4, 2]", func(g *ops.Graph, x *ops.Node) { ops.Linear(x, weight(g, 4, 2), weight(g, 1, 3)) }},
		{"mean: needs one row a word", func(g *ops.Graph, x *ops.Node) { ops.Mean(ops.Mean(x)) }},
		{"attend: query [·, 3], keys [·, 4]", func(g *ops.Graph, x *ops.Node) { ops.Attend(weight(g, 1, 3), x, 1) }},
		{"attend: the query needs one row", func(g *ops.Graph, x *ops.Node) { ops.Attend(weight(g, 2, 4), x, 1) }},
		{"attend: the query needs one row", func(g *ops.Graph, x *ops.Node) { ops.Attend(ops.Tanh(x), x, 1) }},
		{"weighted sum: weights and values differ", func(g *ops.Graph, x *ops.Node) { ops.WeightedSum(weight(g, 1, 1), x) }},
		{"weighted sum: weights and values differ", func(g *ops.Graph, x *ops.Node) { ops.WeightedSum(ops.Tanh(x), x) }},
		{"concat: the rows differ", func(g *ops.Graph, x *ops.Node) { ops.Concat(x, ops.Mean(x)) }},
		{"concat: one node given twice", func(g *ops.Graph, x *ops.Node) { ops.Concat(x, x) }},
		{"lstm: x [·, 4], Wx [4, 8], Wh [3, 12]", func(g *ops.Graph, x *ops.Node) {
			ops.LSTM(x, weight(g, 4, 8), weight(g, 3, 12), weight(g, 1, 12), false)
		}},
		{"gru: x [·, 4], Wx [4, 9], Wh [3, 9], bx [1, 9], bh [1, 12]", func(g *ops.Graph, x *ops.Node) {
			ops.GRU(x, weight(g, 4, 9), weight(g, 3, 9), weight(g, 1, 9), weight(g, 1, 12), false)
		}},
		{"rnn: x [·, 4], Wx [4, 3], Wh [3, 3], b [1, 4]", func(g *ops.Graph, x *ops.Node) {
			ops.RNN(x, weight(g, 4, 3), weight(g, 3, 3), weight(g, 1, 4), false)
		}},
		{"lstm: starts from [rows, 2], but needs a state [B, 3] for each review", func(g *ops.Graph, x *ops.Node) {
			ops.LSTMFrom(x, weight(g, 4, 12), weight(g, 3, 12), weight(g, 1, 12), ops.Linear(ops.Mean(x), weight(g, 4, 3), nil), ops.Linear(ops.Mean(x), weight(g, 4, 2), nil))
		}},
		{"gru: starts from [words, 3]", func(g *ops.Graph, x *ops.Node) {
			ops.GRUFrom(x, weight(g, 4, 9), weight(g, 3, 9), weight(g, 1, 9), weight(g, 1, 9), ops.Linear(x, weight(g, 4, 3), nil))
		}},
		{"embed: needs a weight [V, e], and the axis of words or of targets", func(g *ops.Graph, x *ops.Node) { ops.Embed(weight(g, 9, 4), g.Words().Fronted()) }},
		{"embed: needs a weight [V, e], and the axis of words or of targets", func(g *ops.Graph, x *ops.Node) { ops.Embed(x, g.Words()) }},
		{"append: [words, 4] and [words, 4] need rows of one width on two axes", func(g *ops.Graph, x *ops.Node) { ops.Append(x, ops.Tanh(x)) }},
		{"append: [words, 4] and [words, 3] need rows of one width on two axes", func(g *ops.Graph, x *ops.Node) { ops.Append(x, g.Leaf("past", g.Past(), 3, false)) }},
		{"append: [words, 4] and [rows, 4] need rows of one width on two axes", func(g *ops.Graph, x *ops.Node) { ops.Append(x, ops.Mean(x)) }},
		{"slice of rows: no rows 2 … 8 of a weight [7, 3]", func(g *ops.Graph, x *ops.Node) { ops.SliceRows(weight(g, 7, 3), 2, 8) }},
		{"slice of rows: no rows 2 … 2 of a weight [7, 3]", func(g *ops.Graph, x *ops.Node) { ops.SliceRows(weight(g, 7, 3), 2, 2) }},
		{"slice of rows: needs a weight", func(g *ops.Graph, x *ops.Node) { ops.SliceRows(x, 0, 1) }},
		{"slice of rows: needs a weight", func(g *ops.Graph, x *ops.Node) { ops.SliceRows(ops.Mean(x), 0, 1) }},
		{"vocabulary loss: x is [·, 4], w [9, 3]", func(g *ops.Graph, x *ops.Node) { ops.VocabularyLoss(x, weight(g, 9, 3), nil, 0) }},
		{"vocabulary loss: x is [·, 4], w [9, 4], bias [1, 8]", func(g *ops.Graph, x *ops.Node) { ops.VocabularyLoss(x, weight(g, 9, 4), weight(g, 1, 8), 0) }},
		{"vocabulary loss: w and bias need to be weights", func(g *ops.Graph, x *ops.Node) { ops.VocabularyLoss(x, ops.Tanh(x), nil, 0) }},
		{"vocabulary loss: w and bias need to be weights", func(g *ops.Graph, x *ops.Node) { ops.VocabularyLoss(x, weight(g, 9, 4), ops.Mean(x), 0) }},
		{"vocabulary loss: needs one row for each target word", func(g *ops.Graph, x *ops.Node) { ops.VocabularyLoss(x, weight(g, 9, 4), nil, 0) }},
		{"vocabulary loss: label smoothing 1 is outside [0, 1)", func(g *ops.Graph, x *ops.Node) {
			ops.VocabularyLoss(g.Leaf("y", g.Targets(), 4, true), weight(g, 9, 4), nil, 1)
		}},
		{"vocabulary scores: x is [·, 4], w [9, 3]", func(g *ops.Graph, x *ops.Node) { ops.VocabularyScores(x, weight(g, 9, 3), nil) }},
		{"prepend: x [·, 4] needs one row a word, and the row in front is [2, 4]", func(g *ops.Graph, x *ops.Node) { ops.Prepend(x, weight(g, 2, 4)) }},
		{"first: needs one row a word", func(g *ops.Graph, x *ops.Node) { ops.First(ops.Mean(x)) }},
		{"pad: needs one row a word", func(g *ops.Graph, x *ops.Node) { ops.Pad(ops.Mean(x)) }},
		{"sinusoid: needs one row a word", func(g *ops.Graph, x *ops.Node) { ops.Sinusoid(ops.Mean(x), 10000, ops.Halves) }},
		{"sinusoid: a base of 1", func(g *ops.Graph, x *ops.Node) { ops.Sinusoid(x, 1, ops.Halves) }},
		{"positions: x [·, 4] needs one row a word, the table is [9, 3]", func(g *ops.Graph, x *ops.Node) { ops.AddPositions(x, weight(g, 9, 3)) }},
		{"mul: [words, 4] and [rows, 4] differ", func(g *ops.Graph, x *ops.Node) { ops.Mul(x, ops.Mean(x)) }},
		{"sparsemax is for attend, not for mean", func(g *ops.Graph, x *ops.Node) { ops.Mean(x).Normalise(ops.Sparsemax) }},
		{"add: [words, 4] and [rows, 4] differ", func(g *ops.Graph, x *ops.Node) { ops.Add(x, ops.Mean(x)) }},
		{"add review: x [·, 4] needs one row a word, s [·, 4] one a review", func(g *ops.Graph, x *ops.Node) { ops.AddReview(x, ops.Tanh(x)) }},
		{"head similarity: 7 columns for 2 heads", func(g *ops.Graph, x *ops.Node) { ops.HeadSimilarity(weight(g, 3, 7), 2) }},
		{"layer norm: x is [·, 4], scale [1, 4], shift [1, 5]", func(g *ops.Graph, x *ops.Node) { ops.LayerNorm(x, weight(g, 1, 4), weight(g, 1, 5), 1) }},
		{"batch norm: x is [·, 4], scale [1, 4], shift [1, 4], running statistics [3] and [3]", func(g *ops.Graph, x *ops.Node) {
			ops.BatchNorm(x, weight(g, 1, 4), weight(g, 1, 4), newStats(3), ops.BatchNorming{Epsilon: 1, Momentum: 0.1})
		}},
		{"slot norm: needs one row a word on a padded axis", func(g *ops.Graph, x *ops.Node) { ops.SlotNorm(x, weight(g, 16, 1), weight(g, 16, 1), 50) }},
		{"slot norm: scale [16, 1] and shift [15, 1]", func(g *ops.Graph, x *ops.Node) { ops.SlotNorm(ops.Pad(x), weight(g, 16, 1), weight(g, 15, 1), 50) }},
		{"cross-entropy: label smoothing 1 is outside [0, 1)", func(g *ops.Graph, x *ops.Node) { ops.CrossEntropy(ops.Mean(x), 1, nil) }},
		{"parameter w: 2 numbers for [1, 3]", func(g *ops.Graph, x *ops.Node) { g.Param("w", 1, 3, []float32{1, 2}) }},
	} {
		t.Run(c.want, func(t *testing.T) {
			g := ops.NewGraph(newPool(t, 1), true)
			x := g.Leaf("x", g.Words(), 4, true)
			c.build(g, x)
			require.ErrorContains(t, g.Err(), c.want)
			// What follows changes neither the error nor panics.
			cost := ops.Total(ops.Term{Node: ops.CrossEntropy(ops.Mean(x), 0, nil).Mean, Weight: 1})
			require.ErrorContains(t, g.Err(), c.want)
			require.ErrorContains(t, must.Fail(g.Grad(cost, x)), c.want)
			require.ErrorContains(t, must.Fail(g.Machine()), c.want)
		})
	}
}

func TestGradNeedsDependence(t *testing.T) {
	g := ops.NewGraph(newPool(t, 1), true)
	x, y := g.Leaf("x", g.Words(), 2, true), g.Leaf("y", g.Words(), 2, true)
	cost := ops.Total(ops.Term{Node: ops.CrossEntropy(ops.Mean(x), 0, nil).Mean, Weight: 1})
	require.ErrorContains(t, must.Fail(g.Grad(cost, x, y)), "the cost does not depend on y")
}

func weight(g *ops.Graph, rows, cols int) *ops.Node {
	return g.Param("w", rows, cols, make([]float32, rows*cols))
}
