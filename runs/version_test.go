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
	assert.Equal(t, runs.ResultVersion, runs.PresentVersion(slots.Setting))
}
