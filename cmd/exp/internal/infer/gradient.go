package infer

import (
	"imdbexp/internal/ops"
	"imdbexp/models"
)

// Gradients computes the derivatives of a model's predictions by the words of texts.
type Gradients struct {
	model   *Model
	network *models.Network
}

// Gradients builds a network with gradients that shares the model's weights and computes the same,
// without dropout and with the running statistics of batch norm. If constant is true, no gradient
// flows through the attention of a model that Pools. Close it before the model.
func (m *Model) Gradients(constant bool) (*Gradients, error) {
	n, err := models.NewNetwork(models.Spec{
		Model: m.model, Weights: m.weights, Pool: m.pool, In: m.table.Dim, Out: len(m.Classes),
		Training: true, Margins: true, Constant: constant, TrainRows: true, Seed: m.settings.Seed,
	})
	if err != nil {
		return nil, err
	}
	return &Gradients{m, n}, nil
}

// Close frees the network's graph.
func (g *Gradients) Close() error { return g.network.Close() }

// Derived is the gradient of a class's margin (see ops.Margin; for two classes the difference of
// their logits) by the words of one text. The rows are valid until the network's next run.
type Derived struct {
	Margin float32 // of the class
	X, D   func(word int) []float32

	// Weights are the derivatives by the attention weights, one for each word, with everything else
	// constant; nil for a model without (Pools), or whose weights are not learned.
	Weights []float32
}

// Run computes for each text i the gradient of the margin of class(i) by the vectors of its words.
// It calls f once for each text, for several concurrently. Like Model.Run it overwrites the numbers
// of every earlier Batch of the model.
func (g *Gradients) Run(list []Encoded, class func(i int) int, f func(i int, d Derived)) error {
	m, place := g.model, make([]int, len(list))
	if err := m.check(list); err != nil {
		return err
	}
	m.pack(list, place)
	for i, at := range place {
		m.batch.Labels[at] = int32(class(i))
	}
	table := m.rows()
	scores, err := m.score(list)
	if err != nil {
		return err
	}
	if err := g.network.Run(&m.batch, models.Inputs{Table: table, Scores: scores}, 0); err != nil {
		return err
	}
	margins, x := g.network.Margins(), ops.Mat{Rows: m.batch.Words(), Cols: m.table.Dim, Data: table, IDs: m.batch.IDs}
	grads, byWeight := g.network.RowGradients(), g.network.AttentionGradient()
	return m.pool.For(len(list), func(i int) {
		at := place[i]
		lo, hi := m.batch.Offsets[at], m.batch.Offsets[at+1]
		var weights []float32
		if byWeight != nil {
			weights = byWeight[lo:hi]
		}
		f(i, Derived{
			Weights: weights,
			Margin:  margins[at],
			X:       func(word int) []float32 { return x.Row(lo + word) },
			D:       func(word int) []float32 { return grads.Row(lo + word) },
		})
	})
}
