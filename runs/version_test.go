package runs_test

import (
	"testing"

	"github.com/stretchr/testify/assert"

	"imdbexp/runs"
)

// Only runs whose numbers have changed have a newer version.
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
	heads := runs.Value{Key: "heads.penalty", Value: "0"}
	mean := runs.Value{Key: "average", Value: "0.9"}
	assert.Equal(t, 3, of(heads, mean, runs.Value{Key: "test", Value: "last"}).Behind(), "the likeness of heads was that of other weights")
	assert.Zero(t, of(heads, mean, runs.Value{Key: "test", Value: "each"}).Behind(), "it was of those that test was asked about")
	best := runs.Value{Key: "select", Value: "best"}
	assert.Equal(t, 4, of(heads, mean, runs.Value{Key: "test", Value: "last"}, best).Behind(), "the validation split is another")
	assert.Zero(t, of(best, runs.Value{Key: "slip.choose_on_test", Value: "true"}).Behind())
	assert.Zero(t, of(runs.Value{Key: "beam", Value: "4"}, mean, runs.Value{Key: "test", Value: "never"}).Behind())
	assert.Zero(t, of(heads, runs.Value{Key: "average", Value: "0"}).Behind())
	translates := of(runs.Value{Key: "beam", Value: "4"}, runs.Value{Key: "average", Value: "0.9"})
	assert.Equal(t, 3, translates.Behind())
}
