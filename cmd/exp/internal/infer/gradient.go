package infer

import (
	"math"

	"imdbexp/models"
)

// Gradients tells how much a model's answer depends on each word of a text, by its
// derivative.
type Gradients struct {
	model   *Model
	network *models.Network
}

// Gradients builds a network with gradients on the model's weights. It computes what
// the model's own does, without dropout and with batch norm's running statistics.
// Close it before the model.
func (m *Model) Gradients() (*Gradients, error) {
	n, err := models.NewNetwork(models.Spec{
		Model: m.model, Weights: m.weights, Pool: m.pool, Dim: m.table.Dim, Classes: len(m.Classes),
		Training: true, Frozen: true, TrainRows: true, Seed: m.settings.Seed,
	})
	if err != nil {
		return nil, err
	}
	return &Gradients{m, n}, nil
}

// Close frees the network's graph.
func (g *Gradients) Close() error { return g.network.Close() }

// TimesInput returns |xᵢ·∂ℓ/∂xᵢ| for each word of each text, what a first-order
// estimate says that the loss ℓ changes when the word's vector xᵢ shrinks to zero
// (gradient × input: Shrikumar et al. 2017; Ancona et al. 2018). ℓ = −log p of the
// class that class gives for text i. Of two classes the derivatives of either one
// are proportional: there the other one is derived, whose derivative does not vanish
// where the model is sure. Only the order of a text's words means something.
//
// It takes what Run takes, and overwrites, as Run does, what every earlier Batch of
// the model says.
func (g *Gradients) TimesInput(list []Encoded, class func(i int) int) ([][]float32, error) {
	m, place := g.model, make([]int, len(list))
	if err := m.check(list); err != nil {
		return nil, err
	}
	m.pack(list, place)
	for i, at := range place {
		c := class(i)
		if len(m.Classes) == 2 {
			c = 1 - c
		}
		m.batch.Labels[at] = int32(c)
	}
	table := m.rows()
	scores, err := m.score(list)
	if err != nil {
		return nil, err
	}
	if err := g.network.Run(&m.batch, models.Inputs{Table: table, Scores: scores}, 0); err != nil {
		return nil, err
	}
	grads, d := g.network.RowGradients(), m.table.Dim
	out := make([][]float32, len(list))
	for i, at := range place {
		lo := m.batch.Offsets[at]
		out[i] = make([]float32, len(list[i].Rows))
		for k, r := range list[i].Rows {
			sum := 0.0
			for j, v := range table[int(r)*d:][:d] {
				sum += float64(float64(v) * float64(grads.Row(lo + k)[j]))
			}
			out[i][k] = float32(math.Abs(sum))
		}
	}
	return out, nil
}
