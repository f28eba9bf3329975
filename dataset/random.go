package dataset

import "imdbexp/dataset/internal/dice"

// Shuffle returns 0 … n−1 in an order that depends on seed and epoch alone.
func Shuffle(n int, seed, epoch uint64) []int32 {
	order := make([]int32, n)
	for i := range order {
		order[i] = int32(i)
	}
	stream := dice.Hash(seed, dice.Name("shuffle"), epoch)
	for i := n - 1; i > 0; i-- { // Fisher and Yates
		j := dice.Below(dice.Hash(stream, uint64(i)), i+1)
		order[i], order[j] = order[j], order[i]
	}
	return order
}
