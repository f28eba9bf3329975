package web

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"sync"
	"time"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/train"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/guard"
	"imdbexp/internal/ops"
)

// maxTrained is how many of the runs that were trained here are kept, in memory; the next one
// takes the place of the one asked longest ago.
const maxTrained = 4

// here begins the keys of runs that were trained here. Those of the folder have one slash.
const here = "trained/here/"

// trainer trains for readers of the page, one after the other.
type trainer struct {
	workers int
	loader  *task.Loader // without a folder: it keeps the sample and its word vectors in memory
	asked   *ops.Pool    // on which models that were trained here are asked, one at a time

	place chan struct{} // holds a token while something is trained
	wait  time.Duration // for it

	mu    sync.Mutex // of what follows
	under string     // the experiment that was begun last
	kept  lru[*trained]
}

// trained is a run that was trained here.
type trained struct {
	Key      string         `json:"key"`
	Label    string         `json:"label"`
	About    string         `json:"about"` // its settings
	Citation string         `json:"citation"`
	model    *infer.Trained // nobody changes it
}

func newTrainer(workers int) *trainer {
	return &trainer{workers: workers, loader: &task.Loader{Workers: workers}, asked: ops.NewPool(workers), place: make(chan struct{}, 1), wait: time.Second, kept: lru[*trained]{most: maxTrained}}
}

// begin takes the only place there is, until end is called. It waits a moment for it: who
// has cancelled a training may begin the next one before that has heard of it.
func (t *trainer) begin(ctx context.Context, name string) (end func(), err error) {
	select {
	case t.place <- struct{}{}:
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-time.After(t.wait):
		t.mu.Lock()
		defer t.mu.Unlock()
		return nil, refuse(http.StatusConflict, "%s is being trained here already, and trainings come one at a time: wait for its end, or cancel it in the page that began it", t.under)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.under = name
	return func() { <-t.place }, nil
}

// keep takes in what was trained; the same run trained again takes its own place.
func (t *trainer) keep(of *infer.Trained, e *train.Ended) *trained {
	one := &trained{here + e.Run, e.Run, e.About, e.Citation, of}
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept.remove(one.Key)
	t.kept.put(one.Key, one)
	return one
}

// get returns a run that was trained here; nil for none.
func (t *trainer) get(key string) *trained {
	t.mu.Lock()
	defer t.mu.Unlock()
	one, _ := t.kept.get(key)
	return one
}

// list returns those that are kept, the one asked last in front.
func (t *trainer) list() []*trained {
	t.mu.Lock()
	defer t.mu.Unlock()
	out := []*trained{}
	for _, it := range slices.Backward(t.kept.items) {
		out = append(out, it.value)
	}
	return out
}

// notHere says why nothing is trained.
const notHere = "Nothing is trained here: the page is open to other machines, and would train on this one for whoever asks. exp serve --public --train has it do so."

// offered is what can be trained, and what was.
type offered struct {
	train.Offer
	Not  string     `json:"not"` // why nothing can be
	Kept []*trained `json:"kept"`
}

func (s *Server) trainables(w http.ResponseWriter, _ *http.Request) error {
	if !s.o.Train {
		return reply(w, offered{Not: notHere, Kept: []*trained{}})
	}
	o, err := train.Offered()
	if err != nil {
		return err
	}
	return reply(w, offered{Offer: o, Kept: s.trainer.list()})
}

// ended is told of a training that has come to its end.
type ended struct {
	*train.Ended
	Key string `json:"key"` // by which the run is asked
}

// train trains what a reader asks for, and tells of it as it goes: a line of JSON for each
// train.News. It ends with the reader, who cancels by hanging up, and with the server.
func (s *Server) train(w http.ResponseWriter, r *http.Request) error {
	if !s.o.Train {
		return refuse(http.StatusForbidden, "%s", notHere)
	}
	var q train.Question
	if err := decode(w, r, &q); err != nil {
		return err
	}
	if n := len(q.Name + q.LR + q.Lambda + q.Seed); n > 200 {
		return refuse(http.StatusBadRequest, "the settings of a training have %d characters: want a name and three numbers", n)
	}
	if _, err := q.Plan(); err != nil {
		return refuse(http.StatusBadRequest, "%v", err)
	}
	end, err := s.trainer.begin(r.Context(), q.Name)
	if err != nil {
		return err
	}
	defer end()
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	w.Header().Set("Content-Type", "application/x-ndjson")
	out := http.NewResponseController(w)
	out.SetReadDeadline(time.Time{}) // the request is over, its deadline is not
	tell := func(n train.News) {
		b, err := json.Marshal(n)
		if err == nil {
			out.SetWriteDeadline(time.Now().Add(10 * time.Second))
			if _, err = w.Write(append(b, '\n')); err == nil {
				err = out.Flush()
			}
		}
		if err != nil { // nobody reads it
			cancel()
		}
	}
	err = guard.Call(func() error { return s.trainer.train(ctx, q, tell) })
	switch broken, is := errors.AsType[*guard.Error](err); {
	case err == nil:
	case is:
		s.o.Log("internal error: %s %s: %v", r.Method, r.URL.Path, broken)
		tell(train.News{Kind: "failed", Value: "internal error: the terminal that runs exp serve has more"})
	case ctx.Err() != nil: // a reader who has gone does not hear it
		tell(train.News{Kind: "failed", Value: "The server has ended, and the training with it."})
	default:
		tell(train.News{Kind: "failed", Value: s.catalog.public(err.Error())})
	}
	return nil
}

// train trains on a pool of its own, so that questions are answered meanwhile.
func (t *trainer) train(ctx context.Context, q train.Question, tell func(train.News)) error {
	pool := ops.NewPool(t.workers)
	defer pool.Close()
	of, e, err := train.Train(ctx, q, &training.Runner{Loader: t.loader, Pool: pool}, tell)
	if err != nil {
		return err
	}
	tell(train.News{Kind: "ended", Value: ended{e, t.keep(of, e).Key}})
	return nil
}

// asking is a run that was trained here, to be asked. Its model is opened for each question:
// it is small.
func (t *trainer) asking(one *trained) *subject {
	return &subject{one.Key, one.Label, one.model.Epoch, func() (ask.Model, func(), error) {
		m, err := ask.Open(one.model, t.asked)
		return m, func() { m.Close() }, err
	}}
}
