package training_test

import (
	"testing"

	"imdbexp/experiments/internal/testrun"
)

// The same seed gives the same bits for any number of workers and on every
// level of the kernels.
func TestSameBits(t *testing.T) {
	testrun.SameBits(t, "tme9-lstm", "data=sample", "batch=64", "data.limit=64", "epochs=2")
}
