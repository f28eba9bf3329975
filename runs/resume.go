package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"imdbexp/internal/fsx"
)

// Resume goes on with a run that has not ended, from its newest checkpoint: that of its last
// whole epoch or one inside the next (Checkpoint.Step). Where the last one is damaged it
// goes on from the one before, even of a run that had ended; Writer.Lost tells. The
// checkpoint is nil when there is none: then training starts at the beginning.
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
	// Now that nobody else writes, look again.
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
		return nil, nil, fmt.Errorf("%w: it tells where and how long the run was trained; put it back, or remove it to go on without", err)
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

// endedError says that there is nothing left to train of a run.
type endedError struct{ *Run }

func (e *endedError) Error() string {
	return fmt.Sprintf("%s cannot go on: it has %s", e.Label(), e.Status)
}

// Overtaken reports whether an error of Create, Extend or Resume says that another process
// has made or ended the run, or gone on with a shorter one, since it was looked up: look again.
func Overtaken(err error) bool {
	_, ended := errors.AsType[*endedError](err)
	return ended || errors.Is(err, fs.ErrExist)
}

// timingLength returns the bytes of timing.jsonl that belong to the first
// epochs. What cannot be read counts as not there: no result depends on it.
func timingLength(d fsx.Dir, of *Config, epoch int) (int64, error) {
	b, err := d.ReadFile(timingFile, of.limit(timingFile))
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
