package runs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

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
		return w.folder().WriteBytes(TestedFile, line)
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
