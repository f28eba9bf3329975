package grid

import (
	"testing"
	"time"

	"github.com/stretchr/testify/require"
)

// The runs of a grid are named in a time that does not grow with the square of their
// number.
func TestManyLabels(t *testing.T) {
	plans := gridPlans(t, "tme9-simple", "seed=1..10000")
	began := time.Now()
	labels := Labels(plans)
	require.Equal(t, "tme9-simple seed=10000", labels[9999])
	require.Less(t, time.Since(began), 10*time.Second)
}
