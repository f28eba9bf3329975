package experiments_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/experiments/task"
	"imdbexp/internal/settings"
)

// Every class has the same weight in all, as with scikit-learn's class_weight="balanced".
func TestClassWeights(t *testing.T) {
	r := new(settings.Run)
	labels := []int32{0, 0, 0, 0, 0, 0, 1, 2, 2, 0}
	require.Nil(t, task.ClassWeights(r, labels, 3))
	r.ClassWeights = "balanced"
	require.InDeltaSlice(t, []float32{10.0 / 21, 10.0 / 3, 10.0 / 6}, task.ClassWeights(r, labels, 3), 1e-6)
	require.Zero(t, task.ClassWeights(r, labels, 4)[3], "a class without a review")

	share, unequal := (&task.Data{Classes: []string{"a", "b", "c"}, Train: &dataset.Encoded{Labels: labels}}).Unequal()
	require.Equal(t, 0.7, share)
	require.True(t, unequal)
	_, unequal = (&task.Data{Classes: []string{"a", "b"}, Train: &dataset.Encoded{Labels: []int32{0, 0, 0, 1, 1}}}).Unequal()
	require.False(t, unequal, "60 % is not over 60 %")
}
