package ops_test

import (
	"testing"

	"imdbexp/internal/ops"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

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
