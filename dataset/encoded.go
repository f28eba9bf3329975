package dataset

// Encoded is a split ready for training: B reviews with N words in all, words
// as rows of a Table; or one side of B sentence pairs, words as IDs of a Words.
// Every review has at least one word.
type Encoded struct {
	IDs     []int32  // [N] rows of the table
	Offsets []int    // [B+1] from 0 to N
	Labels  []int32  // [B] class
	Names   []string // [B] such as train/pos/0_9
	Targets *Encoded // the translations of the same B, rows of another vocabulary; nil for reviews
}

// Len returns B, the number of reviews.
func (e *Encoded) Len() int { return len(e.Labels) }

// Words returns the rows of the words of review b.
func (e *Encoded) Words(b int) []int32 { return e.IDs[e.Offsets[b]:e.Offsets[b+1]] }
