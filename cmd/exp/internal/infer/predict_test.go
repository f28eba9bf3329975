package infer_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/infer"
)

// Sparse attention gives words the weight 0: they are not among the most attended.
func TestTopOmitsWordsWithoutWeight(t *testing.T) {
	p := infer.Prediction{Weights: []float32{0, 0.3, 0, 0.7, 0}}
	require.Equal(t, []int{3, 1}, p.Top(5))
	require.Equal(t, []int{3}, p.Top(1))
}
