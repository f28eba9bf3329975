package ask

import (
	"context"
	"fmt"
	"math"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/cmd/exp/internal/scores"
)

// How many words a text may have for scores that ask the model often: about ten seconds in a
// browser.
const (
	mostRepeated   = 100 // once for each word
	mostIntegrated = 300 // with gradients, at several points
)

// Scoring is a score of words that a model has.
type Scoring struct {
	Name  string `json:"name"` // as exp attend --by has it
	Title string `json:"title"`
}

// Scored summarises the scores of the pieces.
type Scored struct {
	Scoring
	Says   string  `json:"says"`   // what it is
	Signed bool    `json:"signed"` // positive for the predicted class
	Above  string  `json:"above"`  // that class
	Below  string  `json:"below"`  // the other class; "" if there are more than two
	Sum    float64 `json:"sum"`
	Off    float64 `json:"off"`    // of integrated gradients: their relative error as a sum,
	Points int     `json:"points"` // with so many points; 0 for other scores
}

// offer lists the scores of the model. A bag-of-n-grams model has none: its own score is a sum.
func (a *Answer) offer(m *infer.Model) {
	for _, s := range scores.All() {
		if a.Explained == nil && s.Name != scores.Attention && s.Lacks(m) == "" {
			a.Scores = append(a.Scores, Scoring{s.Name, s.Title})
		}
	}
}

// score adds a score of exp attend --by.
func (a *Answer) score(m *infer.Model, text infer.Encoded, name string) error {
	s, err := scores.Lookup(name)
	if err != nil {
		return &infer.LookError{Message: err.Error()}
	}
	if why := s.Lacks(m); why != "" {
		return &infer.LookError{Message: s.Title + ": " + why}
	}
	most := len(text.Rows)
	switch {
	case s.Repeats != "":
		most = mostRepeated
	case s.Name == scores.Integrated:
		most = mostIntegrated
	}
	if n := len(text.Rows); n > most {
		return &infer.LookError{Message: fmt.Sprintf("%s asks the model many times, so a page computes it for texts of at most %d words, and this one has %d; exp attend --by %s takes any number", s.Title, most, n, s.Name)}
	}
	asker := scores.New(m, 1)
	defer asker.Close()
	of, err := asker.Compute(context.Background(), s, []scores.Text{{Encoded: text, Class: a.Class}})
	if err != nil {
		return err
	}
	view := infer.View{}
	view.Show(of[0], s.Title, s.Signed)
	x := &Scored{Scoring: Scoring{s.Name, s.Title}, Says: s.Says, Signed: s.Signed, Above: a.Classes[a.Class]}
	if len(a.Classes) == 2 {
		x.Below = a.Classes[1-a.Class]
	}
	if c := asker.Complete; c.All > 0 {
		x.Off, x.Points = c.Share(), c.Steps
	}
	for _, v := range of[0] {
		x.Sum += float64(v)
	}
	if math.IsNaN(x.Sum) || math.IsInf(x.Sum, 0) {
		return &infer.LookError{Message: s.Title + " gives numbers that are not finite"}
	}
	for i := range a.Pieces {
		if w := a.Pieces[i].Word; w > 0 {
			ratio := view.Ratio[w-1]
			a.Pieces[i].Says, a.Pieces[i].Strength = float64(of[0][w-1]), infer.Strength(max(ratio, -ratio))
		}
	}
	a.Scored = x
	return nil
}
