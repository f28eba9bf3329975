package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// prefixSchedules are the courses of the learning rate that do not depend on
// how many epochs there will be.
var prefixSchedules = []string{"constant", "step"}

// Shorter returns the longest run under dir of which c is only an extension: the same
// but for fewer epochs, all that it was asked for or those after which it was
// interrupted, with a schedule of the learning rate that does not know the end. It
// returns nil when there is none.
func Shorter(dir string, c *Config) (*Run, error) {
	if !slices.Contains(prefixSchedules, c.General().Schedule) {
		return nil, nil
	}
	all, err := ofLineage(dir, c.Name, c.Lineage)
	var longest *Run
	for _, path := range all {
		r, failed := Open(path)
		if errors.Is(failed, fs.ErrNotExist) { // removed since
			continue
		}
		if failed != nil {
			err = errors.Join(err, &UnreadableError{path, failed})
			continue
		}
		if !r.begins(c) || r.progress.state == Unfinished && r.Held() != nil {
			continue
		}
		if longest == nil || r.Status.Epoch > longest.Status.Epoch {
			longest = r
		}
	}
	if longest != nil {
		err = nil // what cannot be read elsewhere is not in the way
	}
	return longest, err
}

// begins reports whether the whole epochs of the run are the first ones of c, to the byte. A
// finished run counts though its last checkpoint is damaged: the one before is gone on from.
func (r *Run) begins(c *Config) bool {
	own, done := &r.Config, r.Status.Epoch
	alike := own.Lineage == c.Lineage && own.Name == c.Name && own.Result == c.Result && own.Model == c.Model
	shorter := r.progress.state == Finished && own.Epochs() < c.Epochs() || r.Status.State == Unfinished && done <= c.Epochs()
	return alike && shorter && own.General().TestsAlike(&c.General().Training, done)
}

// Extend starts the run of c under dir with the epochs of a shorter one (see
// Shorter) and returns the checkpoint to go on from. Where files of the shorter one
// are damaged (see IsDamage) or missing (fs.ErrNotExist), nothing has been made.
func Extend(dir string, c Config, e Environment, shorter *Run) (_ *Writer, _ *Checkpoint, err error) {
	if !shorter.begins(&c) {
		return nil, nil, fmt.Errorf("runs: %s is not a shorter run of %s/%s", shorter.Label(), c.Name, c.ID)
	}
	from, err := shorter.epochs()
	if err != nil {
		return nil, nil, err
	}
	if p, _, err := shorter.readProgress(); err == nil && p != shorter.progress { // see Overtaken
		return nil, nil, fmt.Errorf("%s has gone on meanwhile: %w", shorter.Label(), fs.ErrExist)
	}
	w, err := Create(dir, c, e)
	if err != nil {
		return nil, nil, err
	}
	if err := w.adopt(from); err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	return w, from.last, nil
}

// kept is the whole epochs of a run.
type kept struct {
	last, best               *Checkpoint // best may be nil
	metrics, timing, entropy []byte      // lines
}

// epochs reads the whole epochs of a run.
func (r *Run) epochs() (k kept, err error) {
	from, err := r.whole()
	if err != nil {
		return k, err
	}
	if k.last = from.Checkpoint; k.last == nil {
		return k, fmt.Errorf("%s: %w", r.file(CheckpointFile(Last)), fs.ErrNotExist)
	}
	if k.last.BestEpoch > 0 {
		if k.best, err = r.Checkpoint(Best); err != nil {
			return k, err
		}
	}
	timing, err := timingLength(r.folder(), &r.Config, k.last.Epoch)
	if err != nil {
		return k, err
	}
	for _, f := range []struct {
		to     *[]byte
		name   string
		length int64
	}{
		{&k.metrics, MetricsFile, from.progress.metrics},
		{&k.timing, timingFile, timing},
		{&k.entropy, EntropyFile, from.progress.entropy},
	} {
		if *f.to, err = r.head(f.name, f.length); err != nil {
			return k, err
		}
	}
	return k, nil
}

// adopt commits the epochs of another run as this one's.
func (w *Writer) adopt(k kept) error {
	if err := w.appendAll(k.metrics, k.timing, k.entropy); err != nil {
		return err
	}
	own := w.progress()
	if k.best != nil {
		if err := writeCheckpoint(w.folder(), Best, k.best, own, &w.config); err != nil {
			return err
		}
	}
	if err := w.last(k.last, own); err != nil {
		return err
	}
	w.epoch = k.last.Epoch
	return nil
}
