// Package infer predicts texts with a trained run. It rebuilds tokeniser, words,
// vectors and model from the run's folder alone, so the data need not be
// installed any more.
package infer

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strconv"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/token"
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/models/counts"
	"imdbexp/runs"
)

// Model is the model of a run with the weights of the chosen epoch. One
// goroutine may run it at a time.
type Model struct {
	Classes []string

	settings  settings.Run
	tokenizer token.Tokenizer
	table     *embedding.Table
	more      *lookup // words that the table does not have; may be nil
	model     models.Model
	mixes     bool // a prediction depends on the other texts of the batch
	network   *models.Network
	scorer    *counts.Scorer // of a bag-of-n-grams model; nil for others
	wide      *counts.Scorer // the second input of a classifier; nil for others
	left      int            // n-grams that a page omits
	weights   *models.Weights
	pool      *ops.Pool
	longest   int // maximum number of words of a text; 0: no limit
	batch     ragged.Batch
	means     []float32 // [B, d] means of the vectors of the batch's texts
	extended  extended
	tail      *ops.Tail // the network after the attention; nil until it is needed
}

// Open rebuilds the model of a run, which needs at least one whole epoch.
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
	return m, t.labelled(err)
}

// Untrained rebuilds the model with the initial random weights of a seed. The words keep their
// vectors, and a second input of n-grams, which is fitted before training, keeps its weights. The
// model takes over the table.
func (t *Trained) Untrained(pool *ops.Pool, seed uint64) (*Model, error) {
	m, err := t.draw(pool, &seed)
	return m, t.labelled(err)
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
	if left, cut := tensor[[]byte](t, leftTensor); cut && err == nil {
		m.left, err = strconv.Atoi(string(left))
	}
	if err != nil {
		return nil, errors.Join(err, m.Close())
	}
	return m, nil
}

// draw builds the model with initial random weights. A nil seed is the run's own seed.
func (t *Trained) draw(pool *ops.Pool, seed *uint64) (*Model, error) {
	m := &Model{Classes: t.Config.Classes, pool: pool, longest: longest(&t.Config)}
	if t.Languages != nil {
		return nil, errTranslates
	}
	var err error
	if m.model, m.settings, m.tokenizer, err = t.Architecture(); err != nil {
		return nil, err
	}
	if _, guesses := m.model.(models.Reader); guesses {
		return nil, errGuesses
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
	if counting, _ := models.WideInput(m.model); counting != nil {
		if m.wide, err = t.scorer(counting, models.WideFeatures, models.WideWeights(runs.Matrices(t.Weights))); err != nil {
			return nil, errors.Join(err, m.Close())
		}
	}
	return m, nil
}

// Close frees the model's graph.
func (m *Model) Close() error { return m.network.Close() }

// LookError says that a model or a text does not have the attention that a Look chooses.
type LookError struct{ Message string }

func (e *LookError) Error() string { return e.Message }

// LookErrorf returns a LookError with a formatted message.
func LookErrorf(format string, args ...any) error { return &LookError{fmt.Sprintf(format, args...)} }

// NoGraph is the beginning of an error of a model that counts n-grams.
const NoGraph = "it counts n-grams and has no graph: "

// errTranslates says that a run translates, where one that classifies is needed.
var errTranslates = errors.New("it translates sentences, and this is for runs that classify reviews; use exp predict, exp attend or exp export with it")

// errGuesses says that a run is a language model, where one that classifies is needed.
var errGuesses = errors.New("it is a language model, which guesses words and knows no classes; a classifier can start from it with init=RUN")

// LongError says that a text has more words than the model can read.
type LongError struct {
	Text  int    // index in the list
	Name  string // "" for none
	Words int
	Limit string // what the model can read, and what to do
}

func (e *LongError) Error() string {
	return fmt.Sprintf("%s: %d words, %s", cmp.Or(e.Name, fmt.Sprintf("text %d", e.Text+1)), e.Words, e.Limit)
}

// called completes a LongError with the index or the name of its text.
func called(err error, as func(e *LongError)) error {
	if long := new(LongError); errors.As(err, &long) {
		as(long)
		return long
	}
	return err
}

// Named adds the name of its text to a LongError.
func Named(err error, names []string) error {
	return called(err, func(e *LongError) { e.Name = names[e.Text] })
}

// longest returns the maximum number of words of a text, 0 for no limit. [CLS] takes one of the
// learned positions.
func longest(c *runs.Config) int {
	most, err := strconv.Atoi(c.Setting("positions.max"))
	if err != nil || c.Setting("positions") != "learned" {
		return 0
	}
	if c.Setting("pool") == "cls" {
		most--
	}
	return most
}

// finite checks trained weights.
func finite(epoch int, lists ...[]runs.Tensor) error {
	for _, t := range slices.Concat(lists...) {
		data, _ := t.Data.([]float32)
		if i := slices.IndexFunc(data, func(v float32) bool { return v-v != 0 }); i >= 0 { // NaN or infinite
			return fmt.Errorf("value %d of %s after epoch %d is %v: weights that are not finite cannot predict. Train with a smaller learning rate, or with clip", i, t.Name, epoch, data[i])
		}
	}
	return nil
}
