package models

import (
	"errors"

	"imdbexp/internal/ops"
)

// Heads returns, for each layer of attention by heads, the entropies of its heads [B, H] in
// nats. It is nil for a model without.
func (n *Network) Heads() []ops.Mat {
	var out []ops.Mat
	for _, l := range n.out.Layers {
		out = append(out, l.Mat())
	}
	return out
}

// LayerHeads returns the number of heads of each of these layers, before the first run too; nil
// for a model without.
func (n *Network) LayerHeads() []int {
	var out []int
	for _, l := range n.out.Layers {
		out = append(out, l.Cols())
	}
	return out
}

// HeadWords returns the offsets of the words that those heads attend to [B+1]: the reviews' own,
// or with [CLS] and padding.
func (n *Network) HeadWords() []int { return n.out.Words.Axis().(*ops.Seq).Offsets }

// AttentionRow sets dst to the weights of word i of a review of the batch for the review's
// words, in one head of one layer. All count from 0; with [CLS] and padding, as HeadWords.
func (n *Network) AttentionRow(dst []float32, layer, head, review, i int) error {
	return n.out.Layers[layer].Alignment(dst, review, head, i)
}

// AttentionReceived sets dst[h·N+j] to the attention that word j of the batch receives in head h
// of a layer from the first queries(b) words of its review b. N counts the words of HeadWords.
func (n *Network) AttentionReceived(dst []float32, layer int, queries func(review int) int) error {
	return n.out.Layers[layer].AttentionReceived(dst, queries)
}

// LayerValues returns the values of the heads of a layer of self-attention, next to each other
// [N, H·v]; N counts the words of HeadWords.
func (n *Network) LayerValues(layer int) ops.Mat { return n.out.Layers[layer].Inputs()[2].Mat() }

// Tail returns the part of the network between the attention with one weight for each word and
// the class probabilities: it is computed again when the weights change. It is an error for a
// model without such attention.
func (n *Network) Tail() (*ops.Tail, error) {
	if !n.Pools() {
		return nil, errors.New("the model has no attention with one weight for each word")
	}
	return n.out.Attention.Tail(n.Classes().loss.Scores)
}

// Pools reports whether the model has attention with one weight for each word. An ensemble does
// not: each of its networks has its own, and Attention is their mean.
func (n *Network) Pools() bool { return n.out.Attention != nil && n.Members() == 1 }

// Depth returns the number of layers of attention by heads.
func (n *Network) Depth() int { return len(n.out.Layers) }

// ComparesHeads reports whether the model compares its heads' weights.
func (n *Network) ComparesHeads() bool { return len(n.out.HeadSimilarity) > 0 }

// HeadSimilarity returns how similar the heads' weights were in the last run: Σ cos² over all
// layers.
func (n *Network) HeadSimilarity() (sum float64) {
	for _, l := range n.out.HeadSimilarity {
		sum += float64(l.Mat().Data[0])
	}
	return sum
}

// meanOfHeads returns the mean entropy over all layers and heads of each review.
func meanOfHeads(layers []ops.Mat) []float32 {
	out, n := make([]float32, layers[0].Rows), 0
	for _, l := range layers {
		n += l.Cols
	}
	for b := range out {
		var sum float64
		for _, l := range layers {
			for _, h := range l.Row(b) {
				sum += float64(h)
			}
		}
		out[b] = float32(sum / float64(n))
	}
	return out
}
