package scores

import (
	"math/bits"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/models/counts"
)

func at(from, to int) counts.Place { return counts.Place{From: from, To: to} }

// The values of places with common words are those of the definition, over all sets of words.
func TestSharesOfPlaces(t *testing.T) {
	for _, places := range [][]counts.Place{
		{at(0, 1), at(3, 4)}, {at(0, 2), at(5, 7)}, {at(0, 2), at(1, 3)}, {at(1, 4), at(2, 5), at(3, 6)}, {at(0, 2), at(1, 3), at(5, 7), at(8, 10)},
		{at(0, 3), at(2, 5), at(7, 10)},
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
