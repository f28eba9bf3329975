package draw

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/simd"
)

// A step along sinusoids is one linear map for all positions, and their likeness depends
// on the distance alone; along vectors of their own for each position neither holds.
func TestShift(t *testing.T) {
	const n, d = 160, 16
	waves, random := encoded(n, d, 10000), make([]float32, n*d)
	simd.Normal(random, simd.Key(1, "random"), 0, 1)
	for _, k := range []int{1, 7, 60} {
		require.Less(t, unexplained(waves, n, d, k), 1e-6, "distance %d", k)
		require.Greater(t, unexplained(random, n, d, k), 0.9, "distance %d", k)
		require.InDelta(t, cosine(waves, d, 0, k), cosine(waves, d, 90, 90+k), 1e-5)
	}
	require.InDelta(t, 1, cosine(waves, d, 5, 5), 1e-12)
}

// A wave that does not come round within the positions hardly moves.
func TestMoving(t *testing.T) {
	require.Equal(t, 2, moving([]float32{1, 5, 0, -1, 5, 1, 1, 5, 0, -1, 5.1, 1}, 4, 3))
	require.Greater(t, moving(encoded(1000, 50, 100), 1000, 50), moving(encoded(1000, 50, 10000), 1000, 50))
	line := likenessBy("", encoded(1000, 50, 1000), 1000, 50)
	require.Len(t, line.X, 100)
	require.InDelta(t, 4.5, line.X[0], 0)
}
