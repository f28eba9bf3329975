// Package infer asks a run that has been trained about a text: it rebuilds
// tokeniser, words, vectors and model from the run's folder alone, so that the
// data need not be there any more.
package infer

import (
	"errors"
	"fmt"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/ngrams"
	"imdbexp/dataset/token"
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/models/counts"
	"imdbexp/runs"
)

// Model is the model of a run with the weights of the epoch that counts. One
// goroutine may run it at a time.
type Model struct {
	Classes []string

	settings  settings.Run
	tokenizer token.Tokenizer
	table     *embedding.Table
	more      *lookup // of words that the table does not have; may be nil
	model     models.Model
	mixes     bool // a prediction depends on the other texts of the batch
	network   *models.Network
	scorer    *counts.Scorer // of a model that counts n-grams; nil for others
	wide      *counts.Scorer // beside a network whose classifier reads its scores, too; nil for others
	left      *ngrams.Left   // n-grams that a page has left out; nil for none
	weights   *models.Weights
	pool      *ops.Pool
	longest   int // most words of a text; 0: no limit
	batch     ragged.Batch
	means     []float32 // [B, d] of the vectors of its texts
	beside    beside
	tail      *ops.Tail // behind the attention; nil until it is asked for
}

// Open rebuilds the model of a run that has at least one whole epoch behind it.
func Open(run *runs.Run, pool *ops.Pool) (*Model, error) {
	t, err := ReadRun(run)
	if err != nil {
		return nil, err
	}
	return t.Model(pool)
}

// Model rebuilds the model, ready to be asked; it takes over the table.
func (t *Trained) Model(pool *ops.Pool) (*Model, error) {
	m, err := t.rebuild(pool)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Label(), err)
	}
	return m, nil
}

// Untrained rebuilds the model with weights drawn by a seed, as training would begin
// with, in the place of the trained ones; the words keep their vectors, and n-grams beside
// the network, which are fitted before it is trained, theirs. It takes over the table.
func (t *Trained) Untrained(pool *ops.Pool, seed uint64) (*Model, error) {
	m, err := t.draw(pool, &seed)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Label(), err)
	}
	return m, nil
}

func (t *Trained) rebuild(pool *ops.Pool) (*Model, error) {
	m, err := t.draw(pool, nil)
	if err != nil {
		return nil, err
	}
	if c, is := m.model.(models.Counting); is {
		m.scorer, err = t.scorer(c, featuresTensor, runs.Matrices(t.Weights))
	} else {
		err = models.Fill(m.weights.List(), runs.Matrices(t.Weights))
	}
	if err == nil {
		err = models.Fill(m.weights.States(), runs.Matrices(t.Weights))
	}
	if err == nil {
		m.left, err = t.leftOut()
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// draw builds the model with weights that nobody has trained, by a seed or by the
// run's own.
func (t *Trained) draw(pool *ops.Pool, seed *uint64) (*Model, error) {
	m := &Model{Classes: t.Config.Classes, pool: pool, longest: longest(&t.Config)}
	var err error
	if m.model, err = t.Architecture(&m.settings); err != nil {
		return nil, err
	}
	if m.tokenizer, err = token.Get(m.settings.Tokenizer()); err != nil {
		return nil, err
	}
	if seed != nil {
		m.settings.Seed = *seed
	}
	m.mixes = models.BatchDependent(m.model)
	table, unknown := t.Table, embedding.OOV(m.settings.Unknown())
	m.weights = models.NewWeights(m.settings.Seed)
	m.network, err = models.NewNetwork(models.Spec{
		Model: m.model, Weights: m.weights, Pool: pool, In: table.Dim, Out: len(m.Classes),
		TrainRows: m.settings.TrainVectors || unknown == embedding.OOVLearned, Seed: m.settings.Seed,
	})
	if err != nil {
		return nil, err
	}
	m.table = embedding.NewTable(table.Words, table.Rows, table.Dim, unknown)
	if beside, _ := models.WideInput(m.model); beside != nil {
		if m.wide, err = t.scorer(beside, models.WideFeatures, models.WideWeights(runs.Matrices(t.Weights))); err != nil {
			return nil, errors.Join(err, m.Close())
		}
	}
	return m, nil
}

// Close frees the model's graph.
func (m *Model) Close() error { return m.network.Close() }
