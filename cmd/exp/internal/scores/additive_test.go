package scores

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/models/counts"
)

// The values of places with common words are those of the definition, over all sets of words.
func TestSharesOfPlaces(t *testing.T) {
	for _, places := range [][]counts.Place{
		{{0, 1}, {3, 4}}, {{0, 2}, {5, 7}}, {{0, 2}, {1, 3}}, {{1, 4}, {2, 5}, {3, 6}}, {{0, 2}, {1, 3}, {5, 7}, {8, 10}},
		{{0, 3}, {2, 5}, {7, 10}},
	} {
		const words = 10
		won := func(set uint) float64 {
			for _, p := range places {
				if all := uint(1<<p.To - 1<<p.From); set&all == all {
					return 1
				}
			}
			return 0
		}
		weight := func(k int) float64 { // k!(9−k)!/10!
			w := 1.0 / words
			for i := 1; i <= k; i++ {
				w *= float64(i) / float64(words-i)
			}
			return w
		}
		got := shares(places)
		for i := range words {
			want := 0.0
			for set := range uint(1 << words) {
				if set>>i&1 == 0 {
					want += weight(bits.OnesCount(set)) * (won(set|1<<i) - won(set))
				}
			}
			require.InDelta(t, want, got[i], 1e-12, "%v, word %d", places, i)
		}
	}
}
