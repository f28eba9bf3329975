package infer

import (
	"math"

	"imdbexp/internal/ops"
	"imdbexp/models"
)

// Pools reports whether the model has attention with one weight for each word, which sums the
// words' values.
func (m *Model) Pools() bool { return m.network.Pools() }

// Attends reports whether the model has attention: with one weight for each word, in an ensemble the
// mean over its networks, or in layers.
func (m *Model) Attends() bool { return m.network.Output().Attention != nil || m.Depth() > 0 }

// Members returns the number of networks in an ensemble, each with its own attention; else 1.
func (m *Model) Members() int { return m.network.Members() }

// LearnsWeights reports whether these weights come from trained scores.
func (m *Model) LearnsWeights() bool {
	return m.Pools() && models.PenaltyOf(m.model).LearnsWeights()
}

// Linear reports whether the logits are linear in these weights, with everything else constant.
func (m *Model) Linear() bool {
	n := m.network.Classes().Logits
	for n.Op() == "linear" {
		n = n.Inputs()[0]
	}
	return n.Op() == "weighted sum" && n.Inputs()[0].Same(m.network.Output().Attention)
}

// Depth returns the number of layers of self-attention.
func (m *Model) Depth() int { return m.network.Depth() }

// Pool returns the workers that the model's ops run on.
func (m *Model) Pool() *ops.Pool { return m.pool }

// Residual reports whether the layers of self-attention add their input to their result.
func (m *Model) Residual() bool {
	r, ok := m.model.(*models.Self)
	return !ok || r.HasResidual()
}

// Reweigh computes the predictions of the batch again with different attention weights: set changes
// the weights of the words of text i [n], and is called for several texts concurrently. After that
// the batch's predictions and Attention belong to the new weights; its Entropy does not change.
// It is for models that Pools, and computes only the part of the network that depends on the
// weights.
func (b *Batch) Reweigh(set func(i int, weights []float32)) error {
	m := b.model
	if m.tail == nil {
		tail, err := m.network.Tail()
		if err != nil {
			return err
		}
		m.tail = tail
	}
	all := m.network.Attention()
	err := m.pool.For(len(b.place), func(i int) {
		set(i, all[b.seen[b.place[i]]+b.front:][:b.words[i]])
	})
	if err != nil {
		return err
	}
	return m.tail.Run()
}

// ValueNorms returns ‖v(xᵢ)‖ for each word of the texts [B][n]: the length of the values that the
// weights of a model that Pools sum.
func (b *Batch) ValueNorms() ([][]float32, error) {
	r := &reader{Exact: ops.NewMixed(), out: b.model.network.Output(), classes: b.model.network.Classes()}
	values, err := r.Value(r.sum().Inputs()[1])
	if err != nil {
		return nil, err
	}
	out := make([][]float32, len(b.place))
	for i, at := range b.place {
		out[i] = make([]float32, b.words[i])
		for k := range out[i] {
			square := 0.0
			for _, v := range values.Row(b.seen[at] + b.front + k) {
				square += float64(v * v)
			}
			out[i][k] = float32(math.Sqrt(square))
		}
	}
	return out, nil
}

// HeadNorms returns the length of each head's value at each word of text i in a layer of
// self-attention [H][Seen(i)], with [CLS] and padding.
func (b *Batch) HeadNorms(layer, i int) [][]float64 {
	v, lo := b.model.network.LayerValues(layer), b.seen[b.place[i]]
	out := make([][]float64, b.Layers()[layer])
	width := v.Cols / len(out)
	for h := range out {
		out[h] = make([]float64, b.Seen(i))
		for j := range out[h] {
			square := 0.0
			for _, x := range v.Row(lo + j)[h*width:][:width] {
				square += float64(float64(x) * float64(x))
			}
			out[h][j] = math.Sqrt(square)
		}
	}
	return out
}
