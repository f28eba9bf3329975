package compare

import (
	"fmt"
	"slices"
	"strings"

	"imdbexp/runs"
)

// Answers are what one run, or another program, says about test reviews. Labels
// and predictions are names of classes, so that those of different sources compare.
type Answers struct {
	Source string // the run's label or the name of the file
	Seed   uint64 // of a run
	Data   string // digest of the data it read, "" when unknown
	exact  bool   // of translations: right, or wrong whatever it is

	classes   []string // that are predicted
	predicted []int32  // indices into them
	asked
}

// asked is what was asked: the reviews with their labels. Answers of one data set share
// it, for they have nothing else that is large.
type asked struct {
	reviews []string
	label   []string       // "" for an unknown one
	at      map[string]int // review → index
}

// NoPredictionsError is a run that has no predictions to compare.
type NoPredictionsError struct {
	Run *runs.Run
	Err error // why those of a finished run cannot be read; nil for other runs
}

func (e *NoPredictionsError) Error() string {
	why := fmt.Sprintf("it is %s", e.Run.Status)
	if e.Err != nil {
		why = e.Err.Error()
	}
	return fmt.Sprintf("%s has no predictions to compare: %s", e.Run.Label(), why)
}

// Unwrap returns why they cannot be read.
func (e *NoPredictionsError) Unwrap() error { return e.Err }

// ReadAnswers reads those of a finished run. The error of one that has not
// finished, or whose predictions are missing or damaged, is a NoPredictionsError.
// Where the reviews are those of like, which may be nil, they are in memory once.
func ReadAnswers(run *runs.Run, like *Answers) (*Answers, error) {
	if run.Status.State != runs.Finished {
		return nil, &NoPredictionsError{Run: run}
	}
	a := &Answers{Source: run.Label(), Seed: run.Config.Seed(), Data: run.Config.Digests["data"]}
	answers, err := run.Answers()
	if err != nil {
		return nil, &NoPredictionsError{run, err}
	}
	switch p := answers.(type) {
	case *runs.Predictions:
		for i := range p.Rows {
			r := &p.Rows[i]
			label := ""
			if r.Label >= 0 {
				label = p.Classes[r.Label]
			}
			a.add(r.Review, label, p.Classes[r.Predicted])
		}
	case runs.Translations: // greedy ones, right when they are the reference word for word
		a.exact = true
		const right, wrong = "the reference", "another"
		for _, t := range p {
			said := wrong
			if t.Greedy == t.Reference {
				said = right
			}
			a.add(t.Pair, right, said)
		}
	}
	if like != nil && slices.Equal(a.reviews, like.reviews) && slices.Equal(a.label, like.label) {
		a.asked = like.asked
		return a, nil
	}
	return a, a.index()
}

func (a *Answers) add(review, label, predicted string) {
	class := slices.Index(a.classes, predicted)
	if class < 0 {
		class = len(a.classes)
		a.classes = append(a.classes, strings.Clone(predicted)) // not the file that it stands in
	}
	a.reviews, a.label, a.predicted = append(a.reviews, review), append(a.label, label), append(a.predicted, int32(class))
}

// said returns the class predicted for the review of an index.
func (a *Answers) said(i int) string { return a.classes[a.predicted[i]] }

// index makes the map of reviews; one that is there twice is an error.
func (a *Answers) index() error {
	a.at = make(map[string]int, len(a.reviews))
	for i, r := range a.reviews {
		if j, twice := a.at[r]; twice {
			return fmt.Errorf("%s: review %s is there twice, as the %s and the %s", a.Source, r, ordinal(j+1), ordinal(i+1))
		}
		a.at[r] = i
	}
	return nil
}

// find returns the index of a review, looking first where it stands elsewhere.
func (a *Answers) find(review string, near int) (int, bool) {
	if near < len(a.reviews) && a.reviews[near] == review {
		return near, true
	}
	i, ok := a.at[review]
	return i, ok
}

// ordinal writes 1st, 2nd, 3rd, 4th, 11th, 21st.
func ordinal(n int) string {
	suffix := "th"
	if n/10%10 != 1 {
		switch n % 10 {
		case 1:
			suffix = "st"
		case 2:
			suffix = "nd"
		case 3:
			suffix = "rd"
		}
	}
	return fmt.Sprint(n) + suffix
}
