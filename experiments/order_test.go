package experiments_test

import (
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
)

// Results are shown in the order of the catalogue, but for what stands beside another.
func TestInOrder(t *testing.T) {
	order := experiments.InOrder()
	require.Len(t, order, len(experiments.All()))
	i := slices.Index(order, "tme9-lstm")
	require.Equal(t, []string{"tme9-lstm", "tme9-bilstm", "tme9-lstm-last", "tme9-lstm-mean", "tme9-entropy"}, order[i:i+5])
	for _, e := range experiments.All() {
		if e.Beside != "" {
			_, err := experiments.Lookup(e.Beside)
			require.NoError(t, err, e.Name)
		}
	}
	require.Equal(t, []string{"tme9", "tme9-controls", "tme10", "mechanisms", "baselines", "best", "seq2seq"}, experiments.Groups()[:7])
}
