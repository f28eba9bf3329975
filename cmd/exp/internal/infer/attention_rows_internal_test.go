package infer

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// Weights add up to one, unless there are none: with slip.softmax_queries all of the softmax
// may fall on padding, which leaves the words nothing to give. NaN is no weight.
func TestNormalise(t *testing.T) {
	weights := []float64{1, 3, 0}
	normalise(weights)
	require.Equal(t, []float64{0.25, 0.75, 0}, weights)
	nothing := []float64{0, 0}
	normalise(nothing)
	require.Equal(t, []float64{0, 0}, nothing)
	require.Zero(t, Entropy(nothing))
}
