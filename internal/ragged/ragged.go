// Package ragged holds the packed batch: the words of B reviews of different
// lengths one after another, without padding or masks.
package ragged

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
	Drawn   []int32 // [B] position in the batch before sorting; nil: not sorted

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
