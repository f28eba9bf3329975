package web

import (
	"context"

	lru "github.com/hashicorp/golang-lru/v2"

	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/runs"
)

// maxPairs is the maximum number of pairs of words that self-attention weighs: about ten seconds on
// one core.
const maxPairs = 3_000_000_000

// models keeps the models that were asked last open, as many as a page shows next to each other. It
// answers one question at a time.
type models struct {
	busy chan struct{} // holds a token while a question is answered
	open *lru.Cache[string, opened]
}

// opened is a model, and its run as it was then; nil if it was trained here.
type opened struct {
	ask.Model
	run *runs.Run
}

func newModels() *models {
	open, err := lru.NewWithEvict(page.MaxRuns, func(_ string, m opened) { m.Close() })
	if err != nil {
		panic(err) // the size is a constant above 0
	}
	return &models{make(chan struct{}, 1), open}
}

// ask answers a question. It opens the model unless it is open and its run has not changed.
func (m *models) ask(ctx context.Context, q ask.Question, epoch int, run *runs.Run, open func() (ask.Model, error)) (*ask.Answer, error) {
	select {
	case m.busy <- struct{}{}:
		defer func() { <-m.busy }()
	case <-ctx.Done(): // the visitor has disconnected
		return nil, ctx.Err()
	}
	model, ok := m.open.Get(q.Run)
	if !ok || model.run != run {
		m.open.Remove(q.Run)
		if m.open.Len() == page.MaxRuns { // the next one needs the memory
			m.open.RemoveOldest()
		}
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
	m.busy <- struct{}{}
	defer func() { <-m.busy }()
	m.open.Purge()
}
