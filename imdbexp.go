// Package imdbexp trains the experiments of this module, and asks their models about texts, from
// another Go program:
//
//	run, err := imdbexp.Train(ctx, imdbexp.Options{}, "tme9-lstm", "seed=2") // exp run tme9-lstm seed=2
//	m, err := imdbexp.Open(run.Path, 0)
//	answers, err := m.Predict(ctx, "a great film")        // exp predict
//	view, err := m.Attend("a great film", imdbexp.Selection{}) // exp attend
//
// A run has the ID, the results and the bytes of the run that the command trains. Package runs reads it,
// and finds the other runs of a folder. Package models registers models: the example Model shows one of
// another program. The registered models are the only global state.
package imdbexp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"imdbexp/dataset/folder"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
	"imdbexp/models"
	"imdbexp/runs"
)

// Options say where a training reads and writes and what it reports. The zero value is valid.
type Options struct {
	Runs    string             // folder of runs; "" is runs
	Data    string             // data folder of exp data; "" for the embedded data alone (data=sample, data=phrases)
	Workers int                // goroutines that compute, 0 for one on each CPU; the result does not depend on it
	Epoch   func(runs.Metrics) // is called after each epoch, during Train; nil for none
	Warn    func(error)        // is called with problems that do not stop the training; nil for none
}

// Train trains an experiment of the catalogue, or a registered model by its name, with settings of the
// form key=value that differ from its own. It resumes a run that was interrupted, and returns a run that
// has finished before. When ctx ends it returns an error that wraps ctx.Err; the run can be resumed.
// A loss that is not finite is a *training.DivergedError.
func Train(ctx context.Context, o Options, name string, assignments ...string) (*runs.Run, error) {
	if err := settings.Twice(assignments); err != nil {
		return nil, err
	}
	auto, err := plan.AutoData(o.Data)
	if err != nil {
		return nil, err
	}
	e, err := experiments.Lookup(name)
	if info, unknown := models.Lookup(name); err != nil && unknown == nil {
		e, err = &experiments.Experiment{Name: name, Group: name, Model: name, Shows: info.Title}, nil
	}
	if err != nil {
		return nil, err
	}
	p, err := plan.New(plan.Base{Experiment: e}, auto.Data, assignments)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	if _, err := (&plan.Adapter{Dir: o.Data}).Adapt(ctx, []*plan.Plan{p}); err != nil {
		return nil, err
	}
	pool := ops.NewPool(o.Workers)
	defer pool.Close()
	r := &training.Runner{Dir: cmp.Or(o.Runs, "runs"), Pool: pool, Loader: &task.Loader{Dir: o.Data, Workers: pool.Workers(), Warn: o.Warn}}
	var hooks training.Hooks
	if o.Epoch != nil {
		hooks.Epoch = func(m runs.Metrics, _ runs.Timing) { o.Epoch(m) }
	}
	out, err := r.Run(ctx, p, hooks)
	if err != nil {
		return nil, err
	}
	return out.Run, nil
}

// Model is the trained model of a run that classifies texts. It is safe for concurrent use; calls wait
// for each other, and each uses all workers.
type Model struct {
	Classes []string // such as neg and pos

	mu     sync.Mutex
	model  *infer.Model
	config runs.Config
	pool   *ops.Pool
}

// Open opens the model of a run by its folder, such as runs/tme9-lstm/ea46cb0f7a10, or a file that exp
// export has written. The data need not be there. workers is the number of goroutines that compute, 0
// for one on each CPU. A run without a whole epoch, or of a model that translates or guesses words, is
// an error. Close frees the model.
func Open(path string, workers int) (*Model, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.IsDir() {
		t, err := infer.ReadFile(path)
		return open(t, err, workers)
	}
	run, err := runs.Open(path)
	if err != nil {
		return nil, err
	}
	t, err := infer.ReadRun(run)
	return open(t, err, workers)
}

// Parse is Open for the content of a file that exp export has written, such as one that //go:embed
// embeds.
func Parse(b []byte, workers int) (*Model, error) {
	t, err := infer.ParseFile(b)
	return open(t, err, workers)
}

func open(t *infer.Trained, err error, workers int) (*Model, error) {
	if err != nil {
		return nil, err
	}
	pool := ops.NewPool(workers)
	m, err := t.Model(pool)
	if err != nil {
		pool.Close()
		return nil, err
	}
	return &Model{Classes: m.Classes, model: m, config: t.Config, pool: pool}, nil
}

// LookUp lets the model find words that training has not met in the pretrained vectors of its run, which
// are installed in a data folder, as exp predict and exp attend do. The vectors stay in memory. It does
// nothing for a run that trained its vectors.
func (m *Model) LookUp(ctx context.Context, data string) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	err := m.model.LookUpInstalled(ctx, data, &m.config, folder.Options{})
	if errors.Is(err, infer.ErrNoLookUp) {
		return nil
	}
	return err
}

// Close frees the model.
func (m *Model) Close() error {
	m.mu.Lock()
	defer m.mu.Unlock()
	defer m.pool.Close()
	return m.model.Close()
}

// Predict predicts the class of each text. Predicted is an index of Classes, P has the probability of
// each class; Label is -1. A text with more words than the model can read is an error.
func (m *Model) Predict(ctx context.Context, texts ...string) ([]runs.Prediction, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	var out []runs.Prediction
	read := func(_ context.Context, yield func(infer.Input) error) error {
		for i, text := range texts {
			if err := yield(infer.Input{Text: text, Where: fmt.Sprintf("text %d", i+1)}); err != nil {
				return err
			}
		}
		return nil
	}
	err := m.model.Stream(ctx, m.pool.Workers(), read, func(_ []infer.Input, answers []infer.Answer) error {
		for _, a := range answers {
			out = append(out, a.Prediction)
		}
		return nil
	})
	return out, err
}

// Selection chooses one of a model's attentions. The zero value is the weight of each word, or in layers of
// self-attention what each word receives in the last layer, on average over its heads.
type Selection struct {
	Layer int    // from 1; 0 for the last
	Head  int    // from 1; 0 for the mean of the layer's heads
	Word  string // the attention of this word: a word, its number from 1, or [CLS]; "" for that of all words
}

// Attention is a prediction for a text, and how much the model attends to each word.
type Attention struct {
	Class   int       // the predicted one, an index of Classes
	P       []float32 // the probability of each class
	Words   []Word    // that the model read, in the order of the text; a text without words has an empty one
	What    string    // describes the weights; "" for a model without attention, whose weights are 0
	Entropy float64   // of the weights in nats, from 0 (one word) to the logarithm of their number (uniform)
	CLS     float32   // the weight of [CLS], where the model attends to it
}

// Word is a word of a text.
type Word struct {
	Text       string
	Start, End int     // its bytes in the text
	Known      bool    // the model has a vector for it
	Weight     float32 // the weights of all words add up to one, less that of [CLS] and of padding (slip.pad)
}

// Attend returns the attention to a text that o chooses. A layer, head or word that the model or the text
// does not have is an error, and so is a text with more words than the model can read.
func (m *Model) Attend(text string, o Selection) (*Attention, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	v, err := m.model.View(text, infer.Selection(o))
	if err != nil {
		return nil, err
	}
	out := &Attention{Class: v.Class, P: v.P}
	for i, w := range v.Words {
		out.Words = append(out.Words, Word{Text: w.Word, Start: w.Start, End: w.End, Known: v.Known[i]})
	}
	if a := v.Attended; a != nil {
		out.What, out.Entropy, out.CLS = a.What, a.Entropy, a.CLS
		for i, w := range a.Weights {
			out.Words[i].Weight = w
		}
	}
	return out, nil
}
