// Package ragged holds the packed batch: the words of B reviews of different
// lengths in one row after another, with no padding and so no masks.
package ragged

// Batch is B reviews with N words in all. Review b owns the rows
// Offsets[b] … Offsets[b+1] of everything that has one row a word.
// Reviews stand in order of falling length.
//
// A batch for translation holds B pairs: its reviews are the source sentences, and
// each has a row for every word of its target that the decoder reads. Targets are
// nil in a batch of reviews.
type Batch struct {
	IDs     []int32 // [N] rows of the embedding table
	Offsets []int   // [B+1], from 0 to N
	Reviews []int32 // [B] index of the review in its split
	Labels  []int32 // [B] class
	Drawn   []int32 // [B] place in the batch as it was drawn, before it was put in order; nil: as they stand

	TargetIn      []int32 // [M] words the decoder reads: begin of sentence, y₁ … yₘ of each pair
	TargetOut     []int32 // [M] words it should write: y₁ … yₘ, end of sentence; −1: no label; nil: no word has one
	TargetOffsets []int   // [B+1], from 0 to M: pair b owns the rows TargetOffsets[b] … TargetOffsets[b+1]
	TargetStart   int     // position of each pair's first target row: 0 but in decoding step by step
	PastOffsets   []int   // [B+1] in decoding: the rows that each pair keeps of the steps before
}

// Len returns B, the number of reviews.
func (b *Batch) Len() int { return len(b.Reviews) }

// Words returns N, the number of words.
func (b *Batch) Words() int { return len(b.IDs) }

// Targets returns M, the number of target rows.
func (b *Batch) Targets() int { return len(b.TargetIn) }
