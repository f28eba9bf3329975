package runs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"imdbexp/internal/fsx"
)

// ownFiles are the files that this package writes into a run's folder, but for
// the lock, in the order in which they are removed: the configuration last, so
// that what an interruption leaves is still a run, and can be removed again.
var ownFiles = append(slices.Clone(resultFiles), MetricsFile, timingFile, EntropyFile, environmentFile, configFile)

// Remove deletes a run: the files that this package writes, and the folder when
// nothing else is in it. What else is in it stays, and is returned. A run that a
// process is at is not removed: the error is a fsx.HeldError. The table of words
// stays in the store, where others may use it (see Unused).
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

// removeFolder removes the folder, and that of the run's name, where nothing is
// left in them; otherwise it returns what is.
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
		_ = fsx.In(filepath.Dir(parent), r.Config.Name).RemoveEmpty() // unless other runs lie there
	}
	return nil, nil
}

// Held says which process is at the run, nil for none.
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
