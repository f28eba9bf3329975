package runs

import (
	"errors"
	"io/fs"
)

// origin is where training can continue.
type origin struct {
	*Checkpoint // nil at the beginning
	progress    progress
	lost        []error // DamagedErrors of checkpoints that could not be read
	restore     bool    // replace the last checkpoint by the one before
}

// whole returns the checkpoint of the last whole epoch or, if it is damaged, the one before.
func (r *Run) whole() (s origin, err error) {
	s.Checkpoint, s.progress, err = r.read(Last)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		s.Checkpoint = nil
	case IsDamage(err):
		s.lost, s.restore = append(s.lost, err), true
		s.Checkpoint, s.progress, err = r.read(Prev)
		if errors.Is(err, fs.ErrNotExist) {
			err = errors.New("there is no checkpoint before it; --force trains the run again")
		}
		if err != nil {
			return s, errors.Join(append(s.lost, err)...)
		}
	case err != nil:
		return s, err
	}
	// Files are about to be cut to these lengths, and a wrong cut would lose epochs.
	if err := r.checkLines(s.progress, s.epoch()); err != nil {
		return s, errors.Join(append(s.lost, err)...)
	}
	return s, nil
}

// Restorable reports whether training can continue although a file of the run is damaged.
func (r *Run) Restorable() bool {
	_, err := r.newest()
	return err == nil
}

// newest returns the newest usable checkpoint: the last whole epoch's or the one inside the
// next epoch.
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
	} // otherwise that epoch has been committed since
	return s, nil
}

// epoch returns the number of whole epochs.
func (s *origin) epoch() int {
	if s.Checkpoint == nil {
		return 0
	}
	return s.Epoch
}

// IsDamage reports whether an error is about a file of a run that differs from what was written.
func IsDamage(err error) bool {
	_, ok := errors.AsType[*DamagedError](err)
	return ok || errors.Is(err, errReplaced)
}

// Verify reads the whole last checkpoint. The error is a DamagedError if it is damaged, and
// wraps fs.ErrNotExist if there is none.
func (r *Run) Verify() error {
	_, _, err := r.read(Last)
	return err
}
