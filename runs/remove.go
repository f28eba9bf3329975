package runs

import (
	"errors"
	"os"
	"path/filepath"
	"slices"

	"imdbexp/internal/fsx"
)

// ownFiles are the files of a run's folder except the lock, in the order in which they are
// removed: the configuration last, so that the rest of an interrupted removal is still a
// run and can be removed again.
var ownFiles = append(slices.Clone(resultFiles), MetricsFile, timingFile, EntropyFile, environmentFile, configFile)

// Remove deletes a run's files, and its folder if nothing else is in it; left is what else
// is in it. The error is a TakenError if another process is training the run. Words in the
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

// removeFolder removes the folder and that of the run's name if they are empty. Otherwise it
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
