package runs

import (
	"errors"
	"io"
	"io/fs"
)

// Answers are what a model says about each review or pair of a split: *Predictions or
// Translations.
type Answers interface {
	// Write writes them as they are kept, tab-separated under a header.
	Write(w io.Writer) error
	count() int // of reviews or pairs
}

// AnswersText returns the answers of the chosen epoch on test as they were written;
// before the end of a run there are none, and the error wraps fs.ErrNotExist.
func (r *Run) AnswersText() ([]byte, error) {
	return r.readText(r.Config.Task().Answers)
}

// Answers reads what AnswersText returns.
func (r *Run) Answers() (Answers, error) { return r.Config.Task().read(r) }

// Predictions reads the Answers of a run on reviews; of others there are none.
func (r *Run) Predictions() (*Predictions, error) {
	return readAnswers(r, PredictionsFile, ParsePredictions)
}

// Translations reads the Answers of a run on pairs; of others there are none.
func (r *Run) Translations() (Translations, error) {
	return readAnswers(r, TranslationsFile, ParseTranslations)
}

func readAnswers[T any](r *Run, file string, parse func(file string, b []byte) (T, error)) (none T, err error) {
	b, err := r.readText(file)
	if errors.Is(err, fs.ErrNotExist) && r.Config.Untested() {
		return none, &UntestedError{}
	}
	var out T
	if err == nil {
		out, err = parse(r.file(file), b)
	}
	if err != nil && r.Status.State == Finished {
		err = &AnswersError{r, err}
	}
	return out, err
}

// AnswersError is why the answers of a finished run, which has some, cannot be read. They
// follow from its weights.
type AnswersError struct {
	Run *Run
	Err error
}

func (e *AnswersError) Error() string { return e.Err.Error() }

// Unwrap returns why.
func (e *AnswersError) Unwrap() error { return e.Err }

// File returns the path of what cannot be read.
func (e *AnswersError) File() string { return e.Run.file(e.Run.Config.Task().Answers) }

// UntestedError says that a run has no answers on test because it never looks at it, as
// the trials of a search. It wraps fs.ErrNotExist.
type UntestedError struct{}

func (*UntestedError) Error() string { return "it was never evaluated on the test set (test=never)" }

// Unwrap returns that there is no such file.
func (*UntestedError) Unwrap() error { return fs.ErrNotExist }

// Untested reports whether the run never looks at test.
func (c *Config) Untested() bool { return c.General().Test == "never" }
