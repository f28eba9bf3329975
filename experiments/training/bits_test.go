package training_test

import (
	"testing"

	"imdbexp/experiments/internal/testrun"
)

// The same seed gives the same bits for any number of workers and on every
// level of the kernels.
func TestSameBits(t *testing.T) {
	settings := []string{"data=sample", "batch=64", "data.limit=64", "epochs=2"}
	if !testrun.Long() {
		settings = append(settings, "data.limit=40", "epochs=1")
	}
	testrun.SameBits(t, "tme9-lstm", settings...)
}
