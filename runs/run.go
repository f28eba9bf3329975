package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// Run is the folder of one run, read. It may be written meanwhile by another
// process: what it returns is as of the last commit before Open.
type Run struct {
	Path   string
	Config Config
	Status Status

	progress   progress
	checkpoint Checkpoint // position only, no tensors
	sessions   []Environment
}

// Folder returns where the run of that configuration lies under dir.
func Folder(dir string, c *Config) string { return filepath.Join(dir, c.Name, c.ID) }

// Open reads a run's folder. Without a readable config.yaml that is an error; where there
// is nothing of a run it wraps fs.ErrNotExist, where something may not be read
// fs.ErrPermission. A damaged checkpoint, or metrics that do not reach
// it, is a Status.
func Open(path string) (*Run, error) {
	file := filepath.Join(path, configFile)
	b, err := folderAt(path).ReadFile(configFile, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		if err := orphaned(path); err != nil {
			return nil, err
		}
		why := "it has no " + configFile
		if _, err := os.Stat(path); err != nil {
			why = "there is no such folder"
		}
		return nil, &notRun{path + " is not the folder of a run: " + why, err}
	}
	if err != nil {
		return nil, denied(path, err)
	}
	c, err := ParseConfig(file, b)
	if err != nil {
		return nil, err
	}
	if err := c.Identity(); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	r := &Run{Path: path, Config: *c}
	r.sessions, _ = readEnvironments(folderAt(path)) // Environment tells
	r.progress, r.checkpoint, err = r.readProgress()
	if err != nil {
		r.progress.metrics, r.progress.entropy = -1, -1 // nobody knows: all that is there
	} else if err = r.endsLine(MetricsFile, r.progress.metrics); err != nil {
		// A run that is started anew, or goes on from the checkpoint before, has cut it since.
		if p, c, again := r.readProgress(); again == nil && p != r.progress {
			r.progress, r.checkpoint, err = p, c, r.endsLine(MetricsFile, p.metrics)
		}
	}
	if errors.Is(err, fs.ErrPermission) {
		return nil, denied(path, err)
	}
	r.Status = Status{State: r.progress.state, Epoch: r.checkpoint.Epoch, Epochs: c.Epochs(), Message: r.progress.message}
	if err != nil {
		r.Status.State, r.Status.Message = Damaged, err.Error()
	}
	return r, nil
}

// notRun says in words that there is nothing of a run.
type notRun struct {
	text string
	err  error // fs.ErrNotExist
}

func (e *notRun) Error() string { return e.text }
func (e *notRun) Unwrap() error { return e.err }

// orphaned is about a folder without a configuration in which files of a run lie that a
// new one would throw away. A run that is being made has none of them before it has its
// configuration.
func orphaned(path string) error {
	in := folderAt(path)
	for _, name := range resultFiles {
		if _, err := in.Lstat(name); err == nil && in.Holder(lockFile) == nil {
			return orphan(path, name)
		}
	}
	return nil
}

func orphan(path, name string) error {
	return &DamagedError{filepath.Join(path, configFile), fmt.Errorf("it is missing, while %s of its run is there. Put it back", name)}
}

// denied adds to an error about a run's folder that may not be read what to do; other
// errors it leaves as they are.
func denied(path string, err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return fmt.Errorf("%w. It cannot be read without its owner's permission: chmod -R a+rX on %s gives it, or name another folder of runs with --runs", err, path)
}

// Lookup opens the run of that configuration under dir; where there is none
// the error wraps fs.ErrNotExist.
func Lookup(dir string, c *Config) (*Run, error) { return Open(Folder(dir, c)) }

// readFile reads one of the run's files, none of which is larger than its settings allow.
func (r *Run) readFile(name string) ([]byte, error) {
	return r.folder().ReadFile(name, r.Config.limit(name))
}

func (r *Run) file(name string) string { return filepath.Join(r.Path, name) }

// Metrics returns the results of the whole epochs.
func (r *Run) Metrics() ([]Metrics, error) {
	all, err := committed[Metrics](r, MetricsFile, r.progress.metrics)
	if err == nil && r.progress.metrics >= 0 {
		err = r.checkEpochs(all, r.checkpoint.Epoch)
	}
	if err != nil {
		return all, err
	}
	return all, r.addTested(all)
}

// Entropies returns the histograms of the whole epochs, by epoch, then split.
func (r *Run) Entropies() ([]Histogram, error) {
	return committed[Histogram](r, EntropyFile, r.progress.entropy)
}

// committed reads the lines of which committedText returns the text. Those before an error come
// with it.
func committed[T any](r *Run, name string, length int64) ([]T, error) {
	if r.Status.State == Created {
		return nil, nil
	}
	return linesOf[T](r, name, length)
}

// Timing returns the training times of the whole epochs.
func (r *Run) Timing() ([]Timing, error) {
	all, err := committed[Timing](r, timingFile, -1)
	for i, t := range all {
		if r.Status.State != Damaged && t.Epoch > r.Status.Epoch {
			return all[:i], err
		}
	}
	return all, err
}

// Checkpoint reads the Last or Best checkpoint and checks its sum. One that
// does not exist wraps fs.ErrNotExist, a damaged one is a DamagedError.
func (r *Run) Checkpoint(which string) (*Checkpoint, error) {
	c, _, err := r.read(which)
	return c, err
}

// read returns a checkpoint with what it says about the run.
func (r *Run) read(which string) (*Checkpoint, progress, error) {
	path := r.file(CheckpointFile(which))
	c, p, err := readCheckpoint(r.folder(), which, &r.Config)
	err = r.missing(which, err)
	if err == nil {
		err = asDamage(path, p.of(&r.Config, c))
	}
	return c, p, err
}

// missing tells a last checkpoint that has been lost from one that is still to be
// made: the one before is kept only when the last one is replaced. Errors of other
// kinds and of other checkpoints it leaves as they are.
func (r *Run) missing(which string, err error) error {
	if which != Last || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	before := CheckpointFile(Prev)
	if _, e := r.folder().Lstat(before); e != nil {
		return err
	}
	if _, e := r.folder().Lstat(CheckpointFile(Last)); e == nil { // written since
		return err
	}
	return &DamagedError{r.file(CheckpointFile(Last)), fmt.Errorf("it is missing, while %s, the one before, is there", before)}
}

// Environment returns where the run was made, or its last part.
func (r *Run) Environment() (Environment, error) {
	all, err := r.Environments()
	if err != nil || len(all) == 0 {
		return Environment{}, err
	}
	return all[len(all)-1], nil
}

// Environments returns where the run was made, one for each time it was started
// or went on, in order.
func (r *Run) Environments() ([]Environment, error) { return readEnvironments(r.folder()) }

// Time returns when the run was last started, by its own record: times of files
// change when they are copied. It is zero when that is unknown.
func (r *Run) Time() time.Time {
	if n := len(r.sessions); n > 0 {
		return r.sessions[n-1].Started
	}
	return time.Time{}
}

// Label names the run for people: name/ID.
func (r *Run) Label() string { return r.Config.Name + "/" + r.Config.ID }
