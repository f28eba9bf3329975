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
// The checkpoint is nil if training starts from the beginning. The error wraps fs.ErrExist if the
// run has ended.
func Resume(r *Run, e Environment) (w *Writer, at *Checkpoint, err error) {
	w, err = lock(r.Path, r.Config, func(w *Writer) error {
		r, err := Open(r.Path) // again, now that no one else can write
		if err != nil {
			return err
		}
		w.config = r.Config
		from, err := r.newest()
		if err != nil {
			return err
		}
		if p := from.progress; p.state == Finished || p.state == Diverged {
			return &saidError{fmt.Sprintf("%s cannot be resumed: it has %s", r.Label(), r.Status), fs.ErrExist}
		}
		if err := w.in.RemoveTemps(); err != nil {
			return err
		}
		sessions, err := readEnvironments(w.in)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("%w: it records where and how long the run was trained; put it back, or remove it to continue without", err)
		}
		if err := writeEnvironments(w.in, append(sessions, e)); err != nil {
			return err
		}
		if from.restore {
			if err := w.in.Link(CheckpointFile(Prev), CheckpointFile(Last)); err != nil {
				return err
			}
		}
		w.lost, at = errors.Join(from.lost...), from.Checkpoint
		return w.open(from.progress, from.whole)
	})
	return w, at, err
}

// timingText returns the lines of timing.jsonl up to an epoch. It stops at a line that
// cannot be parsed, because no result depends on the rest.
func timingText(d fsx.Dir, epoch int) ([]byte, error) {
	b, err := d.ReadFile(timingFile, maxText)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	length := 0
	for line := range bytes.Lines(b) {
		var t Timing
		if !bytes.HasSuffix(line, []byte("\n")) || json.Unmarshal(line, &t) != nil || t.Epoch > epoch {
			break
		}
		length += len(line)
	}
	return b[:length], err
}

// origin is where training can continue.
type origin struct {
	*Checkpoint     // nil at the beginning
	whole       int // epochs
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
	if s.Checkpoint != nil {
		s.whole = s.Epoch
	}
	// Files are about to be cut to these lengths, and a wrong cut would lose epochs.
	if err := r.checkLines(s.progress, s.whole); err != nil {
		return s, errors.Join(append(s.lost, err)...)
	}
	return s, nil
}

// Restorable reports whether an error of Check is about the last checkpoint, and training can
// continue from the one before.
func (r *Run) Restorable(err error) bool {
	d, ok := errors.AsType[*DamagedError](err)
	if !ok || d.Path != r.file(CheckpointFile(Last)) {
		return false
	}
	_, err = r.newest()
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
	case inside.Epoch == s.whole && p.metrics == s.progress.metrics && p.entropy == s.progress.entropy:
		s.Checkpoint, s.progress = inside, p
	} // otherwise that epoch has been committed since
	return s, nil
}

// IsDamage reports whether an error is a DamagedError.
func IsDamage(err error) bool {
	_, ok := errors.AsType[*DamagedError](err)
	return ok
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
// finished or interrupted, with a schedule that does not depend on the number of epochs. It returns
// nil if there is none that can be read.
func Shorter(dir string, c *Config) (longest *Run) {
	if !slices.Contains(prefixSchedules, c.General().Schedule) {
		return nil
	}
	paths, _ := folders(filepath.Join(dir, c.Name))
	for _, path := range paths {
		if otherLineage(path, c.Lineage) {
			continue
		}
		r, err := Open(path)
		if err == nil && (longest == nil || r.Status.Epoch > longest.Status.Epoch) && r.begins(c) && (r.progress.state != Unfinished || r.Held() == nil) {
			longest = r
		}
	}
	return longest
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
func Extend(dir string, c Config, e Environment, shorter *Run) (*Writer, *Checkpoint, error) {
	if !shorter.begins(&c) {
		return nil, nil, fmt.Errorf("runs: %s is not a shorter run of %s/%s", shorter.Label(), c.Name, c.ID)
	}
	from, err := shorter.whole()
	if err == nil && from.Checkpoint == nil {
		err = fmt.Errorf("%s: %w", shorter.file(CheckpointFile(Last)), fs.ErrNotExist)
	}
	if err != nil {
		return nil, nil, err
	}
	var best *Checkpoint
	if from.BestEpoch > 0 {
		if best, err = shorter.Checkpoint(Best); err != nil {
			return nil, nil, err
		}
	}
	metrics, err1 := shorter.head(MetricsFile, from.progress.metrics)
	timing, err2 := timingText(shorter.folder(), from.Epoch)
	entropy, err3 := shorter.head(EntropyFile, from.progress.entropy)
	if err := errors.Join(err1, err2, err3); err != nil {
		return nil, nil, err
	}
	if p, _, err := shorter.readProgress(); err == nil && p != shorter.progress {
		return nil, nil, fmt.Errorf("%s has been trained further in the meantime: %w", shorter.Label(), fs.ErrExist)
	}
	w, err := Create(dir, c, e)
	if err != nil {
		return nil, nil, err
	}
	if err := w.commit([3][]byte{metrics, timing, entropy}, best, from.Checkpoint); err != nil {
		return nil, nil, errors.Join(err, w.Close())
	}
	return w, from.Checkpoint, nil
}
