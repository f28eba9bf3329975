package stats_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/report/stats"
)

// H is that of R's kruskal.test; with 3 values in each of two groups there are 20 groupings, of which two are this
// far apart.
func TestKruskal(t *testing.T) {
	share, p, err := stats.Kruskal([][]float64{{1, 2, 3}, {4, 5, 6}})
	require.NoError(t, err)
	assert.InDelta(t, (3.857142857-1)/4, share, 1e-9)
	assert.InDelta(t, 0.1, p, 0.01)

	share, p, err = stats.Kruskal([][]float64{{2.9, 3.0, 2.5, 2.6, 3.2}, {3.8, 2.7, 4.0, 2.4}, {2.8, 3.4, 3.7, 2.2, 2.0}}) // H = 0.77143 (Hollander and Wolfe 1973)
	require.NoError(t, err)
	assert.Zero(t, share)
	assert.InDelta(t, 0.71, p, 0.02)

	share, p, err = stats.Kruskal([][]float64{{1, 1, 2}, {2, 3, 3}}) // ties: H = 3.3333
	require.NoError(t, err)
	assert.InDelta(t, (10.0/3-1)/4, share, 1e-9)
	assert.InDelta(t, 0.2, p, 0.02)

	share, p, err = stats.Kruskal([][]float64{{1, 1}, {1, 1, 1}})
	require.NoError(t, err)
	assert.Equal(t, []float64{0, 1}, []float64{share, p})
	for _, bad := range [][][]float64{nil, {{1, 2}}, {{1}, {2}}, {{1, 2}, {}}} {
		_, _, err := stats.Kruskal(bad)
		assert.ErrorContains(t, err, "want at least two groups")
	}
}
