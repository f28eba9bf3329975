package runs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/runs"
)

// Only runs whose numbers have changed are of the newer version.
func TestPresentVersion(t *testing.T) {
	of := func(settings ...runs.Value) *runs.Config { return &runs.Config{Result: 1, Settings: settings} }
	slots, others := of(runs.Value{Key: "slip.batch_slot_norm", Value: "true"}), of(runs.Value{Key: "slip.batch_slot_norm", Value: "false"})
	assert.Equal(t, 1, slots.Behind())
	assert.Zero(t, others.Behind())
	assert.Zero(t, of().Behind())
	padded := []runs.Value{{Key: "norm", Value: "batch"}, {Key: "slip.pad", Value: "true"}}
	assert.Equal(t, 2, of(padded...).Behind(), "padding counted once")
	assert.Zero(t, of(append(padded, runs.Value{Key: "slip.pad_statistics", Value: "true"})...).Behind())
	assert.Zero(t, of(runs.Value{Key: "norm", Value: "layer"}, padded[1]).Behind())
	assert.Equal(t, runs.ResultVersion, runs.PresentVersion(of(padded...).Setting))
}
