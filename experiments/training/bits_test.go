package training_test

import (
	"testing"

	"imdbexp/internal/testkit/testrun"
)

// The same seed gives the same bits for any number of workers and every level of the kernels.
func TestSameBits(t *testing.T) {
	settings := []string{"data=sample", "batch=64", "data.limit=64", "epochs=2"}
	if !testrun.Long() {
		settings = append(settings, "data.limit=40", "epochs=1")
	}
	testrun.SameBits(t, "tme9-lstm", settings...)
	testrun.SameBits(t, "tme9-bilstm", append(settings, "pool.max=true", "word.dropout=0.2", "average=0.9", "wide=nbsvm", "test=last")...)
	testrun.SameBits(t, "ngram-mean", append(settings, "average=0.9")...)
}
