package dataset

import (
	"cmp"
	"slices"

	"imdbexp/internal/ragged"
)

// Batches cuts the reviews of a split, in some order, into packed batches. It
// holds no position: any batch can be filled at any time, so that a training
// may begin in the middle of an epoch.
type Batches struct {
	data  *Encoded
	order []int32
	size  int
	count int
	room  [2]int // most words and most target rows a batch of this size can have
}

// NewBatches returns the batches of size reviews each, taken along order, which
// is not copied. The last may be smaller; dropLast leaves it out if it is.
func NewBatches(e *Encoded, order []int32, size int, dropLast bool) *Batches {
	b := &Batches{data: e, order: order, size: max(1, size)}
	b.count = (len(order) + b.size - 1) / b.size
	if dropLast {
		b.count = len(order) / b.size
	}
	b.room[0] = longest(e, order, b.size)
	if e.Targets != nil {
		b.room[1] = longest(e.Targets, order, b.size) + min(b.size, len(order)) // an end each
	}
	return b
}

// longest returns how many words the n longest of some reviews have together.
func longest(e *Encoded, reviews []int32, n int) (words int) {
	lengths := make([]int, len(reviews))
	for i, r := range reviews {
		lengths[i] = len(e.Words(int(r)))
	}
	slices.Sort(lengths)
	for _, n := range lengths[max(0, len(lengths)-n):] {
		words += n
	}
	return words
}

// Reorder sets another order of the same reviews, for the next epoch.
func (b *Batches) Reorder(order []int32) { b.order = order }

// Len returns the number of batches.
func (b *Batches) Len() int { return b.count }

// Fill makes dst batch i, its reviews by falling length, equal lengths by
// index. dst's room is used again: after the first call nothing is allocated.
func (b *Batches) Fill(i int, dst *ragged.Batch) {
	if cap(dst.IDs) < b.room[0] {
		dst.IDs = make([]int32, 0, b.room[0])
	}
	if cap(dst.TargetIn) < b.room[1] {
		dst.TargetIn, dst.TargetOut = make([]int32, 0, b.room[1]), make([]int32, 0, b.room[1])
	}
	Pack(b.data, b.order[i*b.size:min((i+1)*b.size, len(b.order))], dst)
}

// Pack makes dst the batch of the given reviews, by falling length, equal
// lengths by index; sentence pairs by the length of their sources.
func Pack(e *Encoded, reviews []int32, dst *ragged.Batch) {
	dst.Drawn = dst.Drawn[:0]
	for i := range reviews {
		dst.Drawn = append(dst.Drawn, int32(i))
	}
	slices.SortFunc(dst.Drawn, func(a, b int32) int { return compareLength(e, reviews[a], reviews[b]) })
	dst.Reviews = dst.Reviews[:0]
	for _, i := range dst.Drawn {
		dst.Reviews = append(dst.Reviews, reviews[i])
	}
	dst.IDs, dst.Labels, dst.Offsets = dst.IDs[:0], dst.Labels[:0], append(dst.Offsets[:0], 0)
	for _, r := range dst.Reviews {
		dst.IDs = append(dst.IDs, e.Words(int(r))...)
		dst.Offsets = append(dst.Offsets, len(dst.IDs))
		dst.Labels = append(dst.Labels, e.Labels[r])
	}
	packTargets(e.Targets, dst)
}

// packTargets gives dst the targets of its pairs, for teacher forcing: the decoder
// reads BeginID and the words, and is to write the words and EndID.
func packTargets(e *Encoded, dst *ragged.Batch) {
	dst.TargetStart, dst.PastOffsets = 0, nil
	if e == nil {
		dst.TargetIn, dst.TargetOut, dst.TargetOffsets = nil, nil, nil
		return
	}
	dst.TargetIn, dst.TargetOut, dst.TargetOffsets = dst.TargetIn[:0], dst.TargetOut[:0], append(dst.TargetOffsets[:0], 0)
	for _, r := range dst.Reviews {
		words := e.Words(int(r))
		dst.TargetIn = append(append(dst.TargetIn, BeginID), words...)
		dst.TargetOut = append(append(dst.TargetOut, words...), EndID)
		dst.TargetOffsets = append(dst.TargetOffsets, len(dst.TargetIn))
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
