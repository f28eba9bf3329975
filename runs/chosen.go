package runs

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"slices"
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
// given one epoch of the run: with select.by=auto macro-F1 if the run has it. A larger one is
// better, but a smaller loss.
func (c *Config) ScoredBy(m *Metrics) Metric {
	key := map[string]string{"loss": "valid_loss", "macro_f1": "valid_macro_f1"}[c.General().SelectBy]
	if key == "" && c.General().SelectBy == "auto" && m.ValidMacroF1 != nil {
		key = "valid_macro_f1"
	}
	i := slices.IndexFunc(AllMetrics(), func(x Metric) bool { return x.Key == cmp.Or(key, "valid_acc") })
	return AllMetrics()[i]
}

// ValidScore returns the score of an epoch by which it is chosen, more is better; nil without a
// validation split.
func (c *Config) ValidScore(m *Metrics) *float64 {
	by := c.ScoredBy(m)
	score := by.Of(m)
	if by.Key == "valid_loss" && score != nil {
		return Number(-*score)
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
	defer func() {
		if r.Config.General().Test != "each" { // evaluated once
			e.Oracle = nil
		}
	}()
	all, err := r.Metrics()
	if len(all) > 0 {
		e.Last = &all[len(all)-1]
	}
	for i := range all {
		m := &all[i]
		if m.Epoch == r.ChosenEpoch() && e.Chosen == nil {
			e.Chosen = m
		}
		if m.TestAcc != nil && (e.Oracle == nil || *m.TestAcc > *e.Oracle.TestAcc) {
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

// checkScore compares the numbers of the chosen epoch with the answers on the test set, if they
// are complete and have a label each, and with the best score that the checkpoint has.
func (r *Run) checkScore(m *Metrics) error {
	g := r.Config.General()
	damaged := func(file, key string, is, want float64, by string) error {
		return &DamagedError{r.file(file), fmt.Errorf("%s of epoch %d is %v, but %s gives %v", key, m.Epoch, is, by, want)}
	}
	best := r.Config.ValidScore(m)
	if g.Select == Best && !g.ChooseOnTest && best != nil && m.Epoch == r.checkpoint.BestEpoch && *best != r.checkpoint.BestScore {
		return damaged(MetricsFile, r.Config.ScoredBy(m).Key, math.Abs(*best), math.Abs(r.checkpoint.BestScore), CheckpointFile(Last))
	}
	if r.Status.State != Finished || r.Config.Untested() {
		return nil
	}
	a, err := r.Answers()
	if err != nil || a.count() != g.Evaluated(r.Config.Data.Test.Reviews) {
		return nil // reading the answers reports it
	}
	want := a.numbers()
	file := MetricsFile
	if g.TestsAtEnd(m.Epoch) {
		file = TestedFile
	}
	for _, x := range AllMetrics() {
		is, other := x.Of(m), x.Of(&want)
		tolerance := 1e-9
		if other != nil && x.Unit == "nats" { // predictions have float32 probabilities
			tolerance = 1e-5 * (1 + *other)
		}
		if is != nil && other != nil && !(math.Abs(*is-*other) <= tolerance) {
			return damaged(file, x.Key, *is, *other, r.Config.Task().Answers)
		}
	}
	return nil
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
	path := r.file(TestedFile)
	b, err := r.readText(TestedFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = &DamagedError{path, errors.New("it is missing, and with it the run's test results; train the run again with --force")}
	}
	return b, err
}

// addTested adds the test results of TestedFile to their epoch.
func (r *Run) addTested(all []Metrics) error {
	b, err := r.TestedText()
	if b == nil || err != nil {
		return err
	}
	path := r.file(TestedFile)
	var m Metrics
	if err := parseLine(bytes.TrimSuffix(b, []byte("\n")), &m); err != nil {
		return &DamagedError{path, err}
	}
	i := slices.IndexFunc(all, func(e Metrics) bool { return e.Epoch == m.Epoch })
	if i < 0 || m.TestAcc == nil {
		return &DamagedError{path, fmt.Errorf("epoch %d is not one of this run", m.Epoch)}
	}
	all[i].add(&m)
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
