package runs

import (
	"errors"
	"fmt"
	"io/fs"
)

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
