package runs

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"

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
