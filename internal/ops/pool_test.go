package ops_test

import (
	"context"
	"sync/atomic"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/ops"
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
		most := max(1, min(3, b.Words()/256), b.Words()/2048)
		require.LessOrEqual(t, len(cuts)-1, min(16, most, b.Len()))
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
