package runs

import (
	"errors"
	"io/fs"
)

// origin is where a run can go on from.
type origin struct {
	*Checkpoint // nil at the beginning
	progress    progress
	lost        []error // what could not be read, DamagedErrors
	restore     bool    // the last checkpoint is to be replaced by the one before
}

// whole finds the checkpoint of the last whole epoch: where it is damaged, the one before.
func (r *Run) whole() (s origin, err error) {
	s.Checkpoint, s.progress, err = r.read(Last)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.Checkpoint = nil
	case IsDamage(err):
		s.lost, s.restore = append(s.lost, err), true
		s.Checkpoint, s.progress, err = r.read(Prev)
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("there is no checkpoint before it; --force trains the run anew")
		}
		if err != nil {
			return s, errors.Join(append(s.lost, err)...)
		}
	case err != nil:
		return s, err
	}
	// Before anything is cut by these lengths: a cut in a wrong place loses epochs.
	if err := r.checkLines(s.progress, s.epoch()); err != nil {
		return s, errors.Join(append(s.lost, err)...)
	}
	return s, nil
}

// Restorable reports whether training can go on where a file of the run is damaged, from
// the checkpoint before.
func (r *Run) Restorable() bool {
	_, err := r.newest()
	return err == nil
}

// newest finds where a run can go on from: the last whole epoch or, on top of it,
// the checkpoint inside the epoch that follows.
func (r *Run) newest() (origin, error) {
	s, err := r.whole()
	if err != nil {
		return s, err
	}
	inside, p, err := r.read(stepCheckpoint)
	switch {
	case errors.Is(err, fs.ErrNotExist):
	case IsDamage(err):
		s.lost = append(s.lost, err)
	case err != nil:
		return s, err
	case inside.Epoch == s.epoch() && p.metrics == s.progress.metrics && p.entropy == s.progress.entropy:
		s.Checkpoint, s.progress = inside, p
	} // else it is of an epoch that has been committed since
	return s, nil
}

// epoch returns the number of whole epochs.
func (s *origin) epoch() int {
	if s.Checkpoint == nil {
		return 0
	}
	return s.Epoch
}

// IsDamage reports whether an error says that a file of a run is not what was written.
func IsDamage(err error) bool {
	_, ok := errors.AsType[*DamagedError](err)
	return ok || errors.Is(err, errReplaced)
}

// Verify reads the last checkpoint whole. A file that is not what was written is
// a DamagedError; without a checkpoint the error wraps fs.ErrNotExist.
func (r *Run) Verify() error {
	_, _, err := r.read(Last)
	return err
}
