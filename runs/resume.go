package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"imdbexp/internal/fsx"
)

// Resume continues a run that has not ended from its newest checkpoint: the one of its last
// whole epoch or one inside the next epoch (Checkpoint.Step). If the last checkpoint is
// damaged it continues from the one before, even if the run had finished; see Writer.Lost.
// The checkpoint is nil if training starts from the beginning.
func Resume(r *Run, e Environment) (_ *Writer, _ *Checkpoint, err error) {
	w, err := hold(r.Path, r.Config)
	if err != nil {
		return nil, nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	// Now that no one else can write, read the run again.
	if r, err = Open(r.Path); err != nil {
		return nil, nil, err
	}
	w.config = r.Config
	from, err := r.newest()
	if err != nil {
		return nil, nil, err
	}
	if p := from.progress; p.state == Finished || p.state == Diverged {
		return nil, nil, &endedError{r}
	}
	if err := r.folder().RemoveTemps(); err != nil {
		return nil, nil, err
	}
	sessions, err := readEnvironments(r.folder())
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("%w: it records where and how long the run was trained; put it back, or remove it to continue without", err)
	}
	if err := writeEnvironments(r.folder(), append(sessions, e)); err != nil {
		return nil, nil, err
	}
	if from.restore {
		if err := w.folder().Link(CheckpointFile(Prev), CheckpointFile(Last)); err != nil {
			return nil, nil, err
		}
	}
	if err := w.open(from.progress, from.epoch()); err != nil {
		return nil, nil, err
	}
	w.lost = errors.Join(from.lost...)
	return w, from.Checkpoint, nil
}

// endedError is an attempt to resume a run that has ended.
type endedError struct{ *Run }

func (e *endedError) Error() string {
	return fmt.Sprintf("%s cannot be resumed: it has %s", e.Label(), e.Status)
}

// IsConflict reports whether Create, Extend or Resume failed because another process
// created, ended or extended the run after it was looked up. Look it up again.
func IsConflict(err error) bool {
	_, ended := errors.AsType[*endedError](err)
	return ended || errors.Is(err, fs.ErrExist)
}

// timingLength returns the bytes of timing.jsonl up to an epoch. It stops at a line that
// cannot be parsed, because no result depends on the rest.
func timingLength(d fsx.Dir, epoch int) (int64, error) {
	b, err := d.ReadFile(timingFile, maxText)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	length := 0
	for {
		line, _, whole := bytes.Cut(b[length:], []byte("\n"))
		var t Timing
		if !whole || json.Unmarshal(line, &t) != nil || t.Epoch > epoch {
			return int64(length), nil
		}
		length += len(line) + 1
	}
}

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
