package ragged

import "slices"

// IDs of every target vocabulary: a decoder reads BeginID before the first word of a translation,
// and writes EndID after the last one.
const (
	BeginID int32 = 1
	EndID   int32 = 2
)

// Reset empties a batch of reviews or, if pairs is set, of sentence pairs. It reuses the memory.
func (b *Batch) Reset(pairs bool) {
	before := *b
	*b = Batch{
		IDs: b.IDs[:0], Offsets: append(b.Offsets[:0], 0),
		Reviews: b.Reviews[:0], Labels: b.Labels[:0], Drawn: b.Drawn[:0],
	}
	if pairs {
		b.TargetIn, b.TargetOut, b.TargetOffsets = before.TargetIn[:0], before.TargetOut[:0], append(before.TargetOffsets[:0], 0)
	}
}

// Draw sets Drawn to the positions of n reviews, sorted by compare. The caller then adds the
// reviews in this order.
func (b *Batch) Draw(n int, compare func(i, j int32) int) {
	for i := range n {
		b.Drawn = append(b.Drawn, int32(i))
	}
	slices.SortFunc(b.Drawn, compare)
}

// Add appends a review. The caller adds reviews by falling length.
func (b *Batch) Add(review, label int32, words []int32) {
	b.IDs = append(b.IDs, words...)
	b.Offsets = append(b.Offsets, len(b.IDs))
	b.Reviews, b.Labels = append(b.Reviews, review), append(b.Labels, label)
}

// AddTarget appends the target of the next pair for teacher forcing: the decoder reads
// BeginID and the words, and its labels are the words and EndID.
func (b *Batch) AddTarget(words []int32) {
	b.TargetIn = append(append(b.TargetIn, BeginID), words...)
	b.TargetOut = append(append(b.TargetOut, words...), EndID)
	b.TargetOffsets = append(b.TargetOffsets, len(b.TargetIn))
}

// ResetStep empties a batch for step t of decoding: each hypothesis reads one word, and there are no
// labels. It reuses the memory.
func (b *Batch) ResetStep(t int) {
	past := append(b.PastOffsets[:0], 0)
	b.Reset(true)
	b.TargetOut, b.TargetStart, b.PastOffsets = nil, t, past
}

// AddStep appends a hypothesis: the number of words of its source, which is encoded already, and
// the word that it reads.
func (b *Batch) AddStep(words int, last int32) {
	n := b.Len()
	b.Offsets = append(b.Offsets, b.Offsets[n]+words)
	b.Reviews, b.Labels = append(b.Reviews, int32(n)), append(b.Labels, 0)
	b.TargetIn, b.TargetOffsets = append(b.TargetIn, last), append(b.TargetOffsets, n+1)
	b.PastOffsets = append(b.PastOffsets, b.TargetStart*(n+1))
}
