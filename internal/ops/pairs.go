package ops

import (
	"fmt"

	"imdbexp/internal/ragged"
)

// pairs is the part of a graph that only translation uses.
type pairs struct {
	targets, past *Seq // nil until used
	joined        []*joined
	in, out       []int32 // words of the batch, by rows of targets
}

// Targets returns the axis of the batch's target rows. It has the same Reviews as
// Words, one for each pair; positions on it count from Batch.TargetStart. After this call,
// batches without targets are an error.
//
// Pairs are short, so Words then gets shards as small as those of this axis, and a batch of
// sentences keeps several cores busy.
func (g *Graph) Targets() *Seq {
	if g.pairs.targets == nil {
		g.words.grain = ofSentences
		g.pairs.targets = g.sentences()
	}
	return g.pairs.targets
}

// Past returns the axis of the rows that decoding keeps from previous steps, such
// as cached keys and values: Batch.PastOffsets, at least one row a pair.
func (g *Graph) Past() *Seq {
	if g.pairs.past == nil {
		g.pairs.past = g.sentences()
	}
	return g.pairs.past
}

// sentences returns a new axis with the reviews of Words.
func (g *Graph) sentences() *Seq {
	return &Seq{Offsets: []int{0}, reviews: g.words.reviews, grain: ofSentences}
}

// begin sets the axes to a batch whose Offsets and Reviews are valid.
func (p *pairs) begin(b *ragged.Batch) error {
	if p.targets != nil {
		if err := checkOffsets(b, "target words", b.TargetOffsets); err != nil {
			return err
		}
		rows := b.TargetOffsets[b.Len()]
		if len(b.TargetIn) != rows || b.TargetOut != nil && len(b.TargetOut) != rows || b.TargetStart < 0 {
			return fmt.Errorf("batch: %d target words to read and %d to write do not fit %d rows from position %d",
				len(b.TargetIn), len(b.TargetOut), rows, b.TargetStart)
		}
		p.in, p.out, p.targets.start = b.TargetIn, b.TargetOut, b.TargetStart
		p.targets.set(b.TargetOffsets)
	}
	if p.past != nil {
		if err := checkOffsets(b, "rows of the past", b.PastOffsets); err != nil {
			return err
		}
		p.past.set(b.PastOffsets)
	}
	for _, j := range p.joined {
		j.follow()
	}
	return nil
}

// checkOffsets checks that there are offsets for all pairs of the batch and that each pair has rows.
func checkOffsets(b *ragged.Batch, what string, offsets []int) error {
	if len(offsets) != len(b.Offsets) || offsets[0] != 0 {
		return fmt.Errorf("batch: %d offsets of %s for %d pairs: the graph needs one more than pairs, starting at 0", len(offsets), what, b.Len())
	}
	for i, review := range b.Reviews {
		if offsets[i] >= offsets[i+1] {
			return fmt.Errorf("batch: pair %d has no %s", review, what)
		}
	}
	return nil
}

// joined is the axis with the rows of one axis and then the rows of another,
// review by review.
type joined struct {
	front, back *Seq
	derived
}

// join returns the joined axis of two with the same reviews. Every call returns the same
// axis.
func (g *Graph) join(front, back *Seq) *joined {
	for _, j := range g.pairs.joined {
		if j.front == front && j.back == back {
			return j
		}
	}
	rows := func(b int) int { return front.length(b) + back.length(b) }
	j := &joined{front, back, derived{seq: g.sentences(), rows: rows}}
	g.pairs.joined = append(g.pairs.joined, j)
	return j
}
