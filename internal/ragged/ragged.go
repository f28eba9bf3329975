// Package ragged holds the packed batch: the words of B reviews of different
// lengths in one row after another, with no padding and so no masks.
package ragged

// Batch is B reviews with N words in all. Review b owns the rows
// Offsets[b] … Offsets[b+1] of everything that has one row a word.
// Reviews stand in order of falling length.
type Batch struct {
	IDs     []int32 // [N] rows of the embedding table
	Offsets []int   // [B+1], from 0 to N
	Reviews []int32 // [B] index of the review in its split
	Labels  []int32 // [B] class
}

// Len returns B, the number of reviews.
func (b *Batch) Len() int { return len(b.Reviews) }

// Words returns N, the number of words.
func (b *Batch) Words() int { return len(b.IDs) }
