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
	_, err = hold(r.Path, r.Config, func(w *Writer) error {
		for _, name := range ownFiles {
			if err := w.in.Remove(name); err != nil {
				return err
			}
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

// Size returns the bytes of the run's own files. A file with two names counts once.
func (r *Run) Size() (total int64) {
	files := regular(r.folder())
	for i, f := range files {
		again := slices.ContainsFunc(files[:i], func(g os.FileInfo) bool { return os.SameFile(f, g) })
		if !again && slices.Contains(ownFiles, f.Name()) {
			total += f.Size()
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
	for _, f := range regular(storeIn(dir)) {
		if strings.HasSuffix(f.Name(), tableSuffix) {
			total += f.Size()
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
func FindUnused(dir string, quick bool) (out []Unused, err error) {
	all, err := List(dir)
	if fatal := Fatal(err); fatal != nil {
		return nil, fatal
	}
	add := func(in fsx.Dir, f os.FileInfo, why string) {
		if fsx.IsTemp(f.Name()) {
			why = "left by a process that died"
		}
		if why != "" {
			out = append(out, Unused{in.Path(f.Name()), f.Size(), why, in, f})
		}
	}
	tables := map[string]bool{}
	for _, r := range all {
		tables[r.Config.Table+tableSuffix] = true
		if r.Held() != nil {
			continue
		}
		second := map[string]string{}
		if r.Status.State == Finished && (quick || r.Verify() == nil) {
			second[CheckpointFile(Prev)] = "second checkpoint of a finished run"
			second[CheckpointFile(stepCheckpoint)] = "checkpoint inside an epoch that is over"
		}
		for _, f := range regular(r.folder()) {
			add(r.folder(), f, second[f.Name()])
		}
	}
	store := storeIn(dir)
	if err != nil {
		return out, fmt.Errorf("no table in %s counts as unused, because some runs cannot be read: %w", store.Path(), err)
	}
	for _, f := range regular(store) {
		why := ""
		if digest, table := strings.CutSuffix(f.Name(), tableSuffix); table && isHex(digest, 64) && !tables[f.Name()] {
			why = "words of no run"
		}
		if time.Since(f.ModTime()) >= settled {
			add(store, f, why)
		}
	}
	return out, nil
}
