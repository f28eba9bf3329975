package runs

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
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
func (r *Run) AnswersText() ([]byte, error) { return r.readText(r.Config.Task().Answers) }

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
		return none, ErrUntested
	}
	out := none
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
	error
}

func (e *AnswersError) Unwrap() error { return e.error }

// File returns the path of the file that cannot be read.
func (e *AnswersError) File() string { return e.Run.file(e.Run.Config.Task().Answers) }

// ErrUntested means that a run has no answers because it is never evaluated on the test
// set, as in a search. It wraps fs.ErrNotExist.
var ErrUntested error = &saidError{"it was never evaluated on the test set (test=never)", fs.ErrNotExist}

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

// ProbeAnswers names what a run answers to the pairs of a probe (package dataset/probe), which
// exp probe keeps beside the run. They are no result of the training: neither the ID nor the digests
// of the run include them.
type ProbeAnswers struct {
	Probe  string // its name
	Digest string // the beginning of that of its content
}

// A file of answers is called probe-NAME.DIGEST.tsv and has the form of predictions.tsv.
const probePrefix, probeSuffix, probeDigits = "probe-", ".tsv", 12

func (a ProbeAnswers) file() string {
	return probePrefix + a.Probe + "." + a.Digest[:min(probeDigits, len(a.Digest))] + probeSuffix
}

// WriteProbe keeps the answers of the run to the texts of a probe.
func (r *Run) WriteProbe(a ProbeAnswers, p *Predictions) error {
	return r.folder().WriteFile(a.file(), func(w io.Writer) error { return p.Write(w) })
}

// Probe returns the kept answers to a probe; ok is false if there are none.
func (r *Run) Probe(a ProbeAnswers) (p *Predictions, ok bool, err error) {
	b, err := r.readText(a.file())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, false, nil
	}
	if err == nil {
		p, err = ParsePredictions(r.file(a.file()), b)
	}
	return p, err == nil, err
}

// Probes lists the probes whose answers are kept.
func (r *Run) Probes() (list []ProbeAnswers, err error) {
	entries, err := r.folder().Entries()
	for _, e := range entries {
		rest, is := strings.CutPrefix(e.Name(), probePrefix)
		rest, whole := strings.CutSuffix(rest, probeSuffix)
		if name, digest, ok := strings.Cut(rest, "."); is && whole && ok {
			list = append(list, ProbeAnswers{name, digest})
		}
	}
	return list, err
}
