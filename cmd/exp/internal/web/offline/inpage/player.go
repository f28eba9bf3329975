// Package inpage runs in the page of exp export --page: it has the models of the page and answers
// questions about texts. It does not depend on a browser.
package inpage

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/train"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/guard"
	"imdbexp/internal/infer"
	"imdbexp/internal/ops"
)

// mostPairs limits the pairs of words that a model weighs: about ten seconds in a browser.
const mostPairs = 100_000_000

// Player holds the models of a page.
type Player struct {
	pool   *ops.Pool
	models []ask.Model
	run    []string
	epochs []int
}

// New returns a player without models.
func New() *Player { return &Player{pool: ops.NewPool(1)} }

// Close frees the models.
func (p *Player) Close() error {
	var err error
	for _, m := range p.models {
		err = errors.Join(err, m.Close())
	}
	p.pool.Close()
	return err
}

// Model adds a model, written by infer.Trained.Write, and its table of words from SplitTable; a
// translator contains its words.
func (p *Player) Model(b, table []byte) error {
	return guard.Call(func() error {
		t, err := infer.ParseFile(b)
		if err != nil {
			return err
		}
		if t.Languages == nil {
			if err := t.JoinTable(table); err != nil {
				return err
			}
		}
		m, err := ask.Open(t, p.pool)
		if err != nil {
			return err
		}
		p.models, p.run, p.epochs = append(p.models, m), append(p.run, t.Label()), append(p.epochs, t.Epoch)
		return nil
	})
}

// Ask asks model i. The question is an ask.Question as JSON, the answer an ask.Answer.
func (p *Player) Ask(i int, question string) (answer []byte, err error) {
	err = guard.Call(func() error {
		var q ask.Question
		if err := json.Unmarshal([]byte(question), &q); err != nil {
			return err
		}
		if i < 0 || i >= len(p.models) {
			return fmt.Errorf("there is no model %d in the page", i)
		}
		a, err := p.models[i].Put(q, mostPairs)
		if err != nil {
			return err
		}
		a.Run, a.Epoch = p.run[i], p.epochs[i]
		answer, err = json.Marshal(a)
		return err
	})
	return answer, err
}

// Train trains; the question is a train.Question as JSON. It calls tell for each event and, before the
// last, hand with the table and the model for Player.
func Train(question string, tell func(train.News), hand func(table, model []byte)) error {
	return guard.Call(func() error {
		var q train.Question
		if err := json.Unmarshal([]byte(question), &q); err != nil {
			return err
		}
		pool := ops.NewPool(1)
		defer pool.Close()
		r := &training.Runner{Loader: &task.Loader{Workers: 1}, Pool: pool}
		trained, ended, err := train.Train(context.Background(), q, r, tell)
		if err != nil {
			return err
		}
		m, table, err := trained.SplitTable()
		if err != nil {
			return err
		}
		var model bytes.Buffer
		if err := m.Write(&model); err != nil {
			return err
		}
		hand(table, model.Bytes())
		tell(train.News{Kind: "ended", Value: ended})
		return nil
	})
}
