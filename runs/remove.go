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

// ownFiles are the files of a run's folder except the lock, in the order in which they are
// removed: the configuration last, so that the rest of an interrupted removal is still a
// run and can be removed again.
var ownFiles = append(slices.Clone(resultFiles), MetricsFile, timingFile, EntropyFile, environmentFile, remarksFile, configFile)

// Remove deletes a run's files, and its folder if it has no other files. left are the other
// files. The error is a TakenError if another process is training the run. Words in the
// store are kept for other runs (see FindUnused).
func (r *Run) Remove() (left []string, err error) {
	w, err := hold(r.Path, r.Config)
	if err != nil {
		return nil, err
	}
	for _, name := range ownFiles {
		if err := r.folder().Remove(name); err != nil {
			return nil, errors.Join(err, w.Close())
		}
	}
	if err := errors.Join(r.folder().RemoveTemps(), w.lock.Remove()); err != nil {
		return nil, err
	}
	return r.removeFolder()
}

// removeFolder removes the run's folder and the folder of its name if they are empty. Otherwise it
// returns the files in the run's folder.
func (r *Run) removeFolder() (left []string, err error) {
	entries, err := r.folder().Entries()
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		left = append(left, r.file(e.Name()))
	}
	if len(left) > 0 {
		return left, nil
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

// Size returns the bytes of the run's own files. A file with two names counts once.
func (r *Run) Size() (total int64) {
	entries, _ := r.folder().Entries()
	var files []os.FileInfo
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || !slices.Contains(ownFiles, e.Name()) {
			continue
		}
		if !slices.ContainsFunc(files, func(f os.FileInfo) bool { return os.SameFile(f, info) }) {
			files, total = append(files, info), total+info.Size()
		}
	}
	return total
}

// Unused is a file under a folder of runs that no run needs.
type Unused struct {
	Path  string
	Bytes int64 // freed by removing it
	Why   string

	in   fsx.Dir
	seen os.FileInfo
}

// Remove removes the file, unless it was written or used since it was found.
func (u *Unused) Remove() error {
	info, err := u.in.Lstat(u.seen.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !os.SameFile(info, u.seen) || !info.ModTime().Equal(u.seen.ModTime()) {
		return fmt.Errorf("%s was used in the meantime and is kept", u.Path)
	}
	return u.in.Remove(u.seen.Name())
}

// settled is the minimum age of an unused table: a run stores its table before it
// creates its folder.
const settled = time.Hour

// StoreSize returns the bytes of the word tables under dir.
func StoreSize(dir string) (total int64) {
	entries, _ := storeIn(dir).Entries()
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), tableSuffix) {
			total += info.Size()
		}
	}
	return total
}

// FindUnused returns the files under dir that no run needs: word tables without a run,
// second checkpoints of finished runs whose last one is intact, and temporary files of
// processes that died. Runs in use are skipped. A quick search assumes that every last
// checkpoint is intact, and reads none.
// If a run cannot be read it may need any table, so no table is returned; the error names
// the run, and the list is still valid.
func FindUnused(dir string, quick bool) ([]Unused, error) {
	all, err := List(dir)
	if fatal := Fatal(err); fatal != nil {
		return nil, fatal
	}
	var out []Unused
	tables := map[string]bool{}
	for _, r := range all {
		tables[r.Config.Table] = true
		if r.Held() == nil {
			out = append(out, r.unused(quick)...)
		}
	}
	if err != nil {
		return out, fmt.Errorf("no table in %s counts as unused, because some runs cannot be read: %w", storeIn(dir).Path(), err)
	}
	store := storeIn(dir)
	entries, _ := store.Entries()
	for _, e := range entries {
		digest, table := strings.CutSuffix(e.Name(), tableSuffix)
		var why string
		switch {
		case table && isHex(digest, 64) && !tables[digest]:
			why = "words of no run"
		case fsx.IsTemp(e.Name()):
			why = leftBehind
		default:
			continue
		}
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) >= settled {
			out = append(out, Unused{store.Path(e.Name()), info.Size(), why, store, info})
		}
	}
	return out, nil
}

const leftBehind = "left by a process that died"

// unused returns the files of the run's folder that are not needed.
func (r *Run) unused(quick bool) (out []Unused) {
	second := map[string]string{}
	if r.Status.State == Finished && (quick || r.Verify() == nil) {
		second[CheckpointFile(Prev)] = "second checkpoint of a finished run"
		second[CheckpointFile(stepCheckpoint)] = "checkpoint inside an epoch that is over"
	}
	entries, _ := r.folder().Entries()
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() {
			continue
		}
		why := second[e.Name()]
		if fsx.IsTemp(e.Name()) {
			why = leftBehind
		}
		if why != "" {
			out = append(out, Unused{r.file(e.Name()), info.Size(), why, r.folder(), info})
		}
	}
	return out
}
