package infer

import (
	"slices"

	"imdbexp/dataset"
	"imdbexp/models"
)

// Imposer asks a model what it says when the weights of its attention are given. Only a
// model that ends in one weighted sum of its words has such weights.
type Imposer struct {
	model   *Model
	network *models.Network
}

// Imposer builds a network of the model's weights for that. Close it before the model.
func (m *Model) Imposer() (*Imposer, error) {
	n, err := models.NewNetwork(models.Spec{
		Model: m.model, Weights: m.weights, Pool: m.pool, Dim: m.table.Dim, Classes: len(m.Classes),
		Training: true, Margins: true, Impose: true, TrainRows: true, Seed: m.settings.Seed,
	})
	if err != nil {
		return nil, err
	}
	return &Imposer{m, n}, nil
}

// Close frees the network's graph.
func (p *Imposer) Close() error { return p.network.Close() }

// Imposed is what a model says of a text whose attention was given.
type Imposed struct {
	P []float32 // [C]
	// Slopes are how fast the margin of a class (ops.Margin; of two classes its log-odds)
	// rises with the weight of each word, as long as nothing but that weight changes; nil
	// unless they were asked for.
	Slopes []float64
}

// Run takes what the model's Run takes, and weights for each text, one a word. slopes
// returns the class whose margin is derived, of the text i; nil where no slopes are wanted.
func (p *Imposer) Run(list []Encoded, weights func(i int) []float32, slopes func(i int) int) ([]Imposed, error) {
	m, place := p.model, make([]int, len(list))
	if err := m.check(list); err != nil {
		return nil, err
	}
	m.pack(list, place)
	for i, at := range place {
		m.batch.Labels[at] = dataset.Unlabelled
		if slopes != nil {
			m.batch.Labels[at] = int32(slopes(i))
		}
	}
	in := models.Inputs{Table: m.rows(), Base: &models.Base{Weights: func(review int32) []float32 { return weights(int(review)) }}}
	if err := p.network.Run(&m.batch, in, 0); err != nil {
		return nil, err
	}
	out := make([]Imposed, len(list))
	for i, at := range place {
		row := p.network.Scores().Row(at)
		out[i].P = slices.Clone(row)
		if slopes == nil {
			continue
		}
		out[i].Slopes = make([]float64, len(list[i].Rows))
		for k, g := range p.network.ImposedGradient()[m.batch.Offsets[at]:][:len(list[i].Rows)] {
			out[i].Slopes[k] = float64(g)
		}
	}
	return out, nil
}
