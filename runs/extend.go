package runs

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
)

// prefixSchedules are the learning rate schedules that do not depend on the number of epochs.
var prefixSchedules = []string{"constant", "step"}

// Shorter returns the longest run in dir that c extends: the same settings, fewer epochs,
// finished or interrupted, with a schedule that does not depend on the number of epochs.
// It returns nil if no run can be extended. If only runs that cannot be read might be extended, the
// error joins an UnreadableError for each.
func Shorter(dir string, c *Config) (*Run, error) {
	if !slices.Contains(prefixSchedules, c.General().Schedule) {
		return nil, nil
	}
	ids, err := folders(filepath.Join(dir, c.Name))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	var longest *Run
	for _, id := range ids {
		path := filepath.Join(dir, c.Name, id)
		if otherLineage(path, c.Lineage) {
			continue
		}
		r, failed := Open(path)
		if errors.Is(failed, fs.ErrNotExist) { // removed in the meantime
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
		return longest, nil
	}
	return nil, err
}

// otherLineage reports whether the configuration in a folder has a lineage other than the
// given one. It does not parse the file, because a grid calls it for every run of a name.
func otherLineage(path, lineage string) bool {
	b, err := folderAt(path).ReadFile(configFile, maxConfig)
	return err == nil && bytes.Contains(b, []byte("\nlineage: ")) && !bytes.Contains(b, []byte(lineage))
}

// begins reports whether the run's whole epochs are the first epochs of c, byte for byte. A
// finished run with a damaged last checkpoint counts, because the previous one can be used.
func (r *Run) begins(c *Config) bool {
	own, done := &r.Config, r.Status.Epoch
	alike := own.Lineage == c.Lineage && own.Name == c.Name && own.Result == c.Result && own.Model == c.Model
	shorter := r.progress.state == Finished && own.Epochs() < c.Epochs() || r.Status.State == Unfinished && done <= c.Epochs()
	return alike && shorter && own.General().TestsAlike(&c.General().Training, done)
}

// Extend starts the run of c in dir with the epochs of a shorter run (see Shorter) and
// returns the checkpoint to continue from. It creates nothing if files of the shorter run
// are damaged (see IsDamage) or missing (fs.ErrNotExist).
func Extend(dir string, c Config, e Environment, shorter *Run) (_ *Writer, _ *Checkpoint, err error) {
	if !shorter.begins(&c) {
		return nil, nil, fmt.Errorf("runs: %s is not a shorter run of %s/%s", shorter.Label(), c.Name, c.ID)
	}
	from, err := shorter.epochs()
	if err != nil {
		return nil, nil, err
	}
	if p, _, err := shorter.readProgress(); err == nil && p != shorter.progress { // see IsConflict
		return nil, nil, fmt.Errorf("%s has been trained further in the meantime: %w", shorter.Label(), fs.ErrExist)
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

// epochs holds the whole epochs of a run.
type epochs struct {
	last, best               *Checkpoint // best may be nil
	metrics, timing, entropy []byte      // lines
}

// epochs reads the whole epochs of a run.
func (r *Run) epochs() (out epochs, err error) {
	from, err := r.whole()
	if err != nil {
		return out, err
	}
	if out.last = from.Checkpoint; out.last == nil {
		return out, fmt.Errorf("%s: %w", r.file(CheckpointFile(Last)), fs.ErrNotExist)
	}
	if out.last.BestEpoch > 0 {
		if out.best, err = r.Checkpoint(Best); err != nil {
			return out, err
		}
	}
	timing, err := timingLength(r.folder(), out.last.Epoch)
	if err != nil {
		return out, err
	}
	var errs [3]error
	out.metrics, errs[0] = r.head(MetricsFile, from.progress.metrics)
	out.timing, errs[1] = r.head(timingFile, timing)
	out.entropy, errs[2] = r.head(EntropyFile, from.progress.entropy)
	return out, errors.Join(errs[:]...)
}

// adopt commits the epochs of another run as this run's epochs.
func (w *Writer) adopt(from epochs) error {
	if err := w.appendAll(from.metrics, from.timing, from.entropy); err != nil {
		return err
	}
	own := w.progress()
	if from.best != nil {
		if err := writeCheckpoint(w.folder(), Best, from.best, own); err != nil {
			return err
		}
	}
	if err := w.last(from.last, own); err != nil {
		return err
	}
	w.epoch = from.last.Epoch
	return nil
}
