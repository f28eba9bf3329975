// Package ragged holds the packed batch: the words of B reviews of different
// lengths one after another, without padding or masks.
package ragged

import "slices"

// Batch is B reviews with N words in all. Review b owns the rows
// Offsets[b] … Offsets[b+1] of every matrix with a row per word. The reviews are sorted by falling
// length.
//
// A batch for translation holds B pairs. Its reviews are the source sentences. Each pair also
// has a row for every word of its target that the decoder reads. Targets are nil in a batch of
// reviews.
type Batch struct {
	IDs     []int32 // [N] rows of the embedding table
	Offsets []int   // [B+1], from 0 to N
	Reviews []int32 // [B] index of the review in its split
	Labels  []int32 // [B] class
	Order   []int32 // [B] position in the batch before sorting; nil: not sorted

	TargetIn      []int32 // [M] words the decoder reads: begin of sentence, y₁ … yₘ of each pair
	TargetOut     []int32 // [M] its labels: y₁ … yₘ, end of sentence; −1: no label; nil: none at all
	TargetOffsets []int   // [B+1], from 0 to M: pair b owns the rows TargetOffsets[b] … TargetOffsets[b+1]
	TargetStart   int     // position of each pair's first target row; 0 except in decoding step by step
	PastOffsets   []int   // [B+1] in decoding: the rows that each pair keeps from earlier steps
}

// Len returns B, the number of reviews.
func (b *Batch) Len() int { return len(b.Reviews) }

// Words returns N, the number of words.
func (b *Batch) Words() int { return len(b.IDs) }

// Targets returns M, the number of target rows.
func (b *Batch) Targets() int { return len(b.TargetIn) }

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
		Reviews: b.Reviews[:0], Labels: b.Labels[:0], Order: b.Order[:0],
	}
	if pairs {
		b.TargetIn, b.TargetOut, b.TargetOffsets = before.TargetIn[:0], before.TargetOut[:0], append(before.TargetOffsets[:0], 0)
	}
}

// Sort sets Order to the positions of n reviews, sorted by compare. The caller then adds the
// reviews in this order.
func (b *Batch) Sort(n int, compare func(i, j int32) int) {
	for i := range n {
		b.Order = append(b.Order, int32(i))
	}
	slices.SortFunc(b.Order, compare)
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
