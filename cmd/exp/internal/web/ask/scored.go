package ask

import (
	"context"
	"fmt"
	"math"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/internal/infer"
)

// How many words a text may have for scores that ask the model often: about ten seconds in a
// browser.
const (
	mostRepeated   = 100 // once for each word
	mostExact      = 12  // once for each set of words
	mostSampled    = 40  // thousands of times
	mostIntegrated = 300 // with gradients, at several points

	mostFlipped = 200_000 // words of the texts that a search for a flip asks about
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
	Points int     `json:"points"` // points of the integral; 0 for other scores
	Asked  int     `json:"asked"`  // random texts of an estimate; 0 for other scores
	Within float64 `json:"within"` // half its 95 % intervals, the mean over the words
}

// offer lists the scores of the model.
func (a *Answer) offer(m *infer.Model) {
	for _, s := range scores.All() {
		if s.Name != scores.Attention && s.Lacks(m) == "" {
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
	case s.Name == scores.SHAP && a.Counts: // a sum
	case s.Name == scores.SHAP, s.Name == scores.LIME:
		most = mostSampled
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
	asker.Exact = mostExact
	of, err := asker.Compute(context.Background(), s, []scores.Text{{Encoded: text, Class: a.Class}})
	if err != nil {
		return err
	}
	view := infer.View{}
	view.Show(of[0], s.Title, s.Signed)
	x := &Scored{Scoring: Scoring{s.Name, s.Title}, Says: s.Definition, Signed: s.Signed, Above: a.Classes[a.Class]}
	if len(a.Classes) == 2 {
		x.Below = a.Classes[1-a.Class]
	}
	if c := asker.Complete; c.All > 0 {
		x.Off, x.Points = c.Share(), c.Steps
	}
	for _, v := range of[0] {
		x.Sum += float64(v)
	}
	if e := asker.Estimate; e != nil {
		x.Asked = e.Asked
		for _, v := range e.Within[0] {
			x.Within += float64(v) / float64(len(e.Within[0]))
		}
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
	a.Scored, a.Explained = x, nil
	return nil
}

// flip finds the fewest words without which the answer changes.
func (a *Answer) flip(m *infer.Model, text infer.Encoded) error {
	if n := len(text.Rows); n > mostRepeated {
		return infer.LookErrorf("the fewest words that change the answer are searched for in texts of at most %d words, and this one has %d; exp attend --flip takes any number", mostRepeated, n)
	}
	if infer.Wordless(text.Words) {
		return infer.LookErrorf("the text has no words to leave out")
	}
	asker := scores.New(m, 1)
	defer asker.Close()
	t := scores.Text{Encoded: text, Class: a.Class}
	f, err := asker.Flip(context.Background(), t, nil, scores.Ways[0], mostFlipped)
	if err == nil {
		a.Flip = f.Says(t.Names(), a.Classes)
	}
	return err
}
