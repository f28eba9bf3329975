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
	"sync"

	"imdbexp/dataset"
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
	model     models.Model
	mixes     bool // a prediction depends on the other texts of the batch
	network   *models.Network
	scorer    *counts.Scorer // of a bag-of-n-grams model; nil for others
	wide      *counts.Scorer // the second input of a classifier; nil for others
	weights   *models.Weights
	pool      *ops.Pool
	longest   int // maximum number of words of a text; 0: no limit
	batch     ragged.Batch
	means     []float32 // [B, d] means of the vectors of the batch's texts
	tail      *ops.Tail // the network after the attention; nil until it is needed

	mu   sync.Mutex // of the rows below
	rows []float32  // of the table, then of the words that LookUp has found, then those of WithVectors
	more lookup
}

// Open rebuilds the model of a run, which needs at least one whole epoch.
func Open(run *runs.Run, pool *ops.Pool) (*Model, error) {
	t, err := ReadRun(run)
	if err != nil {
		return nil, err
	}
	return t.Model(pool)
}

// Model rebuilds the model, which takes over the table.
func (t *Trained) Model(pool *ops.Pool) (*Model, error) { return t.rebuild(pool, nil) }

// Untrained rebuilds the model with the initial random weights of a seed. The words keep their
// vectors, and a second input of n-grams, which is fitted before training, keeps its weights. The
// model takes over the table.
func (t *Trained) Untrained(pool *ops.Pool, seed uint64) (*Model, error) {
	return t.rebuild(pool, &seed)
}

// rebuild builds the model with its trained weights, or with the initial ones of a seed.
func (t *Trained) rebuild(pool *ops.Pool, seed *uint64) (m *Model, err error) {
	m = &Model{Classes: t.Config.Classes, pool: pool, longest: longest(&t.Config)}
	defer func() {
		if err != nil && m.network != nil {
			err = errors.Join(err, m.Close())
		}
		if err != nil {
			m, err = nil, t.labelled(err)
		}
	}()
	if t.Languages != nil {
		return m, errTranslates
	}
	if m.model, m.settings, m.tokenizer, err = t.Architecture(); err != nil {
		return m, err
	}
	if _, guesses := m.model.(models.Reader); guesses {
		return m, errGuesses
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
		return m, err
	}
	m.table, m.rows = embedding.NewTable(table.Words, table.Rows, table.Dim, unknown), slices.Clip(table.Rows)
	numbers := runs.Matrices(t.Weights)
	if counting, _ := models.WideInput(m.model); counting != nil {
		m.wide, err = t.scorer(counting, models.WideFeatures, models.WideWeights(numbers))
	}
	if err != nil || seed != nil {
		return m, err
	}
	if c, is := m.model.(models.Counting); is {
		m.scorer, err = t.scorer(c, featuresTensor, numbers)
	} else {
		err = models.Fill(m.weights.List(), numbers)
	}
	return m, cmp.Or(err, models.Fill(m.weights.States(), numbers))
}

// Close frees the model's graph.
func (m *Model) Close() error { return m.network.Close() }

// SelectionError says that a model or a text does not have the attention that a Selection chooses.
type SelectionError struct{ Message string }

func (e *SelectionError) Error() string { return e.Message }

// SelectionErrorf returns a SelectionError with a formatted message.
func SelectionErrorf(format string, args ...any) error {
	return &SelectionError{fmt.Sprintf(format, args...)}
}

// NoGraph is the beginning of an error of a model that counts n-grams.
const NoGraph = "it counts n-grams and has no graph: "

// errTranslates says that a run translates, where one that classifies is needed.
var errTranslates = errors.New("it translates sentences, and this is for runs that classify reviews; use exp predict, exp attend or exp export with it")

// errGuesses says that a run is a language model, where one that classifies is needed.
var errGuesses = errors.New("it is a language model, which predicts words, not classes; a classifier can start from it with init=RUN")

// longest returns the maximum number of words of a text, 0 for no limit. [CLS] takes one of the
// learned positions.
func longest(c *runs.Config) int {
	limit, err := strconv.Atoi(c.Setting("positions.max"))
	if err != nil || c.Setting("positions") != "learned" {
		return 0
	}
	if c.Setting("pool") == "cls" {
		limit--
	}
	return limit
}

func finite(epoch int, lists ...[]runs.Tensor) error {
	for _, t := range slices.Concat(lists...) {
		data, _ := t.Data.([]float32)
		if i := slices.IndexFunc(data, func(v float32) bool { return v-v != 0 }); i >= 0 { // NaN or infinite
			return fmt.Errorf("value %d of %s after epoch %d is %v: weights that are not finite cannot predict. Train with a smaller learning rate, or with clip", i, t.Name, epoch, data[i])
		}
	}
	return nil
}

// Run predicts many texts in one pass of the network. The texts of one call share the
// memory of one batch; Each divides any number of texts into batches.
//
// The result for a text usually has the same bits in every batch. For a model that is
// BatchDependent (slip.pad, slip.batch_slot_norm) it depends on all the texts of the batch and
// their order; batches of BatchSize texts are comparable with training.
func (m *Model) Run(list []Encoded) (*Batch, error) {
	if err := m.check(list); err != nil {
		return nil, err
	}
	b := &Batch{model: m, place: make([]int, len(list)), words: make([]int, len(list))}
	for i, e := range list {
		b.words[i] = len(e.Rows)
	}
	m.pack(list, b.place)
	in, err := models.Inputs{Table: m.vectors()}, error(nil)
	if in.Scores, err = m.score(list); err != nil {
		return nil, err
	}
	if m.network.NeedsMeans() {
		if err := m.average(list, in.Table); err != nil {
			return nil, err
		}
		in.Means = m.means
	}
	if err := m.network.Run(&m.batch, in, 0); err != nil {
		return nil, err
	}
	b.seen, b.entropy = m.batch.Offsets, m.network.Entropies()
	if m.network.Heads() != nil {
		b.seen = m.network.HeadWords()
		b.front = b.seen[1] - m.batch.Offsets[1] // the longest text comes first and is never padded
	}
	return b, nil
}

// Ask is Run for a single text, which errors call "the text".
func (m *Model) Ask(e Encoded) (*Batch, error) {
	e.Name = "the text"
	return m.Run([]Encoded{e})
}

// check returns an error for an empty list, for a text without a row, and for a text that is too
// long.
func (m *Model) check(list []Encoded) error {
	if len(list) == 0 {
		return errors.New("no texts to ask the model about")
	}
	for i, e := range list {
		if len(e.Rows) == 0 {
			return fmt.Errorf("text %d has no words", i+1)
		}
		if m.longest > 0 && len(e.Rows) > m.longest {
			return fmt.Errorf("%s: %d words, and positions were learned for %d: shorten it, or train with a larger positions.max, with positions=sinusoid, or with data.max_len",
				cmp.Or(e.Name, fmt.Sprintf("text %d", i+1)), len(e.Rows), m.longest)
		}
	}
	return nil
}

// pack packs the texts into m.batch, by falling length, then in their order, and sets place to
// their indices there.
func (m *Model) pack(list []Encoded, place []int) {
	p := &m.batch
	p.Reset(false)
	p.Sort(len(list), func(i, j int32) int {
		return cmp.Or(cmp.Compare(len(list[j].Rows), len(list[i].Rows)), cmp.Compare(i, j))
	})
	for at, i := range p.Order {
		place[i] = at
		p.Add(i, dataset.Unlabelled, list[i].Rows)
	}
}

// average sets m.means to the mean vector of each text [B, d], as training computes it from frozen
// vectors.
func (m *Model) average(list []Encoded, table []float32) error {
	d := m.table.Dim
	m.means = slices.Grow(m.means[:0], len(list)*d)[:len(list)*d]
	return models.Means(m.pool, m.means, table, d, len(list), func(i int) []int32 { return list[i].Rows })
}
