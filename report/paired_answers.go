package report

import (
	"errors"
	"fmt"
	"io/fs"

	"imdbexp/runs"
)

// Answers are what one run, or another program, says about test reviews. Labels
// and predictions are names of classes, so that those of different sources compare.
type Answers struct {
	Source string // the run's label or the name of the file
	Seed   uint64 // of a run
	Data   string // digest of the data it read, "" when unknown

	reviews          []string
	label, predicted []string       // "" for an unknown label
	at               map[string]int // review → index, made when first needed
}

// NoPredictionsError is a run that has no predictions to compare.
type NoPredictionsError struct{ Run *runs.Run }

func (e *NoPredictionsError) Error() string {
	return fmt.Sprintf("%s has no predictions to compare: it is %s", e.Run.Label(), e.Run.Status)
}

// ReadAnswers reads those of a finished run. The error of one that has not
// finished is a NoPredictionsError.
func ReadAnswers(run *runs.Run) (*Answers, error) {
	if run.Status.State != runs.Finished {
		return nil, &NoPredictionsError{run}
	}
	p, err := run.Predictions()
	if errors.Is(err, fs.ErrNotExist) {
		return nil, &NoPredictionsError{run}
	}
	if err != nil {
		return nil, err
	}
	a := &Answers{Source: run.Label(), Seed: run.Config.Seed(), Data: run.Config.Digests["data"]}
	for i := range p.Rows {
		r := &p.Rows[i]
		label := ""
		if r.Label >= 0 {
			label = p.Classes[r.Label]
		}
		a.add(r.Review, label, p.Classes[r.Predicted])
	}
	return a, a.index()
}

func (a *Answers) add(review, label, predicted string) {
	a.reviews, a.label, a.predicted = append(a.reviews, review), append(a.label, label), append(a.predicted, predicted)
}

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
