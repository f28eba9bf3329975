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

// Unused is a file under a folder of runs that nothing needs any more.
type Unused struct {
	Path  string
	Bytes int64 // that removing it frees
	Why   string

	in   fsx.Dir
	seen os.FileInfo
}

// Remove removes the file, unless it has been written or used since it was found.
func (u *Unused) Remove() error {
	info, err := u.in.Lstat(u.seen.Name())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	if !os.SameFile(info, u.seen) || !info.ModTime().Equal(u.seen.ModTime()) {
		return fmt.Errorf("%s has been used meanwhile: it stays", u.Path)
	}
	return u.in.Remove(u.seen.Name())
}

// settled is how old a table has to be before it counts as unused: a run puts its
// table into the store before it makes its folder.
const settled = time.Hour

// StoreSize returns the bytes of the tables of words under dir.
func StoreSize(dir string) int64 {
	entries, _ := storeIn(dir).Entries()
	var total int64
	for _, e := range entries {
		if info, err := e.Info(); err == nil && info.Mode().IsRegular() && strings.HasSuffix(e.Name(), tableSuffix) {
			total += info.Size()
		}
	}
	return total
}

// FindUnused returns what no run under dir needs any more: tables of words that
// none refers to, second checkpoints of finished runs whose first is whole, the index of
// no run, and files that a process left while it was writing. Runs that a process is at are
// passed over. Where a run cannot be read, no table is unused, for it may refer to
// any; the error says which, and the list is good whatever it says.
func FindUnused(dir string) ([]Unused, error) {
	return findUnused(dir, func(r *Run) bool { return r.Verify() == nil })
}

// UnusedSize returns how many bytes FindUnused would find if every first checkpoint
// were whole: to know that they are it would have to read them all.
func UnusedSize(dir string) int64 {
	list, _ := findUnused(dir, func(*Run) bool { return true }) // FindUnused tells
	var total int64
	for _, u := range list {
		total += u.Bytes
	}
	return total
}

func findUnused(dir string, whole func(*Run) bool) ([]Unused, error) {
	all, err := List(dir)
	var out []Unused
	tables := map[string]bool{}
	for _, r := range all {
		tables[r.Config.Table] = true
		if r.Held() == nil {
			out = append(out, r.unused(whole)...)
		}
	}
	out = append(out, unusedIndex(dir, len(all) > 0)...)
	store := storeIn(dir)
	if err != nil {
		return out, fmt.Errorf("no table in %s counts as unused while there are runs that cannot be read: %w", store.Path(), err)
	}
	entries, err := store.Entries()
	if errors.Is(err, fs.ErrNotExist) {
		return out, nil
	}
	for _, e := range entries {
		info, err := e.Info()
		if err != nil || !info.Mode().IsRegular() || time.Since(info.ModTime()) < settled {
			continue
		}
		digest, table := strings.CutSuffix(e.Name(), tableSuffix)
		switch path := store.Path(e.Name()); {
		case table && isHex(digest, 64) && !tables[digest]:
			out = append(out, Unused{path, info.Size(), "words of no run", store, info})
		case fsx.IsAside(e.Name()):
			out = append(out, Unused{path, info.Size(), leftBehind, store, info})
		}
	}
	return out, err
}

// unusedIndex returns the index of a folder that has no runs any more, and what processes
// left that died while they wrote it.
func unusedIndex(dir string, used bool) (out []Unused) {
	in := fsx.In(dir)
	entries, _ := in.Entries()
	for _, e := range entries {
		name := e.Name()
		aside := fsx.IsAside(name) && strings.HasPrefix(name, "."+IndexFile+".")
		if !aside && (used || name != IndexFile) {
			continue
		}
		info, err := in.Lstat(name)
		if err != nil || !info.Mode().IsRegular() || aside && time.Since(info.ModTime()) < settled {
			continue
		}
		why := "index of no run"
		if aside {
			why = leftBehind
		}
		out = append(out, Unused{in.Path(name), info.Size(), why, in, info})
	}
	return out
}

const leftBehind = "left by a process that died"

// unused returns what is not needed in the folder of a run that nobody is at; whole
// says whether its last checkpoint can be relied on.
func (r *Run) unused(whole func(*Run) bool) (out []Unused) {
	add := func(list []Unused, name, why string) []Unused {
		if info, err := r.folder().Lstat(name); err == nil && info.Mode().IsRegular() {
			list = append(list, Unused{r.file(name), info.Size(), why, r.folder(), info})
		}
		return list
	}
	entries, _ := r.folder().Entries()
	for _, e := range entries {
		if fsx.IsAside(e.Name()) {
			out = add(out, e.Name(), leftBehind)
		}
	}
	if r.Status.State != Finished {
		return out
	}
	second := add(nil, CheckpointFile(Prev), "second checkpoint of a finished run")
	second = add(second, CheckpointFile(stepCheckpoint), "checkpoint inside an epoch that is over")
	if len(second) > 0 && whole(r) {
		out = append(out, second...)
	}
	return out
}
