// Package infer asks a run that has been trained about a text: it rebuilds
// tokeniser, words, vectors and model from the run's folder alone, so that the
// data need not be there any more.
package infer

import (
	"errors"
	"fmt"

	"imdbexp/dataset"
	"imdbexp/dataset/token"
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
)

// Model is the model of a run with the weights of the epoch that counts. One
// goroutine may use it at a time.
type Model struct {
	Classes []string

	settings  settings.Run
	tokenizer token.Tokenizer
	table     *dataset.Table
	network   *models.Network
	weights   *models.Weights
	batch     ragged.Batch // of one review
	mean      []float32    // [d] of its vectors
}

// Open rebuilds the model of a run that has at least one whole epoch behind it.
func Open(run *runs.Run, pool *ops.Pool) (*Model, error) {
	m, err := open(run, pool)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", run.Label(), err)
	}
	return m, nil
}

func open(run *runs.Run, pool *ops.Pool) (*Model, error) {
	c := &run.Config
	m := &Model{Classes: c.Classes}
	info, err := models.Lookup(c.Model)
	if err != nil {
		return nil, err
	}
	model := info.New()
	set, err := settings.New(&m.settings, model)
	if err != nil {
		return nil, err
	}
	if err := set.Apply("run", c.Settings.Assignments()...); err != nil {
		return nil, err
	}
	if m.tokenizer, err = token.Get(m.settings.Tokenizer()); err != nil {
		return nil, err
	}
	trained, err := run.Checkpoint(run.ChosenCheckpoint())
	if err != nil {
		return nil, err
	}
	table, err := run.Table()
	if err != nil {
		return nil, err
	}
	learned := m.settings.Unknown() == string(dataset.OOVLearned)
	m.weights = models.NewWeights(m.settings.Seed)
	m.network, err = models.NewNetwork(models.Spec{
		Model: model, Weights: m.weights, Pool: pool, Dim: table.Dim, Classes: len(c.Classes),
		TrainRows: learned || m.settings.TrainVectors, Seed: m.settings.Seed,
	})
	if err != nil {
		return nil, err
	}
	list := m.weights.List()
	switch {
	case m.settings.TrainVectors: // the run began with the table's rows; its own are in the checkpoint
		list = append(list, &models.Weight{Name: models.VectorsWeight, Rows: len(table.Rows) / table.Dim, Cols: table.Dim, Data: table.Rows})
	case learned:
		row := table.Rows[int(dataset.OOVRow)*table.Dim:][:table.Dim]
		list = append(list, &models.Weight{Name: models.OOVWeight, Rows: 1, Cols: table.Dim, Data: row})
	}
	err = fill(list, trained.Params)
	if err == nil {
		err = fill(m.weights.States(), trained.States)
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	m.table = dataset.NewTable(table.Words, table.Rows, table.Dim, dataset.OOV(m.settings.Unknown()))
	m.mean = make([]float32, table.Dim)
	m.batch = ragged.Batch{Offsets: []int{0, 0}, Reviews: []int32{0}, Labels: []int32{dataset.Unlabelled}}
	return m, nil
}

// fill copies trained arrays into the weights of the model.
func fill(list []*models.Weight, trained []runs.Tensor) error {
	for _, w := range list {
		data, err := runs.Numbers[float32](trained, w.Name, len(w.Data))
		if err != nil {
			return err
		}
		copy(w.Data, data)
	}
	return nil
}

// Close frees the model's graph.
func (m *Model) Close() error { return m.network.Close() }
