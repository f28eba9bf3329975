package bench

import (
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
)

// pairWidth is how wide words and states are in the ops for pairs, pairVocabulary how
// many words there are to choose from.
const pairWidth, pairVocabulary = 128, 5000

// pairOps are the ops that only the models for translation have. Words are frozen: a
// product costs one more forwards and, of weights alone, one backwards.
func pairOps() []graphOp {
	const d, h = pairWidth, pairWidth
	type weights = func(int, int) *ops.Node
	return []graphOp{
		// The table's rows are only copied and added: an element is one operation each way.
		{"embedding", 2 * d, func(x *ops.Node, w weights) *ops.Node {
			return ops.Add(x, ops.Embed(w(pairVocabulary, d), x.Graph().Targets()))
		}},
		{"LSTM from a state", 2 * 4 * h * (2*d + 3*h), func(x *ops.Node, w weights) *ops.Node {
			zero := func() *ops.Node { return ops.Spread(w(1, h), x.Graph().Words().Reviews()) }
			states, _, _ := ops.LSTMFrom(x, w(d, 4*h), w(h, 4*h), w(1, 4*h), zero(), zero())
			return states
		}},
		// The map before it makes the gradient of its input wanted, as in a model.
		{"vocabulary loss", 2 * (2*d*d + 3*d*pairVocabulary), func(x *ops.Node, w weights) *ops.Node {
			y := ops.Linear(x, w(d, d), nil)
			return ops.VocabularyLoss(y, w(pairVocabulary, d), w(1, pairVocabulary), 0.1).Mean
		}},
	}
}

// sentencePairs is a batch of 64 pairs of 3 to 25 words a side.
func sentencePairs() *ragged.Batch {
	const pairs, least, spread = 64, 3, 23
	b := &ragged.Batch{Offsets: []int{0}, TargetOffsets: []int{0}}
	for i := range pairs {
		words := least + int(simd.Hash1(1, uint64(i))%spread)
		for range words {
			id := int32(simd.Hash1(2, uint64(len(b.IDs))) % pairVocabulary)
			b.IDs, b.TargetIn, b.TargetOut = append(b.IDs, id), append(b.TargetIn, id), append(b.TargetOut, id)
		}
		b.Offsets, b.TargetOffsets = append(b.Offsets, len(b.IDs)), append(b.TargetOffsets, len(b.IDs))
		b.Reviews, b.Labels = append(b.Reviews, int32(i)), append(b.Labels, 0)
	}
	return b
}
