package experiments

import (
	"imdbexp/dataset"
	"imdbexp/internal/ops"
	"imdbexp/models"
)

// spec says what the networks of a plan are built from; it is for training.
func (p *Plan) spec(d *Data, w *models.Weights, pool *ops.Pool) models.Spec {
	r := p.Run
	s := models.Spec{
		Model: p.Model, Weights: w, Pool: pool, Dim: d.Table.Dim, Classes: len(d.Classes),
		Training: true, TrainRows: r.TrainVectors || r.Unknown() == string(dataset.OOVLearned), Seed: r.Seed,
	}
	if d.Pairs != nil {
		s.Source, s.Target = d.Pairs.Source.Len(), d.Pairs.Target.Len()
	}
	return s
}
