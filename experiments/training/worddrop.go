package training

import (
	"cmp"

	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
)

// wordDrop drops words from the reviews of a batch (word dropout, Iyyer et al. 2015, section 3). Which
// words are dropped depends only on the seed, the step, the review and the position. A review that
// would lose all words keeps its first one.
type wordDrop struct {
	share   float64
	stream  uint64
	batch   ragged.Batch
	words   []int32 // the remaining words of all reviews
	offsets []int
}

func newWordDrop(share float64, seed uint64) *wordDrop {
	return &wordDrop{share: share, stream: simd.Key(seed, "word.dropout")}
}

// drop returns the batch without the dropped words. The next call overwrites it.
func (t *wordDrop) drop(b *ragged.Batch, step uint64) *ragged.Batch {
	limit := uint64(t.share * (1 << 32)) // of the upper half of a key
	t.words, t.offsets = t.words[:0], append(t.offsets[:0], 0)
	for i, review := range b.Reviews {
		words, first := b.IDs[b.Offsets[i]:b.Offsets[i+1]], len(t.words)
		key := simd.Hash2(t.stream, step, uint64(review))
		for k, id := range words {
			if simd.Hash1(key, uint64(k))>>32 >= limit {
				t.words = append(t.words, id)
			}
		}
		if len(t.words) == first {
			t.words = append(t.words, words[0])
		}
		t.offsets = append(t.offsets, len(t.words))
	}
	length := func(i int32) int { return t.offsets[i+1] - t.offsets[i] }
	t.batch.Reset(false)
	t.batch.Sort(b.Len(), func(i, j int32) int { return cmp.Or(cmp.Compare(length(j), length(i)), cmp.Compare(i, j)) })
	for at, i := range t.batch.Order {
		t.batch.Add(b.Reviews[i], b.Labels[i], t.words[t.offsets[i]:t.offsets[i+1]])
		if b.Order != nil {
			t.batch.Order[at] = b.Order[i]
		}
	}
	return &t.batch
}
