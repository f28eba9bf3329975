package runs

import (
	"errors"
	"fmt"
	"io/fs"

	"imdbexp/internal/fsx"
)

// Writer writes the folder of one run, which is locked until Close. After an error every
// method returns it: the last checkpoint is intact, and Resume cuts off the rest.
type Writer struct {
	path   string
	config Config
	epoch  int // whole epochs committed
	lock   *fsx.Lock
	lines  struct{ metrics, timing, entropy *fsx.Appender }
	lost   error
	err    error
}

var errDone = errors.New("the run has ended and cannot be extended")

// Path returns the run's folder.
func (w *Writer) Path() string { return w.path }

// Lost returns the errors of damaged checkpoints that Resume skipped, nil if there were none.
func (w *Writer) Lost() error { return w.lost }

// Step writes a checkpoint inside the epoch after the last whole one, after c.Step of its
// steps. Readers only see whole epochs. If Step fails nothing is lost, and training may continue.
func (w *Writer) Step(c *Checkpoint) error {
	switch {
	case w.err != nil:
		return w.err
	case c.Epoch != w.epoch || c.Step < 1:
		return fmt.Errorf("runs: checkpoint of epoch %d and %d steps after epoch %d", c.Epoch, c.Step, w.epoch)
	}
	return writeCheckpoint(w.folder(), stepCheckpoint, c, w.progress())
}

// DropStep removes the checkpoint inside the current epoch and returns the one of the last
// whole epoch, nil if there is none.
func (w *Writer) DropStep() (*Checkpoint, error) {
	if err := w.folder().Remove(CheckpointFile(stepCheckpoint)); err != nil {
		return nil, err
	}
	c, _, err := readCheckpoint(w.folder(), Last)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	return c, err
}

// Epoch commits a whole epoch: its lines first, then its checkpoint. best marks the epoch
// with the best score so far, and c.BestEpoch must then be that epoch.
func (w *Writer) Epoch(m Metrics, t Timing, histograms []Histogram, c *Checkpoint, best bool) error {
	return w.do(func() error {
		if m.Epoch != w.epoch+1 || t.Epoch != m.Epoch || c.Epoch != m.Epoch || best && c.BestEpoch != m.Epoch {
			return fmt.Errorf("runs: metrics of epoch %d, timing of %d, checkpoint of %d (best %d) after epoch %d",
				m.Epoch, t.Epoch, c.Epoch, c.BestEpoch, w.epoch)
		}
		if err := w.append(m, t, histograms); err != nil {
			return err
		}
		p := w.progress()
		if best {
			if err := writeCheckpoint(w.folder(), Best, c, p); err != nil {
				return err
			}
		}
		if err := w.last(c, p); err != nil {
			return err
		}
		w.epoch = m.Epoch
		return nil
	})
}

// last commits: it replaces the last checkpoint, keeps the previous one, and removes the
// one inside the epoch.
func (w *Writer) last(c *Checkpoint, p progress) error {
	if err := w.folder().Link(CheckpointFile(Last), CheckpointFile(Prev)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeCheckpoint(w.folder(), Last, c, p); err != nil {
		return err
	}
	return w.folder().Remove(CheckpointFile(stepCheckpoint))
}

func (w *Writer) append(m Metrics, t Timing, histograms []Histogram) error {
	metrics, err1 := appendLines(nil, m)
	timing, err2 := appendLines(nil, t)
	entropy, err3 := appendLines(nil, histograms...)
	if err := errors.Join(err1, err2, err3); err != nil {
		return fmt.Errorf("runs: epoch %d: %w", m.Epoch, err)
	}
	return w.appendAll(metrics, timing, entropy)
}

// appendAll adds lines to the three files of lines.
func (w *Writer) appendAll(metrics, timing, entropy []byte) error {
	lines := [][]byte{metrics, timing, entropy}
	for i, f := range []*fsx.Appender{w.lines.metrics, w.lines.timing, w.lines.entropy} {
		if _, err := f.Write(lines[i]); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
	}
	return nil
}

// progress returns the current progress. It omits the length of timing.jsonl, which depends
// on the clock: checkpoints of equal runs are equal. Resuming cuts that file by its epochs.
func (w *Writer) progress() progress {
	return progress{config: w.config.Digest, metrics: w.lines.metrics.Len(), entropy: w.lines.entropy.Len(), state: Unfinished}
}

// Finish ends the run with the answers of the chosen epoch: the last one or the best,
// depending on the setting select. With test=never a is nil.
func (w *Writer) Finish(a Answers) error {
	return w.end(func() error {
		if a == nil {
			return nil
		}
		return w.folder().WriteFile(w.config.Task().Answers, a.Write)
	}, func(c *Checkpoint, p *progress) {
		p.state, p.chosen = Finished, c.Epoch
		if w.config.General().Select == Best && c.BestEpoch > 0 {
			p.chosen = c.BestEpoch
		}
	})
}

// Diverged ends the run for the given reason. Its whole epochs are kept.
func (w *Writer) Diverged(message string) error {
	return w.end(nil, func(_ *Checkpoint, p *progress) { p.state, p.message = Diverged, message })
}

// end calls before, and then marks the last checkpoint. It reads the checkpoint back,
// because the caller's tensors may have changed since the end of the epoch.
func (w *Writer) end(before func() error, mark func(*Checkpoint, *progress)) error {
	return w.do(func() error {
		c, p, err := readCheckpoint(w.folder(), Last)
		if errors.Is(err, fs.ErrNotExist) {
			c, p, err = new(Checkpoint), w.progress(), nil
		}
		if err != nil {
			return err
		}
		if before != nil {
			if err := before(); err != nil {
				return err
			}
		}
		mark(c, &p)
		if err := w.last(c, p); err != nil {
			return err
		}
		w.err = errDone
		return nil
	})
}

// do calls a step and keeps its error.
func (w *Writer) do(step func() error) error {
	if w.err != nil {
		return w.err
	}
	if err := step(); err != nil {
		w.err = err
	}
	if w.err == errDone {
		return nil
	}
	return w.err
}

// Close unlocks the folder, whatever the state of the run.
func (w *Writer) Close() error {
	if w.lock == nil {
		return nil
	}
	var errs []error
	for _, a := range []*fsx.Appender{w.lines.metrics, w.lines.timing, w.lines.entropy} {
		if a != nil {
			errs = append(errs, a.Close())
		}
	}
	errs = append(errs, w.lock.Release())
	w.lock, w.err = nil, fs.ErrClosed
	return errors.Join(errs...)
}

// resultFiles are removed when a run is started again. The last checkpoint goes first, after
// those that could replace it: without a checkpoint the other files do not count.
var resultFiles = []string{CheckpointFile(stepCheckpoint), CheckpointFile(Prev), CheckpointFile(Last), CheckpointFile(Best),
	PredictionsFile, TranslationsFile, TestedFile}

// Create starts a new run in dir. The error wraps fs.ErrExist if the run exists, and is a
// TakenError if another process is training it.
func Create(dir string, c Config, e Environment) (*Writer, error) {
	return start(dir, c, e, false)
}

// Replace starts a run again from the beginning and removes its results.
func Replace(dir string, c Config, e Environment) (*Writer, error) {
	return start(dir, c, e, true)
}

func start(dir string, c Config, e Environment, replace bool) (_ *Writer, err error) {
	c.Format = Format
	if err := errors.Join(c.check(), checkClasses(c.Classes)); err != nil {
		return nil, fmt.Errorf("runs: %w", err)
	}
	text, err := c.Encode()
	if err != nil {
		return nil, err
	}
	path := Folder(dir, &c)
	if err := folderAt(path).Make(); err != nil {
		return nil, err
	}
	w, err := hold(path, c)
	if err != nil {
		return nil, err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, w.Close())
		}
	}()
	if _, err := w.folder().Lstat(configFile); err == nil && !replace {
		return nil, fmt.Errorf("%s: %w", path, fs.ErrExist)
	}
	for _, name := range resultFiles {
		if _, err := w.folder().Lstat(name); err == nil && !replace {
			return nil, orphan(path, name)
		}
	}
	// Find files that cannot be written before removing anything.
	if err := w.folder().CheckRegular(ownFiles...); err != nil {
		return nil, err
	}
	for _, name := range resultFiles {
		if err := w.folder().Remove(name); err != nil {
			return nil, err
		}
	}
	if err := w.folder().RemoveTemps(); err != nil {
		return nil, err
	}
	if err := writeEnvironments(w.folder(), []Environment{e}); err != nil {
		return nil, err
	}
	// The configuration comes last: with it the folder is a run.
	if err := w.folder().WriteBytes(configFile, text); err != nil {
		return nil, err
	}
	return w, w.open(progress{}, 0)
}

// TakenError says that another process is training a run.
type TakenError struct {
	Label string
	By    *fsx.HeldError
}

func (e *TakenError) Error() string {
	return fmt.Sprintf("another process is training %s: %v", e.Label, e.By)
}

func (e *TakenError) Unwrap() error { return e.By }

// hold locks a run's folder for writing.
func hold(path string, c Config) (*Writer, error) {
	w := &Writer{path: path, config: c}
	var err error
	if w.lock, err = w.folder().Acquire(lockFile); err != nil {
		if held, ok := errors.AsType[*fsx.HeldError](err); ok {
			return nil, &TakenError{c.Name + "/" + c.ID, held}
		}
		return nil, err
	}
	return w, nil
}

// open opens the files of lines and cuts off what the checkpoint of that epoch does not cover.
func (w *Writer) open(p progress, epoch int) (err error) {
	w.epoch = epoch
	timing, err := timingLength(w.folder(), epoch)
	if err != nil {
		return err
	}
	if w.lines.metrics, err = w.folder().Append(MetricsFile, p.metrics); err != nil {
		return err
	}
	if w.lines.timing, err = w.folder().Append(timingFile, timing); err != nil {
		return err
	}
	w.lines.entropy, err = w.folder().Append(EntropyFile, p.entropy)
	return err
}
