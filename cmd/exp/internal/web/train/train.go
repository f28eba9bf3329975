// Package train trains an experiment on the embedded sample for the page: in exp serve, and in
// the browser. Nothing is written.
package train

import (
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"sync"

	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/sample"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/training"
	"imdbexp/internal/infer"
	"imdbexp/runs"
)

// Trainable is an experiment that the page can train, with its default settings on the sample.
type Trainable struct {
	Name   string `json:"name"`
	Shows  string `json:"shows"`
	Epochs int    `json:"epochs"`
	LR     string `json:"lr"`
	Lambda string `json:"lambda"` // "" if the model has no attention
	Seed   string `json:"seed"`
}

// Offer is what the page can train, and the test review of the sample that the model predicts
// after each epoch.
type Offer struct {
	Trainables []Trainable `json:"trainables"`
	Review     string      `json:"review"` // its ID
	Text       string      `json:"text"`
	Label      int         `json:"label"`
}

// Question asks for a training; a setting that is "" keeps its default.
type Question struct {
	Name   string `json:"name"`
	LR     string `json:"lr"`
	Lambda string `json:"lambda"`
	Seed   string `json:"seed"`
}

// News is an event of a training.
type News struct {
	Kind  string `json:"kind"` // began, progress, epoch or answer; then ended or failed
	Value any    `json:"value"`
}

// JSON returns the event as JSON.
func (n News) JSON() []byte {
	b, err := json.Marshal(n)
	if err != nil { // a loss that is NaN
		b, _ = json.Marshal(News{"failed", err.Error()})
	}
	return b
}

type (
	// Began describes the training.
	Began struct {
		Run     string   `json:"run"`
		Command []string `json:"command"` // of exp, with the same result
		Epochs  int      `json:"epochs"`
		Weights int      `json:"weights"`
		Reviews int      `json:"reviews"` // of the training split
		Classes []string `json:"classes"`
	}
	// Progress is the state of an epoch.
	Progress struct {
		Epoch int     `json:"epoch"`
		Done  int     `json:"done"` // reviews
		Total int     `json:"total"`
		Loss  float64 `json:"loss"` // mean so far
	}
	// Answered is the prediction for the review after an epoch; epoch 0 is before the first.
	Answered struct {
		Epoch  int         `json:"epoch"`
		Answer *ask.Answer `json:"answer"`
	}
	// Ended is the trained run.
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

	maxReview = 200 // characters of the review: a line or two after each epoch
	maxPairs  = maxReview * maxReview
)

// Offered returns what the page can train. It is computed once: writing the sample takes a
// tenth of a second.
var Offered = sync.OnceValues(func() (o Offer, err error) {
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
	r := test[slices.IndexFunc(test, func(r sample.Review) bool { return len(r.Text) < maxReview })]
	o.Review, o.Text, o.Label = r.ID, r.Text, r.Label
	return o, nil
})

// settings returns the settings as arguments of exp run.
func (q *Question) settings() []string {
	out := []string{"data=" + data}
	for _, s := range [][2]string{{"lambda", q.Lambda}, {"lr", q.LR}, {"seed", q.Seed}} {
		if s[1] != "" {
			out = append(out, s[0]+"="+s[1])
		}
	}
	return out
}

// Plan returns the plan of the training.
func (q *Question) Plan() (*plan.Plan, error) {
	e, err := experiments.Lookup(q.Name)
	if err != nil {
		return nil, err
	}
	if !slices.Contains(experiments.Group(group), e) {
		return nil, fmt.Errorf("%s takes too long for a page: choose one of group %s, or type exp run %s", e.Name, group, e.Name)
	}
	return plan.New(plan.Base{Experiment: e}, data, q.settings())
}

// Train uses the loop, the data and the settings of exp run, so the result has the same bits. send
// is called in the caller's goroutine.
func Train(ctx context.Context, q Question, r *training.Runner, send func(News)) (*infer.Trained, *Ended, error) {
	p, err := q.Plan()
	if err != nil {
		return nil, nil, err
	}
	j, err := r.Job(ctx, p)
	if err != nil {
		return nil, nil, err
	}
	var last runs.Metrics
	percent := 0
	hooks := training.Hooks{
		Started: func(s training.Started) {
			send(News{"began", Began{j.Config.Name + "/" + j.Config.ShortID(), append([]string{"exp", "run", q.Name}, q.settings()...),
				p.Run.Epochs, s.Weights, j.Data.Train.Len(), j.Data.Classes}})
		},
		Step: func(s training.Step) {
			if done := 100 * s.Done / s.Total; done != percent || s.Done == s.Total {
				percent = done
				send(News{"progress", Progress{s.Epoch, s.Done, s.Total, s.Loss}})
			}
		},
		Epoch: func(m runs.Metrics, _ runs.Timing) {
			last = m
			send(News{"epoch", m})
		},
	}
	var trained *infer.Trained // after the last epoch
	o, err := Offered()
	if err != nil {
		return nil, nil, err
	}
	m, err := j.InMemory(ctx, hooks, func(c *runs.Checkpoint) error {
		words := j.Data.Table
		table := &runs.Table{Words: words.Words, Rows: slices.Clone(words.Rows), Dim: words.Dim, OOV: embedding.OOVRow}
		if trained, err = infer.TrainedAs(&j.Config, c, table); err != nil {
			return err
		}
		for i, w := range trained.Weights { // the network changes its own; all trained ones here are float32
			trained.Weights[i].Data = slices.Clone(w.Data.([]float32))
		}
		model, err := ask.Open(trained, r.Pool)
		if err != nil {
			return err
		}
		defer model.Close()
		a, err := model.Put(ask.Question{Text: o.Text}, maxPairs)
		if err == nil {
			send(News{"answer", Answered{trained.Epoch, a}})
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	trained.Metrics = &last
	about := strings.Join(q.settings()[1:], " ")
	if about == "" {
		about = "default settings"
	}
	return trained, &Ended{m.Citation().String(), string(m.Metrics), trained.Label(), about, len(trained.Table.Words) - 1, last}, nil
}
