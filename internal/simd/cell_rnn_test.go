package simd_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/simd"
)

// What vanishes on the way through a long text becomes zero, not subnormal.
func TestRNNBackward(t *testing.T) {
	h := []float32{0.5, 0.5, 1, 0}
	simd.RNNBackward(h, []float32{2, 1e-31, 3, -4}, h)
	require.Equal(t, []float32{1.5, 0, 0, -4}, h)
}
