package web

import (
	"context"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/cmd/exp/internal/web/train"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/guard"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
	"imdbexp/runs"
)

// maxTrained is the max number of the runs trained here that are kept, in memory.
const maxTrained = 4

// trainedHere is the prefix of the keys of these runs.
const trainedHere = "trained/here/"

// trainer trains for visitors of the page, one training at a time.
type trainer struct {
	workers int
	loader  *task.Loader  // without a folder: it keeps the sample and its word vectors in memory
	busy    chan struct{} // holds a token while a training runs
	wait    time.Duration // for the previous training, which may have been cancelled
	kept    *lru.Cache[string, trained]
}

// trained is a run that was trained here.
type trained struct {
	model *infer.Trained
	ended Ended
}

// Ended is the end of a training, and the key of the run for questions.
type Ended struct {
	*train.Ended
	Key string `json:"key"`
}

func newTrainer(workers int) *trainer {
	kept, _ := lru.New[string, trained](maxTrained) // the size is above 0
	return &trainer{workers: workers, loader: &task.Loader{Workers: workers}, busy: make(chan struct{}, 1), wait: time.Second, kept: kept}
}

// Offer lists the experiments that can be trained, and the runs trained before.
type Offer struct {
	train.Offer
	Refused string  `json:"refused"` // why nothing can be trained
	Ended   []Ended `json:"kept"`    // the last one first
}

// noTraining is the reason of a public server without --train.
const noTraining = "Training is off: this page is open to other machines, and a training would use the processors of this one. exp serve --public --train turns it on."

func (s *Server) training(context.Context, struct{}) (Offer, error) {
	if !s.o.Train {
		return Offer{Refused: noTraining, Ended: []Ended{}}, nil
	}
	o, err := train.Offered()
	out := Offer{Offer: o, Ended: []Ended{}}
	for _, one := range slices.Backward(s.trainer.kept.Values()) {
		out.Ended = append(out.Ended, one.ended)
	}
	return out, err
}

// train trains the run that a visitor asks for, and sends its progress: a line of JSON for each
// train.News. It ends when the visitor disconnects or the server stops.
func (s *Server) train(w http.ResponseWriter, r *http.Request) {
	var q train.Question
	err := decode(w, r, &q)
	if !s.o.Train {
		err = refuse(http.StatusForbidden, "%s", noTraining)
	}
	if err == nil {
		_, err = q.Plan()
	}
	if err != nil {
		fail(w, err)
		return
	}
	select {
	case s.trainer.busy <- struct{}{}:
		defer func() { <-s.trainer.busy }()
	case <-time.After(s.trainer.wait):
		fail(w, refuse(http.StatusConflict, "another training is under way: wait for its end, or cancel it in the page that began it"))
		return
	}
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := http.NewResponseController(w)
	send := func(n train.News) {
		if _, err := w.Write(append(n.JSON(), '\n')); err != nil || out.Flush() != nil { // the visitor has gone
			cancel()
		}
	}
	err = guard.Call(func() error { return s.trainer.train(ctx, q, send) })
	if broken, is := errors.AsType[*guard.Error](err); is {
		s.o.Log("internal error: %s: %v", r.URL.Path, broken)
		err = errors.New("internal error: see the terminal that runs exp serve")
	}
	if ctx.Err() != nil {
		err = errors.New("The server has ended, and the training with it.")
	}
	if err != nil {
		send(train.News{Kind: "failed", Value: err.Error()})
	}
}

// train trains on a separate pool, so that questions are still answered.
func (t *trainer) train(ctx context.Context, q train.Question, send func(train.News)) error {
	pool := ops.NewPool(t.workers)
	defer pool.Close()
	model, e, err := train.Train(ctx, q, &training.Runner{Loader: t.loader, Pool: pool}, send)
	if err != nil {
		return err
	}
	end := Ended{e, trainedHere + e.Run}
	t.kept.Remove(end.Key)
	t.kept.Add(end.Key, trained{model, end})
	send(train.News{Kind: "ended", Value: end})
	return nil
}

// maxPairs is the maximum number of pairs of words that self-attention weighs: about ten seconds on
// one core.
const maxPairs = 3_000_000_000

// models keeps the models used last open, as many as a page compares. It answers one question at a
// time.
type models struct {
	mu   sync.Mutex
	open *lru.Cache[string, opened]
}

// opened is a model, and its run as it was then; nil if it was trained here.
type opened struct {
	ask.Model
	run *runs.Run
}

func newModels() *models {
	open, _ := lru.NewWithEvict(page.MaxRuns, func(_ string, m opened) { m.Close() }) // the size is above 0
	return &models{open: open}
}

// ask answers a question. It opens the model unless it is open and its run has not changed.
func (m *models) ask(ctx context.Context, q ask.Question, epoch int, run *runs.Run, open func() (ask.Model, error)) (*ask.Answer, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if err := ctx.Err(); err != nil { // the visitor has disconnected
		return nil, err
	}
	model, ok := m.open.Get(q.Run)
	if !ok || model.run != run {
		m.open.Remove(q.Run)
		one, err := open()
		if err != nil {
			return nil, err
		}
		model = opened{one, run}
		m.open.Add(q.Run, model)
	}
	a, err := model.Put(q, maxPairs)
	if err != nil {
		return nil, err
	}
	a.Run, a.Epoch = q.Run, epoch
	return a, nil
}

// close waits for the current question and frees the models.
func (m *models) close() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.open.Purge()
}
