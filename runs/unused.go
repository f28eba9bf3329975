package runs

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"imdbexp/internal/fsx"
)

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
// processes that died. Runs in use are skipped. A quick search takes every last checkpoint to
// be intact and reads none.
// If a run cannot be read it may need any table, so no table is returned; the error names
// the run, and the list is still valid.
func FindUnused(dir string, quick bool) ([]Unused, error) {
	all, err := List(dir)
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
