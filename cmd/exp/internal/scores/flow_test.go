package scores

import (
	"testing"

	"github.com/stretchr/testify/require"
)

// The example of Cormen et al. (Introduction to Algorithms, figure 26.1): 23.
func TestFlowOfTheTextbook(t *testing.T) {
	n := network{first: make([][]edge, 6)}
	for _, e := range []struct {
		from, to int
		capacity float64
	}{{0, 1, 16}, {0, 2, 13}, {1, 3, 12}, {2, 1, 4}, {3, 2, 9}, {2, 4, 14}, {4, 3, 7}, {3, 5, 20}, {4, 5, 4}} {
		n.add(e.from, e.to, e.capacity)
	}
	require.InDelta(t, 23, n.copy().flow(0, 5), 1e-12)
	require.InDelta(t, 23, n.flow(0, 5), 1e-12, "the copy left it as it was")
}

// Seven points integrate polynomials of degree 11 on [0, 1].
func TestLobatto(t *testing.T) {
	for degree := range 12 {
		sum := 0.0
		for _, p := range lobatto {
			power := 1.0
			for range degree {
				power *= p.at
			}
			sum += p.weight * power
		}
		require.InDelta(t, 1/float64(degree+1), sum, 1e-14, "degree %d", degree)
	}
}
