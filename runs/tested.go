package runs

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// TestedFile is the name of the file that holds what test=last gave, or test.every of an
// epoch that counts and had not been tested: one Metrics with its epoch and the fields of test. It is written before the checkpoint that ends the run and counts from then
// on. metrics.jsonl has no room for it: its lines are committed epoch by epoch, and
// a run that goes on from this one takes them over.
const TestedFile = "test.json"

// Tested keeps the test results of the epoch that counts, before Finish.
func (w *Writer) Tested(m Metrics) error {
	return w.do(func() error {
		line, err := m.Line()
		if err != nil {
			return fmt.Errorf("runs: test results: %w", err)
		}
		return w.folder().WriteBytes(TestedFile, line)
	})
}

// TestedText returns the file that holds the test results of a run's end. Runs
// that test the epoch that counts anyway have none, nor have those that have not finished: it is nil.
func (r *Run) TestedText() ([]byte, error) {
	if r.Status.State != Finished || !r.Config.General().TestsAtEnd(r.ChosenEpoch()) {
		return nil, nil
	}
	path := r.file(TestedFile)
	b, err := r.readFile(TestedFile)
	if errors.Is(err, fs.ErrNotExist) {
		err = &DamagedError{path, errors.New("it is missing, and with it what the run came to on test. Train it again with --force")}
	}
	return b, err
}

// addTested fills the test results of the end into the epoch that they are of.
func (r *Run) addTested(all []Metrics) error {
	b, err := r.TestedText()
	if b == nil || err != nil {
		return err
	}
	path := r.file(TestedFile)
	var m Metrics
	if err := json.Unmarshal(b, &m); err != nil {
		return &DamagedError{path, err}
	}
	i := slices.IndexFunc(all, func(e Metrics) bool { return e.Epoch == m.Epoch })
	if i < 0 || m.TestAcc == nil {
		return &DamagedError{path, fmt.Errorf("epoch %d is not one of this run", m.Epoch)}
	}
	to := &all[i]
	to.TestLoss, to.TestAcc, to.TestExact, to.TestBLEU = m.TestLoss, m.TestAcc, m.TestExact, m.TestBLEU
	to.TestEntropy, to.TestQuantiles, to.TestHeads = m.TestEntropy, m.TestQuantiles, m.TestHeads
	return nil
}

// TestLooks returns how often the run's test split has been evaluated in a way that
// anyone could see: after each epoch or some, once, or never. Each look at one of several
// runs is a chance to choose by test, even where nothing was chosen by a program.
func (r *Run) TestLooks() int {
	g := r.Config.General()
	n := g.TestsUntil(r.Status.Epoch)
	if r.Status.State == Finished && g.TestsAtEnd(r.ChosenEpoch()) {
		n++
	}
	return n
}
