package tensorboard

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

func TestDistribution(t *testing.T) {
	h := runs.Histogram{Split: "test", Lo: 1, Step: 0.5, Counts: []int{0, 2, 0, 1, 0}}
	v := distribution(runs.Metrics{}, h)
	require.Len(t, v, 1)
	require.Equal(t, []float64{2, 2.5, 3}, v[0].Histogram.Limits)
	require.Equal(t, []float64{2, 0, 1}, v[0].Histogram.Counts)
	require.Equal(t, 1.5, v[0].Histogram.Min)
	require.Equal(t, 3.0, v[0].Histogram.Max)
	require.Equal(t, 2*1.75+2.75, v[0].Histogram.Sum)
	require.Empty(t, distribution(runs.Metrics{}, runs.Histogram{Counts: make([]int, 3)}))
	require.Empty(t, distribution(runs.Metrics{}, runs.Histogram{}))
}
