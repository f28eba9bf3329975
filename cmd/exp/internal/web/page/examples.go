package page

import (
	"context"
	"fmt"
	"slices"

	"imdbexp/dataset/sample"
	"imdbexp/internal/infer"
	"imdbexp/runs"
)

// Example is a text that the page offers.
type Example struct {
	ID        string `json:"id"`
	Label     string `json:"label"`     // its class; "" if unknown
	Predicted string `json:"predicted"` // the class that the first run predicts, if it is wrong
	Text      string `json:"text"`
	Reference string `json:"reference"` // its translation; "" if there is none
	Data      string `json:"data"`      // the data set that it is of, or like
	Sentence  bool   `json:"sentence"`  // to be translated
}

// shown are reviews of the sample's test split: plain praise, plain blame, one in which only the
// jokes count because it is a comedy, and one with a negation.
var shown = []string{"test/0182", "test/0385", "test/0450", "test/0371"}

// Examples are the texts of a page that has no data set to choose from: reviews of the sample, one
// in everyday words, and a sentence to translate.
func Examples() []Example {
	var out []Example
	_, test := sample.Reviews()
	for _, id := range shown {
		r := test[slices.IndexFunc(test, func(r sample.Review) bool { return r.ID == id })]
		out = append(out, Example{ID: r.ID, Label: [...]string{"neg", "pos"}[r.Label], Text: r.Text, Data: "sample"})
	}
	return append(out,
		Example{ID: "a real review", Data: "imdb", Text: "I expected a great film , and the actors are wonderful . But the story is a mess , " +
			"the dialogue is awful , and in the end it is not worth your time ."},
		Example{ID: "a sentence", Text: "the red carpet", Data: "phrases", Sentence: true})
}

// Offered returns the reviews of a run's data with the given IDs, or else some test reviews: for each class one that
// the run gets right, and one that it gets wrong; without predictions, the first one. Of a run that translates they
// are test pairs. dir is the data folder.
func Offered(ctx context.Context, dir string, run *runs.Run, ids []string) ([]Example, error) {
	if run.Config.Task() == runs.Pairs {
		return sentences(run, ids)
	}
	answers, err := run.Predictions()
	if err != nil {
		answers = &runs.Predictions{} // the reviews are offered without the predictions of the run
	}
	if len(ids) == 0 {
		ids = telling(answers)
	}
	list, err := infer.Reviews(ctx, dir, run, ids)
	if err != nil {
		return nil, err
	}
	var out []Example
	for _, r := range list {
		label := ""
		if r.Label >= 0 && r.Label < len(run.Config.Classes) {
			label = run.Config.Classes[r.Label]
		}
		review := Example{ID: r.ID, Label: label, Text: r.Text, Data: run.Config.Data.Name}
		if at := slices.IndexFunc(answers.Rows, func(p runs.Prediction) bool { return p.Review == r.ID }); at >= 0 && answers.Rows[at].Predicted != r.Label {
			review.Predicted = run.Config.Classes[answers.Rows[at].Predicted]
		}
		out = append(out, review)
	}
	return out, nil
}

// sentences returns the test pairs with the given IDs, or else the first ones.
func sentences(run *runs.Run, ids []string) (out []Example, err error) {
	list, err := run.Translations()
	switch {
	case err != nil:
		return nil, err
	case len(list) == 0:
		return nil, fmt.Errorf("%s has translated no test pairs yet", run.Label())
	}
	for _, t := range list {
		if len(ids) == 0 && len(out) < 3 || slices.Contains(ids, t.Pair) {
			out = append(out, Example{ID: t.Pair, Text: t.Source, Reference: t.Reference, Data: run.Config.Data.Name, Sentence: true})
		}
	}
	for _, id := range ids {
		if !slices.ContainsFunc(out, func(e Example) bool { return e.ID == id }) {
			return nil, fmt.Errorf("--review %s: %s has no such test pair; they are %s to %s", id, run.Label(), list[0].Pair, list[len(list)-1].Pair)
		}
	}
	return out, nil
}

// telling chooses short reviews by the run's predictions, if there are any.
func telling(answers *runs.Predictions) (ids []string) {
	met := map[[2]int]bool{}
	for _, p := range answers.Rows {
		kind := [2]int{p.Label, p.Predicted}
		if p.Label < 0 || met[kind] || len(ids) == 4 || p.Words > infer.StepsWords {
			continue
		}
		met[kind] = true
		ids = append(ids, p.Review)
	}
	return ids
}
