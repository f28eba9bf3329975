package models

import "imdbexp/internal/simd"

// What a translator's loss is over: the target rows of a batch that have a label.

// Positions returns how many predictions the mean loss of the last batch is over:
// its reviews, or a translator's target rows with a label.
func (n *Network) Positions() int {
	if !n.translates() {
		return n.batch.Len()
	}
	labelled := 0
	for _, y := range n.batch.TargetOut {
		if y >= 0 {
			labelled++
		}
	}
	return labelled
}

// Right returns how many of those predictions are right: of classes, or of the next
// word after the true ones.
func (n *Network) Right() int {
	right := 0
	if n.translates() {
		predicted := n.out.Rows.Predicted.Mat().Data
		for i, y := range n.batch.TargetOut {
			if y >= 0 && predicted[i] == float32(y) {
				right++
			}
		}
		return right
	}
	for i, y := range n.batch.Labels {
		if simd.ArgMax(n.Scores().Row(i)) == int(y) {
			right++
		}
	}
	return right
}

func (n *Network) translates() bool { return n.out.Rows.Mean != nil }

// rowSums returns the losses of each pair [B]: Σ over its rows of −log p, in nats.
func (n *Network) rowSums() []float32 {
	n.losses = n.losses[:0]
	each := n.out.Rows.Each.Mat().Data
	for b := range n.batch.Len() {
		var sum float64
		for _, l := range each[n.batch.TargetOffsets[b]:n.batch.TargetOffsets[b+1]] {
			sum += float64(l)
		}
		n.losses = append(n.losses, float32(sum))
	}
	return n.losses
}
