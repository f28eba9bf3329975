package runs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"regexp"
)

// ChosenEpoch returns the chosen epoch: the last, or with select=best the one with the best
// validation score (test score with slip.choose_on_test). It is 0 before the first epoch.
func (r *Run) ChosenEpoch() int {
	switch {
	case r.progress.chosen > 0:
		return r.progress.chosen
	case r.Config.General().Select == Best:
		return r.checkpoint.BestEpoch
	}
	return r.Status.Epoch
}

// ChosenCheckpoint returns the checkpoint of the chosen epoch, Best or Last.
func (r *Run) ChosenCheckpoint() string {
	if r.ChosenEpoch() == r.checkpoint.BestEpoch && r.Config.General().Select == Best {
		return Best
	}
	return Last
}

// ScoredBy returns the metric of the validation split by which epochs and trials are chosen,
// given one epoch of the run: with select.by=auto macro-F1 if the run has it. Larger is better,
// except for the loss.
func (c *Config) ScoredBy(m *Metrics) Metric {
	key := map[string]string{"loss": "valid_loss", "macro_f1": "valid_macro_f1"}[c.General().SelectBy]
	if key == "" && c.General().SelectBy == "auto" && m.ValidMacroF1 != nil {
		key = "valid_macro_f1"
	}
	return metric(cmp.Or(key, "valid_acc"))
}

// ValidScore returns the score of an epoch by which it is chosen, more is better; nil without a
// validation split.
func (c *Config) ValidScore(m *Metrics) *float64 {
	by := c.ScoredBy(m)
	score := by.Of(m)
	if by.Key == "valid_loss" && score != nil {
		return new(-*score)
	}
	return score
}

// Ends are the epochs of a run that tables show. A field is nil without such an epoch.
type Ends struct {
	Last   *Metrics
	Chosen *Metrics // the chosen epoch
	// Oracle is the first epoch with the highest test accuracy. It is chosen on the test set
	// and so not a valid result. Nil if the run was evaluated on the test set only once.
	Oracle *Metrics
}

// Ends returns the ends of the run. With an error it returns what could be read. Results that
// the run's answers on the test set contradict are an error (see IsDamage).
func (r *Run) Ends() (e Ends, err error) {
	all, err := r.Metrics()
	each := r.Config.General().Test == "each"
	for i := range all {
		m := &all[i]
		e.Last = m
		if m.Epoch == r.ChosenEpoch() && e.Chosen == nil {
			e.Chosen = m
		}
		if each && m.TestAcc != nil && (e.Oracle == nil || *m.TestAcc > *e.Oracle.TestAcc) {
			e.Oracle = m
		}
	}
	if err == nil && e.Chosen != nil {
		if err = r.checkScore(e.Chosen); err != nil {
			e.Chosen = nil
		}
	}
	return e, err
}

// checkScore compares the score of the chosen epoch with the answers on the test set, if they are
// complete and have a label each.
func (r *Run) checkScore(m *Metrics) error {
	g, task := r.Config.General(), r.Config.Task()
	is := task.Score.Of(m)
	if r.Status.State != Finished || is == nil {
		return nil
	}
	a, err := r.Answers()
	if err != nil || a.count() != g.Evaluated(r.Config.Data.Test.Reviews) {
		return nil // reading the answers reports it
	}
	right, of := a.right()
	want := 100 * float64(right) / float64(of)
	if of == 0 || math.Abs(*is-want) <= 1e-9 {
		return nil
	}
	file := MetricsFile
	if g.TestsAtEnd(m.Epoch) {
		file = TestedFile
	}
	return &DamagedError{r.file(file), fmt.Errorf("%s of epoch %d is %v, but %s gives %v", task.Score.Key, m.Epoch, *is, task.Answers, want)}
}

// Chosen returns the results of the chosen epoch.
func (r *Run) Chosen() (Metrics, error) {
	e, err := r.Ends()
	if e.Chosen != nil {
		return *e.Chosen, err
	}
	if err == nil {
		err = fmt.Errorf("%s has no results yet: %s", r.Label(), r.Status)
	}
	return Metrics{}, err
}

// TestedFile is the name of the file with the test results of the chosen epoch, if that was
// evaluated only at the end (test=last, or test.every). It holds one Metrics with the epoch
// and the fields of test, and is valid once the checkpoint that ends the run is written.
// The results are not in metrics.jsonl because a run that extends this one copies its lines.
const TestedFile = "test.json"

// Tested writes the test results of the chosen epoch, before Finish.
func (w *Writer) Tested(m Metrics) error {
	return w.do(func() error {
		line, err := m.Line()
		if err != nil {
			return fmt.Errorf("runs: test results: %w", err)
		}
		return w.in.WriteBytes(TestedFile, line)
	})
}

// TestedText returns the content of TestedFile. It is nil if the run has not finished, or
// was tested at the chosen epoch during training.
func (r *Run) TestedText() ([]byte, error) {
	if r.Status.State != Finished || !r.Config.General().TestsAtEnd(r.ChosenEpoch()) {
		return nil, nil
	}
	b, err := r.readText(TestedFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = &DamagedError{r.file(TestedFile), errors.New("it is missing, and with it the run's test results; train the run again with --force")}
	}
	return b, err
}

// addTested adds the test results of TestedFile to their epoch.
func (r *Run) addTested(all []Metrics) error {
	b, err := r.TestedText()
	if b == nil || err != nil {
		return err
	}
	var m Metrics
	err = parseLine(bytes.TrimSuffix(b, []byte("\n")), &m)
	if err == nil && (m.Epoch < 1 || m.Epoch > len(all) || m.TestAcc == nil) {
		err = fmt.Errorf("epoch %d is not one of this run", m.Epoch)
	}
	if err != nil {
		return &DamagedError{r.file(TestedFile), err}
	}
	all[m.Epoch-1].add(&m)
	return nil
}

// TestEvaluations returns how often the run was evaluated on the test set. Each
// evaluation shows a result by which settings could be chosen.
func (r *Run) TestEvaluations() int {
	g := r.Config.General()
	n := g.TestsUntil(r.Status.Epoch)
	if r.Status.State == Finished && g.TestsAtEnd(r.ChosenEpoch()) {
		n++
	}
	return n
}

// Answers are a model's outputs for each review, pair or text of a split: *Predictions,
// Translations or Guessed.
type Answers interface {
	// Write writes tab-separated values with a header.
	Write(w io.Writer) error
	count() int         // of reviews or pairs
	right() (n, of int) // of the score by which runs are compared
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
			err = &AnswersError{r, fmt.Errorf("%s: %d rows for %d %s", r.file(r.Config.Task().Answers), a.count(), n, r.Config.Task().Unit)}
		}
		add(err)
	}
	if _, err := r.Environments(); !errors.Is(err, fs.ErrNotExist) { // it may be missing
		add(err)
	}
	return wrong
}

// ProbeKey names a file of predictions for the pairs of a probe (package dataset/probe), which
// exp probe keeps in the run folder. They are no result of the training: neither the ID nor the
// digests of the run include them.
type ProbeKey struct {
	Probe  string // its name
	Digest string // the beginning of that of its content
}

// probeFile matches the names of files of answers, which have the form of predictions.tsv.
var probeFile = regexp.MustCompile(`^probe-([^.]+)\.([^.]+)\.tsv$`)

func (a ProbeKey) file() string { return fmt.Sprintf("probe-%s.%.12s.tsv", a.Probe, a.Digest) }

// WriteProbe keeps the run's predictions for the texts of a probe.
func (r *Run) WriteProbe(a ProbeKey, p *Predictions) error {
	return r.folder().WriteFile(a.file(), func(w io.Writer) error { return p.Write(w) })
}

// Probe returns the kept answers to a probe. The error wraps fs.ErrNotExist if there are none.
func (r *Run) Probe(a ProbeKey) (*Predictions, error) {
	b, err := r.readText(a.file())
	if err != nil {
		return nil, err
	}
	return ParsePredictions(r.file(a.file()), b)
}

// Probes lists the probes whose answers are kept.
func (r *Run) Probes() (list []ProbeKey, err error) {
	entries, err := r.folder().Entries()
	for _, e := range entries {
		if m := probeFile.FindStringSubmatch(e.Name()); m != nil {
			list = append(list, ProbeKey{m[1], m[2]})
		}
	}
	return list, err
}
