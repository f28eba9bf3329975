package runs

import (
	"errors"
	"fmt"
	"io/fs"

	"imdbexp/internal/fsx"
)

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
