// Package inpage is what runs in the page that exp export --page writes: the page's models,
// and what they say about texts. It knows no browser.
package inpage

import (
	"encoding/json"
	"errors"
	"fmt"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/internal/guard"
	"imdbexp/internal/ops"
	"imdbexp/runs"
)

// mostPairs of words a model may weigh: about ten seconds of a browser.
const mostPairs = 100_000_000

// Player answers for the models of a page.
type Player struct {
	pool   *ops.Pool
	tables []*runs.Table
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

// Table takes a table of words that infer.WriteTable has written.
func (p *Player) Table(b []byte) error {
	return guard.Call(func() error {
		t, err := infer.ParseTable(b)
		if err == nil {
			p.tables = append(p.tables, t)
		}
		return err
	})
}

// Model takes a model that infer.Trained.Write has written after Apart, and the number of
// its table.
func (p *Player) Model(b []byte, table int) error {
	return guard.Call(func() error {
		t, err := infer.ParseFile(b)
		if err != nil {
			return err
		}
		if t.Languages == nil { // a translator brings its words
			if table < 0 || table >= len(p.tables) {
				return fmt.Errorf("there is no table %d of words", table)
			}
			if err := t.Join(p.tables[table]); err != nil {
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

// Ask puts a question, which is JSON as an ask.Question is, to model i; the answer is an
// ask.Answer as JSON.
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
