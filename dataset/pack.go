package dataset

import (
	"cmp"
	"slices"

	"imdbexp/dataset/internal/dice"
	"imdbexp/internal/ragged"
)

// Pack makes dst the batch of the given reviews, by falling length, equal
// lengths by index; sentence pairs by the length of their sources.
func Pack(e *Encoded, reviews []int32, dst *ragged.Batch) {
	dst.Reset(e.Targets != nil)
	dst.Draw(len(reviews), func(a, b int32) int { return compareLength(e, reviews[a], reviews[b]) })
	for _, i := range dst.Drawn {
		r := reviews[i]
		dst.Add(r, e.Labels[r], e.Words(int(r)))
		if e.Targets != nil {
			dst.AddTarget(e.Targets.Words(int(r)))
		}
	}
}

// compareLength puts longer reviews first, those of equal length by index.
func compareLength(e *Encoded, a, b int32) int {
	return cmp.Or(cmp.Compare(len(e.Words(int(b))), len(e.Words(int(a)))), cmp.Compare(a, b))
}

// ByLength returns the indices of all reviews by falling length, equal lengths
// by index: the order for evaluation, where reviews of one length share a batch.
func ByLength(e *Encoded) []int32 {
	order := make([]int32, e.Len())
	for i := range order {
		order[i] = int32(i)
	}
	slices.SortFunc(order, func(a, b int32) int { return compareLength(e, a, b) })
	return order
}

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
