// Package train trains on the embedded sample for a page: in a browser, for the page of exp
// export --page, and in exp serve. Nothing is written.
package train

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/sample"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/ops"
	"imdbexp/runs"
)

// Trainable is an experiment that a page trains, on the embedded sample. Values are those
// that it has there by itself.
type Trainable struct {
	Name   string `json:"name"`
	Shows  string `json:"shows"`
	Epochs int    `json:"epochs"`
	LR     string `json:"lr"`
	Lambda string `json:"lambda"` // "" without an entropy to weigh
	Seed   string `json:"seed"`
}

// Offer is what a page trains, and the review of the sample's test split that it then asks about.
type Offer struct {
	Trainables []Trainable `json:"trainables"`
	Review     string      `json:"review"` // its ID
	Text       string      `json:"text"`
	Label      int         `json:"label"`
}

// Question is what a page asks to be trained; settings that are "" stay as they are.
type Question struct {
	Name   string `json:"name"`
	LR     string `json:"lr"`
	Lambda string `json:"lambda"`
	Seed   string `json:"seed"`
}

// News is what is told of a training: Began, then Moved, runs.Metrics and Looked as it goes.
type News struct {
	Kind  string `json:"kind"` // began, moved, epoch, look; of who passes them on also ended and failed
	Value any    `json:"value"`
}

type (
	// Began says what is trained.
	Began struct {
		Run     string   `json:"run"`
		Command []string `json:"command"` // that trains the same
		Epochs  int      `json:"epochs"`
		Weights int      `json:"weights"`
		Reviews int      `json:"reviews"` // of train
		Classes []string `json:"classes"`
	}
	// Moved says how far an epoch has come.
	Moved struct {
		Epoch int     `json:"epoch"`
		Done  int     `json:"done"` // reviews
		Total int     `json:"total"`
		Loss  float64 `json:"loss"` // mean so far
	}
	// Looked is what the model says of the review after an epoch, 0 before the first.
	Looked struct {
		Epoch  int         `json:"epoch"`
		Answer *ask.Answer `json:"answer"`
	}
	// Ended says what has come of it.
	Ended struct {
		Citation string       `json:"citation"`
		Metrics  string       `json:"metrics"` // metrics.jsonl
		Run      string       `json:"run"`
		About    string       `json:"about"` // its settings
		Words    int          `json:"words"` // with a vector
		Last     runs.Metrics `json:"last"`
	}
)

const (
	data  = "sample"
	group = "tme9" // the family that begins with the mean

	mostLetters = 200 // of the review: after each epoch it takes a line or two
	pairs       = mostLetters * mostLetters
)

// Offered returns what a page trains.
func Offered() (Offer, error) { return offered() }

// offered is found out once: the sample takes a tenth of a second to write.
var offered = sync.OnceValues(func() (o Offer, err error) {
	for _, e := range experiments.Group(group) {
		p, err := plan.New(plan.Base{Experiment: e}, data, []string{"data=" + data})
		if err != nil {
			return o, err
		}
		value := func(key string) string {
			s, _ := p.Set.Get(key)
			return s.Value
		}
		o.Trainables = append(o.Trainables, Trainable{e.Name, e.Shows, p.Run.Epochs, value("lr"), value("lambda"), value("seed")})
	}
	_, test := sample.Reviews()
	r := test[slices.IndexFunc(test, func(r sample.Review) bool { return len(r.Text) < mostLetters })]
	o.Review, o.Text, o.Label = r.ID, r.Text, r.Label
	return o, nil
})

// words are those of a command that trains the same.
func (q *Question) words() []string {
	out := []string{"data=" + data}
	for _, s := range [][2]string{{"lambda", q.Lambda}, {"lr", q.LR}, {"seed", q.Seed}} {
		if s[1] != "" {
			out = append(out, s[0]+"="+s[1])
		}
	}
	return out
}

// Plan returns what is to be trained, or what is wrong with the question.
func (q *Question) Plan() (*plan.Plan, error) {
	e, err := experiments.Lookup(q.Name)
	if err != nil {
		return nil, err
	}
	if family := experiments.Group(group); !slices.Contains(family, e) {
		var names []string
		for _, e := range family {
			names = append(names, e.Name)
		}
		return nil, fmt.Errorf("%s takes too long for a page: choose one of %s, or type exp run %s", e.Name, strings.Join(names, ", "), e.Name)
	}
	return plan.New(plan.Base{Experiment: e}, data, q.words())
}

// Train trains what is asked for, with the loop, the data and the words of exp run, and
// therefore with its bits. tell hears of it in the goroutine of the caller.
func Train(ctx context.Context, q Question, r *training.Runner, tell func(News)) (*infer.Trained, *Ended, error) {
	p, err := q.Plan()
	if err != nil {
		return nil, nil, err
	}
	j, err := r.Job(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	var last runs.Metrics
	moved := 0
	hooks := training.Hooks{
		Started: func(s training.Started) {
			tell(News{"began", Began{j.Config.Name + "/" + j.Config.ShortID(), append([]string{"exp", "run", q.Name}, q.words()...), p.Run.Epochs, s.Weights, j.Data.Train.Len(), j.Data.Classes}})
		},
		Step: func(s training.Step) {
			if done := 100 * s.Done / s.Total; done != moved || s.Done == s.Total { // a page need not hear of each
				moved = done
				tell(News{"moved", Moved{s.Epoch, s.Done, s.Total, s.Loss}})
			}
		},
		Epoch: func(m runs.Metrics, _ runs.Timing) {
			last = m
			tell(News{"epoch", m})
		},
	}
	var of *infer.Trained // as the last epoch left it
	o, err := Offered()
	if err != nil {
		return nil, nil, err
	}
	m, err := j.InMemory(ctx, hooks, func(c *runs.Checkpoint) error {
		table := &runs.Table{Words: j.Data.Table.Words, Rows: slices.Clone(j.Data.Table.Rows), Dim: j.Data.Table.Dim, OOV: embedding.OOVRow}
		if of, err = infer.TrainedAs(&j.Config, c, table); err != nil {
			return err
		}
		for i, w := range of.Weights { // the network goes on with its own
			of.Weights[i].Data = slices.Clone(w.Data.([]float32)) // of whatever is trained here
		}
		a, err := answer(of, o.Text, r.Pool)
		if err == nil {
			tell(News{"look", Looked{of.Epoch, a}})
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	of.Metrics = &last
	about := strings.Join(q.words()[1:], " ")
	if about == "" {
		about = "default settings"
	}
	return of, &Ended{m.Citation().String(), string(m.Metrics), of.Label(), about, len(of.Table.Words) - 1, last}, nil
}

// answer asks the model about a text.
func answer(of *infer.Trained, text string, pool *ops.Pool) (*ask.Answer, error) {
	m, err := ask.Open(of, pool)
	if err != nil {
		return nil, err
	}
	defer m.Close()
	return m.Put(ask.Question{Text: text}, pairs)
}
