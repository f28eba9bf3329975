package runs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
)

// Answers are a model's outputs for each review, pair or text of a split: *Predictions,
// Translations or Guessed.
type Answers interface {
	// Write writes tab-separated values with a header.
	Write(w io.Writer) error
	count() int       // of reviews or pairs
	numbers() Metrics // of the test set that follow from them
}

// AnswersText returns the file of the chosen epoch's answers on the test set. The error wraps
// fs.ErrNotExist if the run has not finished.
func (r *Run) AnswersText() ([]byte, error) {
	return r.readText(r.Config.Task().Answers)
}

// Answers parses AnswersText.
func (r *Run) Answers() (Answers, error) { return r.Config.Task().read(r) }

// Predictions returns the Answers of a run on reviews.
func (r *Run) Predictions() (*Predictions, error) {
	return readAnswers(r, PredictionsFile, ParsePredictions)
}

// Translations returns the Answers of a run on pairs.
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

// AnswersError is an error reading the answers of a finished run. They can be computed again
// from its weights.
type AnswersError struct {
	Run *Run
	Err error
}

func (e *AnswersError) Error() string { return e.Err.Error() }

// Unwrap returns the reason.
func (e *AnswersError) Unwrap() error { return e.Err }

// File returns the path of the file that cannot be read.
func (e *AnswersError) File() string { return e.Run.file(e.Run.Config.Task().Answers) }

// UntestedError means that a run has no answers because it is never evaluated on the test
// set, as in a search. It wraps fs.ErrNotExist.
type UntestedError struct{}

func (*UntestedError) Error() string { return "it was never evaluated on the test set (test=never)" }

// Unwrap returns fs.ErrNotExist.
func (*UntestedError) Unwrap() error { return fs.ErrNotExist }

// Untested reports whether the run is never evaluated on the test set.
func (c *Config) Untested() bool { return c.General().Test == "never" }

// Check reads all files of a run that other commands use and returns what is wrong with
// each. Use Words for its files in the store.
func (r *Run) Check() (wrong []error) {
	add := func(err error) (ok bool) {
		if err != nil {
			wrong = append(wrong, err)
		}
		return err == nil
	}
	if r.Status.State == Created {
		return nil
	}
	add(r.Verify())
	if r.checkpoint.BestEpoch > 0 && r.Config.General().Select == Best {
		_, err := r.Checkpoint(Best)
		add(err)
	}
	if add(r.CheckLines()) && r.Status.State != Damaged {
		_, err := r.Ends() // checks test.json too
		add(err)
	}
	if r.Status.State == Finished && !r.Config.Untested() {
		a, err := r.Answers()
		if n := r.Config.General().Evaluated(r.Config.Data.Test.Reviews); err == nil && a.count() != n {
			err = fmt.Errorf("%s: %d rows for %d %s", r.file(r.Config.Task().Answers), a.count(), n, r.Config.Task().Unit)
			err = &AnswersError{r, err}
		}
		add(err)
	}
	if _, err := r.Environments(); !errors.Is(err, fs.ErrNotExist) { // it may be missing
		add(err)
	}
	return wrong
}

// InLast reports whether an error of Check is about the last checkpoint.
func (r *Run) InLast(err error) bool {
	d, ok := errors.AsType[*DamagedError](err)
	return ok && d.Path == r.file(CheckpointFile(Last))
}
