package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"imdbexp/internal/fsx"
)

// Run is the folder of one run, as read by Open. Another process may be writing it: all
// results are those of the last commit before Open.
type Run struct {
	Path   string
	Config Config
	Status Status

	progress   progress
	checkpoint Checkpoint // position only, no tensors
	sessions   []Environment
}

// Folder returns the folder of the run of c in dir.
func Folder(dir string, c *Config) string { return filepath.Join(dir, c.Name, c.ID) }

// Open reads a run's folder. The error wraps fs.ErrNotExist if there is no run, and
// fs.ErrPermission if a file may not be read. A damaged checkpoint, or metrics shorter
// than the checkpoint says, is not an error but a Status.
func Open(path string) (*Run, error) {
	in := folderAt(path)
	b, err := in.ReadFile(configFile, maxConfig)
	if errors.Is(err, fs.ErrNotExist) {
		// A run being created has no results before its configuration.
		if err := orphan(in); err != nil && in.Holder(lockFile) == nil {
			return nil, err
		}
		return nil, &saidError{path + " is not the folder of a run: there is no " + configFile, err}
	}
	if err != nil {
		return nil, denied(path, err)
	}
	c, err := ParseConfig(in.Path(configFile), b)
	if err != nil {
		return nil, err
	}
	if err := c.Identity(); err != nil {
		return nil, fmt.Errorf("%s: %w", in.Path(configFile), err)
	}
	r := &Run{Path: path, Config: *c}
	r.sessions, _ = readEnvironments(in) // Environment returns the error
	r.progress, r.checkpoint, err = r.readProgress()
	if err != nil {
		r.progress.metrics, r.progress.entropy = -1, -1 // unknown: take all lines
	} else if _, err = r.MetricsText(); err != nil {
		// Another process may have cut the file since: it restarted the run, or resumed it from Prev.
		if p, c, again := r.readProgress(); again == nil && p != r.progress {
			r.progress, r.checkpoint = p, c
			_, err = r.MetricsText()
		}
	}
	if errors.Is(err, fs.ErrPermission) || NoFiles(err) {
		return nil, denied(path, err)
	}
	r.Status = Status{State: r.progress.state, Epoch: r.checkpoint.Epoch, Epochs: c.Epochs(), Message: r.progress.message}
	if err != nil {
		r.Status.State, r.Status.Message = Damaged, err.Error()
	}
	return r, nil
}

// saidError replaces the text of an error.
type saidError struct {
	text string
	err  error
}

func (e *saidError) Error() string { return e.text }
func (e *saidError) Unwrap() error { return e.err }

// orphan returns an error for a folder without a configuration that holds result files,
// which a new run would overwrite.
func orphan(in fsx.Dir) error {
	for _, name := range resultFiles {
		if _, err := in.Lstat(name); err == nil {
			return &DamagedError{in.Path(configFile), fmt.Errorf("it is missing, but %s of its run exists; put it back", name)}
		}
	}
	return nil
}

// denied adds advice to a permission error about a run's folder. It returns other errors
// unchanged.
func denied(path string, err error) error {
	if !errors.Is(err, fs.ErrPermission) {
		return err
	}
	return fmt.Errorf("%w; ask its owner to run chmod -R a+rX %s, or name another folder of runs with --runs", err, path)
}

// Lookup opens the run of c in dir. The error wraps fs.ErrNotExist if there is none.
func Lookup(dir string, c *Config) (*Run, error) { return Open(Folder(dir, c)) }

func (r *Run) readText(name string) ([]byte, error) { return r.folder().ReadFile(name, maxText) }

func (r *Run) file(name string) string { return filepath.Join(r.Path, name) }

// Metrics returns the results of the whole epochs.
func (r *Run) Metrics() ([]Metrics, error) {
	all, err := r.epochLines(r.progress, r.checkpoint.Epoch)
	if err != nil {
		return all, err
	}
	return all, r.addTested(all)
}

// Entropies returns the histograms of the whole epochs, by epoch, then split.
func (r *Run) Entropies() ([]Histogram, error) {
	return linesOf[Histogram](r, EntropyFile, r.progress.entropy)
}

// Trained returns the seconds of the training passes; ok is false if they are not recorded.
func (r *Run) Trained() (seconds float64, ok bool) {
	times, err := r.Timing()
	for _, t := range times {
		seconds += t.Seconds
	}
	return seconds, err == nil && len(times) > 0
}

// Timing returns the training times of the whole epochs.
func (r *Run) Timing() ([]Timing, error) {
	all, err := linesOf[Timing](r, timingFile, -1)
	for i, t := range all {
		if r.Status.State != Damaged && t.Epoch > r.Status.Epoch {
			return all[:i], err
		}
	}
	return all, err
}

// Checkpoint reads the Last or Best checkpoint and checks its checksum. The error wraps
// fs.ErrNotExist if it does not exist, and is a DamagedError if it is damaged.
func (r *Run) Checkpoint(which string) (*Checkpoint, error) {
	c, _, err := r.read(which)
	return c, err
}

// read returns a checkpoint and the progress of the run that it records.
func (r *Run) read(which string) (*Checkpoint, progress, error) {
	path := r.file(CheckpointFile(which))
	c, p, err := readCheckpoint(r.folder(), which)
	err = r.missing(which, err)
	if err == nil {
		err = asDamage(path, p.check(&r.Config, c))
	}
	return c, p, err
}

// missing turns the error of a lost last checkpoint into a DamagedError. A last checkpoint
// is lost, rather than not yet written, if the one before it exists. Other errors are
// returned unchanged.
func (r *Run) missing(which string, err error) error {
	if which != Last || !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	before := CheckpointFile(Prev)
	if _, e := r.folder().Lstat(before); e != nil {
		return err
	}
	if _, e := r.folder().Lstat(CheckpointFile(Last)); e == nil { // written in the meantime
		return err
	}
	return &DamagedError{r.file(CheckpointFile(Last)), fmt.Errorf("it is missing, but %s, the one before, exists", before)}
}

// Environments returns the environment of each session, from the start on.
func (r *Run) Environments() ([]Environment, error) { return readEnvironments(r.folder()) }

// Time returns when the run was last started, as it recorded itself, because file times
// change when a folder is copied. It is zero if unknown.
func (r *Run) Time() time.Time {
	if n := len(r.sessions); n > 0 {
		return r.sessions[n-1].Started
	}
	return time.Time{}
}

// Label returns name/ID, which is how messages name the run.
func (r *Run) Label() string { return r.Config.Name + "/" + r.Config.ID }

// ownFiles are the files of a run's folder except the lock, in the order in which they are
// removed: the configuration last, so that the rest of an interrupted removal is still a
// run and can be removed again.
var ownFiles = append(slices.Clone(resultFiles), MetricsFile, timingFile, EntropyFile, environmentFile, remarksFile, configFile)

// Remove deletes a run's files, and its folder if it has no other files. left are the other
// files. The error is a TakenError if another process is training the run. Words in the
// store are kept for other runs (see CleanStore).
func (r *Run) Remove() (left []string, err error) {
	_, err = lock(r.Path, r.Config, func(w *Writer) error {
		if err := w.in.Remove(ownFiles...); err != nil {
			return err
		}
		return errors.Join(w.in.RemoveTemps(), w.lock.Remove())
	})
	if err != nil {
		return nil, err
	}
	entries, err := r.folder().Entries()
	for _, e := range entries {
		left = append(left, r.file(e.Name()))
	}
	if len(left) > 0 || err != nil {
		return left, err
	}
	if err := r.folder().RemoveEmpty(); err != nil {
		return nil, err
	}
	if parent := filepath.Dir(r.Path); filepath.Base(parent) == r.Config.Name {
		_ = fsx.In(filepath.Dir(parent), r.Config.Name).RemoveEmpty() // fails if there are other runs
	}
	return nil, nil
}

// Held returns the process that is training the run, nil if there is none.
func (r *Run) Held() *fsx.HeldError { return r.folder().Holder(lockFile) }

// regular returns the regular files of a folder; none if it cannot be read.
func regular(in fsx.Dir) (files []os.FileInfo) {
	entries, _ := in.Entries()
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() {
			files = append(files, info)
		}
	}
	return files
}

// Size returns the bytes of the run's own files.
func (r *Run) Size() int64 {
	return size(r.folder(), func(name string) bool { return slices.Contains(ownFiles, name) })
}

func size(in fsx.Dir, own func(name string) bool) (total int64) {
	for _, f := range regular(in) {
		if own(f.Name()) {
			total += f.Size()
		}
	}
	return total
}

// StoreSize returns the bytes of the word tables under dir.
func StoreSize(dir string) int64 {
	return size(storeIn(dir), func(name string) bool { return strings.HasSuffix(name, tableSuffix) })
}

// settled is the minimum age of an unused table: a run stores its table before it
// creates its folder.
const settled = time.Hour

// CleanStore removes the word tables under dir that no run needs, and the temporary files that killed
// processes left there. If a run cannot be read, it may need any table, and all stay. CleanStore
// returns the bytes that it freed.
func CleanStore(dir string) (freed int64, err error) {
	all, err := List(dir)
	if err != nil {
		return 0, nil
	}
	needed, store := map[string]bool{}, storeIn(dir)
	for _, r := range all {
		needed[r.Config.Table+tableSuffix] = true
	}
	for _, f := range regular(store) {
		digest, table := strings.CutSuffix(f.Name(), tableSuffix)
		unused := table && isHex(digest, 64) && !needed[f.Name()] || fsx.IsTemp(f.Name())
		if !unused || time.Since(f.ModTime()) < settled {
			continue
		}
		if err := store.Remove(f.Name()); err != nil {
			return freed, err
		}
		freed += f.Size()
	}
	return freed, nil
}
