package compare

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/runs"
)

// Answers are the predictions of one run, or of another program, for test reviews. Labels and
// predictions are names of classes, so that different sources compare.
type Answers struct {
	Source   string // the run's label or the name of the file
	Seed     uint64 // of a run
	Data     string // digest of the data it read, "" if unknown
	division uint64 // data.test_seed of a run
	exact    bool   // of translations: predictions are just right or wrong

	classes   []string // the predicted ones
	predicted []int32  // indices into classes
	*questions
}

// questions are the reviews with their labels. Answers on one data set share them to save memory.
type questions struct {
	reviews []string
	label   []string       // "" for an unknown one
	at      map[string]int // review → index
	others  []string       // labels of reviews outside of a slice
}

// NoPredictionsError is a run without predictions to compare.
type NoPredictionsError struct {
	Run *runs.Run
	Err error // the read error for a finished run; nil for other runs
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

// ReadAnswers reads the predictions of a finished run. If it has not finished, or the predictions
// are missing or damaged, the error is a NoPredictionsError. The reviews are shared with like,
// which may be nil, if they are the same.
func ReadAnswers(run *runs.Run, like *Answers) (*Answers, error) {
	if run.Status.State != runs.Finished {
		return nil, &NoPredictionsError{Run: run}
	}
	a := &Answers{Source: run.Label(), Seed: run.Config.Seed(), Data: run.Config.Digests["data"], division: run.Config.General().TestSeed, questions: &questions{at: map[string]int{}}}
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
	case runs.Translations: // a greedy translation is right if it equals the reference
		a.exact = true
		said := map[bool]string{true: "the reference", false: "another"}
		for _, t := range p {
			a.add(t.Pair, said[true], said[t.Greedy == t.Reference])
		}
	}
	if like != nil && slices.Equal(a.reviews, like.reviews) && slices.Equal(a.label, like.label) {
		a.questions = like.questions
		return a, nil
	}
	for i, r := range a.reviews {
		if _, twice := a.at[r]; twice {
			return nil, fmt.Errorf("%s: review %s is there twice", a.Source, r)
		}
		a.at[r] = i
	}
	return a, nil
}

func (a *Answers) add(review, label, predicted string) {
	class := slices.Index(a.classes, predicted)
	if class < 0 {
		class = len(a.classes)
		a.classes = append(a.classes, predicted)
	}
	a.reviews, a.label, a.predicted = append(a.reviews, review), append(a.label, label), append(a.predicted, int32(class))
}

// said returns the class predicted for the i-th review.
func (a *Answers) said(i int) string { return a.classes[a.predicted[i]] }

// find returns the index of a review, trying its index in other answers first.
func (a *Answers) find(review string, near int) (int, bool) {
	if near < len(a.reviews) && a.reviews[near] == review {
		return near, true
	}
	i, ok := a.at[review]
	return i, ok
}

// ParseAnswers reads the predictions of another program: tab-separated values with a header that
// names at least the columns review and predicted. The column label may be missing, and empty for
// an unknown label; other columns are ignored. predictions.tsv of a run has this format. Errors
// give file and the line.
func ParseAnswers(file string, b []byte) (*Answers, error) {
	a := &Answers{Source: filepath.Base(file), questions: &questions{at: map[string]int{}}}
	var columns []string
	n := 0
	for line := range strings.Lines(strings.TrimPrefix(string(b), "\ufeff")) {
		n++
		bad := func(format string, args ...any) error {
			return fmt.Errorf("%s:%d: %s", file, n, fmt.Sprintf(format, args...))
		}
		fields := strings.Split(strings.TrimRight(line, "\r\n"), "\t")
		field := func(name string) string {
			if i := slices.Index(columns, name); i >= 0 {
				return runs.Unescape(fields[i])
			}
			return ""
		}
		switch {
		case columns == nil && slices.Contains(fields, "review") && slices.Contains(fields, "predicted"):
			columns = fields
			continue
		case columns == nil:
			return nil, bad("the header needs the columns review and predicted, separated by tabs (and label if known); it has %s", strings.Join(fields, ", "))
		case len(fields) == 1 && fields[0] == "":
			continue
		case len(fields) != len(columns):
			return nil, bad("%d columns, the header has %d", len(fields), len(columns))
		}
		review, predicted := field("review"), field("predicted")
		switch _, twice := a.at[review]; {
		case review == "":
			return nil, bad("the review has no name")
		case twice:
			return nil, bad("review %s is there twice", review)
		case predicted == "":
			return nil, bad("review %s has nothing predicted", review)
		}
		a.at[review] = len(a.reviews)
		a.add(review, field("label"), predicted)
	}
	if len(a.reviews) == 0 {
		return nil, fmt.Errorf("%s holds no predictions: it needs a header and a line for each review", file)
	}
	return a, nil
}
