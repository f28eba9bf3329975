package dataset

import (
	"cmp"
	"slices"

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
