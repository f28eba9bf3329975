package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"os"
	"strings"
	"time"
	"unicode/utf8"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/runs"
)

// Bounds of a question. The longest review of IMDB has 13 704 characters.
const (
	maxText    = 20_000 // characters
	maxBody    = 1 << 17
	maxWaiting = 8             // questions that wait for their turn
	maxPairs   = 3_000_000_000 // weights of self-attention: about ten seconds of one core

	longestWait = 30 * time.Second
)

// oracle answers questions one after the other, with the models asked last kept
// open.
type oracle struct {
	open func(*runs.Run) (ask.Model, error)
	turn chan struct{} // holds a token of each question that waits or is answered

	busy   chan struct{} // holds a token while a question is answered
	models lru[*opened]
	pairs  float64 // of words that a model may weigh
}

// opened is a model and the checkpoint it was read from.
type opened struct {
	model      ask.Model
	checkpoint os.FileInfo
}

// maxModels is how many models are kept open: those of a page that asks several side by
// side, and no more.
const maxModels = 4

func newOracle(open func(*runs.Run) (ask.Model, error)) *oracle {
	o := &oracle{open: open, turn: make(chan struct{}, maxWaiting), busy: make(chan struct{}, 1), pairs: maxPairs}
	o.models = lru[*opened]{most: maxModels, drop: func(m *opened) { m.model.Close() }}
	return o
}

// close frees the models.
func (o *oracle) close() {
	o.busy <- struct{}{}
	defer func() { <-o.busy }()
	for len(o.models.items) > 0 {
		o.models.remove(o.models.items[0].key)
	}
}

func (s *Server) predict(w http.ResponseWriter, r *http.Request) error {
	var q ask.Question
	if err := decode(w, r, &q); err != nil {
		return err
	}
	of, err := s.subject(q.Run)
	if err != nil {
		return err
	}
	switch n := utf8.RuneCountInString(q.Text); {
	case n > maxText:
		return refuse(http.StatusRequestEntityTooLarge, "the text has %d characters; at most %d are read", n, maxText)
	case strings.TrimSpace(q.Text) == "":
		return refuse(http.StatusBadRequest, "there is no text to predict")
	}
	select {
	case s.oracle.turn <- struct{}{}:
		defer func() { <-s.oracle.turn }()
	default:
		return refuse(http.StatusServiceUnavailable, "too many texts at once: try again in a moment")
	}
	a, err := s.oracle.answer(r.Context(), of, q)
	if err != nil {
		if _, ok := errors.AsType[*refusal](err); ok || r.Context().Err() != nil {
			return err
		}
		return refuse(http.StatusUnprocessableEntity, "%s", s.catalog.public(err.Error()))
	}
	return reply(w, a)
}

// subject is a run that is asked about a text.
type subject struct {
	key, label string
	epoch      int
	open       func() (m ask.Model, done func(), err error) // one at a time; done frees what is not kept
}

// subject returns the run of a key: one that was trained here, or one of the folder.
func (s *Server) subject(key string) (*subject, error) {
	if one := s.trainer.get(key); one != nil {
		return s.trainer.asking(one), nil
	}
	e := s.catalog.fresh().byKey[key]
	switch {
	case strings.HasPrefix(key, here):
		return nil, refuse(http.StatusNotFound, "%s is no longer kept: of what is trained here the last %d runs are; train it again", cut(strings.TrimPrefix(key, here), 100), maxTrained)
	case e == nil || e.run == nil:
		return nil, refuse(http.StatusNotFound, "there is no run %q that can be read", cut(key, 100))
	case e.done() == 0:
		return nil, refuse(http.StatusConflict, "%s has no whole epoch yet", e.run.Label())
	}
	return &subject{e.key, e.run.Label(), e.run.ChosenEpoch(), func() (ask.Model, func(), error) {
		m, err := s.oracle.model(e)
		return m, func() {}, err
	}}, nil
}

// decode reads the JSON of a request. Only JSON is taken: a form of another site
// cannot send that.
func decode(w http.ResponseWriter, r *http.Request, into any) error {
	if t, _, _ := mime.ParseMediaType(r.Header.Get("Content-Type")); t != "application/json" {
		return refuse(http.StatusUnsupportedMediaType, "want application/json")
	}
	d := json.NewDecoder(http.MaxBytesReader(w, r.Body, maxBody))
	d.DisallowUnknownFields()
	err := d.Decode(into)
	if err == nil {
		if _, more := d.Token(); more != io.EOF {
			err = errors.New("more than one value")
		}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return refuse(http.StatusRequestTimeout, "the request did not come whole in time")
	}
	if _, large := errors.AsType[*http.MaxBytesError](err); large {
		return refuse(http.StatusRequestEntityTooLarge, "the request is larger than %d bytes", maxBody)
	}
	if err != nil {
		return refuse(http.StatusBadRequest, "the request makes no sense: %v", err)
	}
	return nil
}

// answer asks the model of a run, which it opens if need be.
func (o *oracle) answer(ctx context.Context, of *subject, q ask.Question) (*ask.Answer, error) {
	select {
	case o.busy <- struct{}{}:
		defer func() { <-o.busy }()
	case <-ctx.Done(): // gone while it waited
		return nil, ctx.Err()
	case <-time.After(longestWait):
		return nil, refuse(http.StatusServiceUnavailable, "other texts take long: try again in a moment")
	}
	m, done, err := of.open()
	if err != nil {
		return nil, err
	}
	defer done()
	a, err := m.Put(q, o.pairs)
	if long, is := errors.AsType[*ask.TooLongError](err); is {
		return nil, refuse(http.StatusRequestEntityTooLarge, "%v", long)
	}
	if _, wrong := errors.AsType[*infer.LookError](err); wrong {
		return nil, refuse(http.StatusBadRequest, "%v", err)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", of.label, err)
	}
	a.Run, a.Epoch = of.key, of.epoch
	return a, nil
}

// model returns the open model of a run; one whose run has gone on since is
// opened anew.
func (o *oracle) model(e *entry) (ask.Model, error) {
	if m, ok := o.models.get(e.key); ok {
		if same(m.checkpoint, e.files[1]) {
			return m.model, nil
		}
		o.models.remove(e.key)
	}
	if err := ordinary(e.path); err != nil {
		return nil, err
	}
	o.models.room() // before the next one needs memory
	m, err := o.open(e.run)
	if err != nil {
		return nil, err
	}
	o.models.put(e.key, &opened{m, e.files[1]})
	return m, nil
}
