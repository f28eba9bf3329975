package runs

import (
	"errors"
	"fmt"
	"io/fs"
)

// Check reads the files of a run that something is made from later, and returns what is
// wrong with each. What it keeps in the store, Words reads.
func (r *Run) Check() (wrong []error) {
	add := func(err error) bool {
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
		_, err := r.Metrics() // with those of the end
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
	if _, err := r.Environments(); !errors.Is(err, fs.ErrNotExist) { // without it a run goes on
		add(err)
	}
	return wrong
}

// InLast reports whether an error of Check is about the last checkpoint.
func (r *Run) InLast(err error) bool {
	d, ok := errors.AsType[*DamagedError](err)
	return ok && d.Path == r.file(CheckpointFile(Last))
}
