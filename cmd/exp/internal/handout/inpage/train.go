package inpage

import (
	"bytes"
	"context"
	"encoding/json"
	"slices"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/dataset/embedding"
	"imdbexp/dataset/sample"
	"imdbexp/experiments"
	"imdbexp/experiments/plan"
	"imdbexp/experiments/task"
	"imdbexp/experiments/training"
	"imdbexp/internal/guard"
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

// Training is what a page asks to be trained; settings that are "" stay as they are.
type Training struct {
	Name   string `json:"name"`
	LR     string `json:"lr"`
	Lambda string `json:"lambda"`
	Seed   string `json:"seed"`
	Text   string `json:"text"` // that the model is asked about before the first epoch and after each
}

// Training tells of itself by one of these at a time.
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
	// Looked is what the model says of the text after an epoch, 0 before the first.
	Looked struct {
		Epoch  int         `json:"epoch"`
		Answer *ask.Answer `json:"answer"`
	}
	// Ended says what has come of it.
	Ended struct {
		Citation string       `json:"citation"`
		Metrics  string       `json:"metrics"` // metrics.jsonl
		Run      string       `json:"run"`
		Words    int          `json:"words"` // with a vector
		Last     runs.Metrics `json:"last"`
	}
)

// Listener hears of a training.
type Listener struct {
	Began func(Began)
	Moved func(Moved)
	Epoch func(runs.Metrics)
	Look  func(Looked)
	Ended func(Ended)
	Model func(table, model []byte) // as Player.Table and Player.Model take them, before Ended
}

// Offered returns what a page trains: the family that begins with the mean.
func Offered() (o Offer, err error) {
	for _, e := range experiments.Group("tme9") {
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
}

// mostLetters are those of the review: after each epoch it takes a line or two.
const mostLetters = 200

const data = "sample"

// words are those of a command that trains the same.
func (q *Training) words() []string {
	out := []string{"data=" + data}
	for _, s := range [][2]string{{"lambda", q.Lambda}, {"lr", q.LR}, {"seed", q.Seed}} {
		if s[1] != "" {
			out = append(out, s[0]+"="+s[1])
		}
	}
	return out
}

// Train trains what question, which is JSON as a Training is, asks for: with the loop, the
// data and the words of exp run, and therefore with its bits.
func Train(question string, l Listener) error {
	return guard.Call(func() error {
		var q Training
		if err := json.Unmarshal([]byte(question), &q); err != nil {
			return err
		}
		return q.train(l)
	})
}

func (q *Training) train(l Listener) error {
	e, err := experiments.Lookup(q.Name)
	if err != nil {
		return err
	}
	p, err := plan.New(plan.Base{Experiment: e}, data, q.words())
	if err != nil {
		return err
	}
	pool := ops.NewPool(1)
	defer pool.Close()
	r := &training.Runner{Loader: &task.Loader{Workers: 1}, Pool: pool}
	j, err := r.Job(context.Background(), p)
	if err != nil {
		return err
	}
	var last runs.Metrics
	moved := 0
	hooks := training.Hooks{
		Started: func(s training.Started) {
			l.Began(Began{j.Config.Name + "/" + j.Config.ShortID(), append([]string{"exp", "run", q.Name}, q.words()...), p.Run.Epochs, s.Weights, j.Data.Train.Len(), j.Data.Classes})
		},
		Step: func(s training.Step) {
			if done := 100 * s.Done / s.Total; done != moved || s.Done == s.Total { // the page need not hear of each
				moved = done
				l.Moved(Moved{s.Epoch, s.Done, s.Total, s.Loss})
			}
		},
		Epoch: func(m runs.Metrics, _ runs.Timing) {
			last = m
			l.Epoch(m)
		},
	}
	var of *infer.Trained // as the last epoch left it
	m, err := j.InMemory(context.Background(), hooks, func(c *runs.Checkpoint) error {
		table := &runs.Table{Words: j.Data.Table.Words, Rows: slices.Clone(j.Data.Table.Rows), Dim: j.Data.Table.Dim, OOV: embedding.OOVRow}
		if of, err = infer.TrainedAs(&j.Config, c, table); err != nil {
			return err
		}
		return q.look(of, pool, l)
	})
	if err != nil {
		return err
	}
	of.Metrics = &last
	if err := hand(of, l); err != nil {
		return err
	}
	l.Ended(Ended{m.Citation().String(), string(m.Metrics), of.Label(), len(of.Table.Words) - 1, last})
	return nil
}

// look asks the model about the text.
func (q *Training) look(of *infer.Trained, pool *ops.Pool, l Listener) error {
	m, err := ask.Open(of, pool)
	if err != nil {
		return err
	}
	defer m.Close()
	a, err := m.Put(ask.Question{Text: q.Text}, mostPairs)
	if err == nil {
		l.Look(Looked{of.Epoch, a})
	}
	return err
}

// hand hands the trained model to the page.
func hand(of *infer.Trained, l Listener) error {
	model, words := of.Apart()
	var table, weights bytes.Buffer
	if _, err := infer.WriteTable(&table, words); err != nil {
		return err
	}
	if err := model.Write(&weights); err != nil {
		return err
	}
	l.Model(table.Bytes(), weights.Bytes())
	return nil
}
