package runs

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"

	"imdbexp/internal/fsx"
)

// Writer writes the folder of one run, which is locked until Close. After an error every
// method returns it: the last checkpoint is intact, and Resume cuts off the rest.
type Writer struct {
	in     fsx.Dir
	config Config
	epoch  int // whole epochs committed
	lock   *fsx.Lock
	lines  [3]*fsx.Appender // of lineFiles
	lost   error
	err    error
}

// lineFiles are the files to which each epoch adds lines.
var lineFiles = [3]string{MetricsFile, timingFile, EntropyFile}

var errDone = errors.New("the run has ended and cannot be extended")

// Path returns the run's folder.
func (w *Writer) Path() string { return w.in.Path() }

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
	return writeCheckpoint(w.in, stepCheckpoint, c, w.progress())
}

// Epoch commits a whole epoch: its lines first, then its checkpoint. best marks the epoch
// with the best score so far, and c.BestEpoch must then be that epoch.
func (w *Writer) Epoch(m Metrics, t Timing, histograms []Histogram, c *Checkpoint, best bool) error {
	return w.do(func() error {
		if m.Epoch != w.epoch+1 || t.Epoch != m.Epoch || c.Epoch != m.Epoch || best && c.BestEpoch != m.Epoch {
			return fmt.Errorf("runs: metrics of epoch %d, timing of %d, checkpoint of %d (best %d) after epoch %d",
				m.Epoch, t.Epoch, c.Epoch, c.BestEpoch, w.epoch)
		}
		metrics, err1 := jsonLines(m)
		timing, err2 := jsonLines(t)
		entropy, err3 := jsonLines(histograms...)
		if err := errors.Join(err1, err2, err3); err != nil {
			return fmt.Errorf("runs: epoch %d: %w", m.Epoch, err)
		}
		var chosen *Checkpoint
		if best {
			chosen = c
		}
		return w.commit([3][]byte{metrics, timing, entropy}, chosen, c)
	})
}

// commit adds lines to their files, then replaces the best checkpoint, unless it is nil, and the last one.
func (w *Writer) commit(lines [3][]byte, best, last *Checkpoint) error {
	for i, f := range w.lines {
		if _, err := f.Write(lines[i]); err != nil {
			return err
		}
		if err := f.Sync(); err != nil {
			return err
		}
	}
	if best != nil {
		if err := writeCheckpoint(w.in, Best, best, w.progress()); err != nil {
			return err
		}
	}
	if err := w.last(last, w.progress()); err != nil {
		return err
	}
	w.epoch = last.Epoch
	return nil
}

// last commits: it replaces the last checkpoint, keeps the previous one, and removes the
// one inside the epoch.
func (w *Writer) last(c *Checkpoint, p progress) error {
	if err := w.in.Link(CheckpointFile(Last), CheckpointFile(Prev)); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if err := writeCheckpoint(w.in, Last, c, p); err != nil {
		return err
	}
	return w.in.Remove(CheckpointFile(stepCheckpoint))
}

// progress returns the current progress. It omits the length of timing.jsonl, which depends
// on the clock: checkpoints of equal runs are equal. Resuming cuts that file by its epochs.
func (w *Writer) progress() progress {
	return progress{config: w.config.Digest, metrics: int(w.lines[0].Len()), entropy: int(w.lines[2].Len()), state: Unfinished}
}

// Finish ends the run with the answers of the chosen epoch: the last one or the best,
// depending on the setting select. With test=never a is nil.
func (w *Writer) Finish(a Answers) error {
	return w.end(func(c *Checkpoint, p *progress) (err error) {
		p.state, p.chosen = Finished, c.Epoch
		if w.config.General().Select == Best && c.BestEpoch > 0 {
			p.chosen = c.BestEpoch
		}
		if a != nil {
			err = w.in.WriteFile(w.config.Task().Answers, a.Write)
		}
		return err
	})
}

// Diverged ends the run for the given reason. Its whole epochs are kept.
func (w *Writer) Diverged(message string) error {
	return w.end(func(_ *Checkpoint, p *progress) error {
		p.state, p.message = Diverged, message
		return nil
	})
}

// end marks the last checkpoint. It reads the checkpoint back, because the caller's tensors may have
// changed since the end of the epoch.
func (w *Writer) end(mark func(*Checkpoint, *progress) error) error {
	err := w.do(func() error {
		c, p, err := readCheckpoint(w.in, Last)
		if errors.Is(err, fs.ErrNotExist) {
			c, p, err = new(Checkpoint), w.progress(), nil
		}
		if err == nil {
			err = mark(c, &p)
		}
		if err != nil {
			return err
		}
		return w.last(c, p)
	})
	w.err = cmp.Or(w.err, errDone)
	return err
}

// do calls a step and keeps its error.
func (w *Writer) do(step func() error) error {
	if w.err == nil {
		w.err = step()
	}
	return w.err
}

// Close unlocks the folder, whatever the state of the run.
func (w *Writer) Close() error {
	if w.lock == nil {
		return nil
	}
	var errs []error
	for _, a := range w.lines {
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
	PredictionsFile, TranslationsFile, TextsFile, TestedFile}

// Create starts a new run in dir. The error wraps fs.ErrExist if the run exists, and is a
// TakenError if another process is training it.
func Create(dir string, c Config, e Environment) (*Writer, error) { return start(dir, c, e, false) }

// Replace starts a run again from the beginning and removes its results.
func Replace(dir string, c Config, e Environment) (*Writer, error) { return start(dir, c, e, true) }

func start(dir string, c Config, e Environment, replace bool) (*Writer, error) {
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
	return lock(path, c, func(w *Writer) error {
		if !replace {
			if _, err := w.in.Lstat(configFile); err == nil {
				return fmt.Errorf("%s: %w", path, fs.ErrExist)
			}
			if err := orphan(w.in); err != nil {
				return err
			}
		}
		// Find files that cannot be written before removing anything.
		if err := w.in.CheckRegular(ownFiles...); err != nil {
			return err
		}
		if err := w.in.Remove(resultFiles...); err != nil {
			return err
		}
		if err := w.in.RemoveTemps(); err != nil {
			return err
		}
		if err := writeEnvironments(w.in, []Environment{e}); err != nil {
			return err
		}
		// The configuration comes last: with it the folder is a run.
		if err := w.in.WriteBytes(configFile, text); err != nil {
			return err
		}
		return w.open(progress{}, 0)
	})
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

// lock locks a run's folder for writing and calls prepare. It unlocks the folder if prepare fails.
func lock(path string, c Config, prepare func(*Writer) error) (_ *Writer, err error) {
	w := &Writer{in: folderAt(path), config: c}
	if w.lock, err = w.in.Acquire(lockFile); err != nil {
		if held, ok := errors.AsType[*fsx.HeldError](err); ok {
			err = &TakenError{c.Name + "/" + c.ID, held}
		}
		return nil, err
	}
	if err := prepare(w); err != nil {
		return nil, errors.Join(err, w.Close())
	}
	return w, nil
}

// open opens the files of lines and cuts off what the checkpoint of that epoch does not cover.
func (w *Writer) open(p progress, epoch int) (err error) {
	w.epoch = epoch
	timing, err := timingText(w.in, epoch)
	for i, length := range []int{p.metrics, len(timing), p.entropy} {
		if err == nil {
			w.lines[i], err = w.in.Append(lineFiles[i], int64(length))
		}
	}
	return err
}
