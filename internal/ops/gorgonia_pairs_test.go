package ops_test

import (
	"imdbexp/internal/ops"

	G "gorgonia.org/gorgonia"
)

const pairSmoothing = 0.3

// encoderAndDecoder is a complete translation model: the source read backwards by an LSTM, the
// target by another one that starts from its last state and cell, a smoothed loss over
// the vocabulary, whose weights are the table of the target's embeddings.
var encoderAndDecoder = layer{
	model{"encoder and decoder", map[string][2]int{
		"source": {vocabulary, width}, "target": {vocabulary, width}, "bias": {1, vocabulary},
		"Wx": {width, 4 * width}, "Wh": {width, 4 * width}, "b": {1, 4 * width},
		"Vx": {width, 4 * width}, "Vh": {width, 4 * width}, "c": {1, 4 * width},
	}, func(g *ops.Graph, x *ops.Node, w map[string]*ops.Node) *ops.Node {
		x = ops.Add(x, ops.Embed(w["source"], g.Words()))
		_, state, cell := ops.LSTMLast(x, w["Wx"], w["Wh"], w["b"], true)
		states, _, _ := ops.LSTMFrom(ops.Embed(w["target"], g.Targets()), w["Vx"], w["Vh"], w["c"], state, cell)
		loss := ops.VocabularyLoss(states, w["target"], w["bias"], pairSmoothing)
		return ops.Total(ops.Term{Node: loss.Mean, Weight: 1})
	}},
	func(c *composed, x *G.Node, r int) *G.Node {
		b := c.batch
		lo, hi := b.Offsets[r], b.Offsets[r+1]
		x = must(G.Add(x, must(G.Mul(c.oneHot(b.IDs[lo:hi]), c.w["source"]))))
		states, cell := c.lstmFrom(x, hi-lo, true, [3]string{"Wx", "Wh", "b"}, nil, nil)

		lo, hi = b.TargetOffsets[r], b.TargetOffsets[r+1]
		y := must(G.Mul(c.oneHot(b.TargetIn[lo:hi]), c.w["target"]))
		states, _ = c.lstmFrom(y, hi-lo, false, [3]string{"Vx", "Vh", "c"}, states[len(states)-1], cell)

		labels := 0
		for _, label := range b.TargetOut {
			if label >= 0 {
				labels++
			}
		}
		sum := c.scalar(0)
		for i, label := range b.TargetOut[lo:hi] {
			if label < 0 {
				continue
			}
			share := float32(b.Len()) / float32(labels) // the cost is averaged over the pairs
			target := make([]float32, vocabulary)
			for v := range target {
				target[v] = share * pairSmoothing / vocabulary
			}
			target[label] += share * (1 - pairSmoothing)
			p := c.softmax(must(G.Add(must(G.Mul(c.w["target"], states[i])), c.flat("bias"))))
			sum = must(G.Sub(sum, must(G.Mul(c.vector(target), must(G.Log(p))))))
		}
		return sum
	},
}

// oneHot is the matrix whose product looks words up.
func (c *composed) oneHot(ids []int32) *G.Node {
	data := make([]float32, len(ids)*vocabulary)
	for i, id := range ids {
		data[i*vocabulary+int(id)] = 1
	}
	return c.constant(len(ids), vocabulary, data)
}
