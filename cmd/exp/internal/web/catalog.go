package web

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/runs"
)

// catalog knows the runs of a folder. It scans the folder when it is asked, at most once in
// half an interval, and reads only runs that have changed.
type catalog struct {
	dir   string
	every time.Duration

	mu  sync.Mutex
	now *snapshot
	at  time.Time // of the last scan
}

// snapshot is the folder at one moment. It does not change.
type snapshot struct {
	version int
	entries []*entry // newest runs first
	byKey   map[string]*entry
	note    string // about the folder
}

// entry is a run as of its last commit. It does not change: a run that has changed has a new one.
type entry struct {
	run     *runs.Run // nil if it cannot be read
	row     page.Row
	detail  func() *page.Detail // of a run that can be read
	version int                 // of the first snapshot that has it
	stamp   string              // of its files: the commit that the run was read at
}

// Since asks for what has changed after a version; 0 asks for everything.
type Since struct {
	Since int `json:"since"`
}

// Change is the rows of the table of runs that are new or have changed.
type Change struct {
	Version int        `json:"version"`
	Order   []string   `json:"order"` // keys of all runs, newest first
	Rows    []page.Row `json:"rows"`  // new ones, and those that have changed
	Note    string     `json:"note"`  // about the folder
}

func (s *snapshot) since(version int) Change {
	c := Change{Version: s.version, Order: []string{}, Rows: []page.Row{}, Note: s.note}
	if version == s.version {
		return c
	}
	for _, e := range s.entries {
		c.Order = append(c.Order, e.row.Key)
		if e.version > version || version > s.version { // a page of an earlier server counts otherwise
			c.Rows = append(c.Rows, e.row)
		}
	}
	return c
}

// scan returns the present snapshot.
func (c *catalog) scan() *snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.now != nil && time.Since(c.at) < c.every/2 {
		return c.now
	}
	old := c.now
	if old == nil {
		old = &snapshot{}
	}
	next := &snapshot{version: old.version + 1, byKey: map[string]*entry{}}
	paths, err := folders(c.dir)
	if err != nil {
		next.note = err.Error()
	}
	changed := c.now == nil || next.note != old.note
	for _, path := range paths {
		key, err := filepath.Rel(c.dir, path)
		if err != nil {
			continue
		}
		key = filepath.ToSlash(key)
		e := old.byKey[key].renew(path, next.version)
		if e == nil {
			continue
		}
		changed = changed || e != old.byKey[key]
		next.entries, next.byKey[key] = append(next.entries, e), e
	}
	c.at = time.Now()
	if !changed && len(next.entries) == len(old.entries) {
		return c.now
	}
	slices.SortStableFunc(next.entries, func(a, b *entry) int {
		return cmp.Or(b.started().Compare(a.started()), cmp.Compare(a.row.Key, b.row.Key))
	})
	c.now = next
	return next
}

func (e *entry) started() time.Time {
	if e.run == nil {
		return time.Time{}
	}
	return e.run.Time()
}

// renew returns the entry of a folder: e if nothing has changed, nil if there is no run. e may
// be nil.
func (e *entry) renew(path string, version int) *entry {
	stamp, there := stampOf(path)
	if !there {
		return nil
	}
	if e != nil && e.stamp == stamp && (e.run == nil || (e.run.Present().State == runs.Training) == (e.row.State == string(runs.Training))) {
		return e
	}
	run, err := runs.Open(path)
	next := &entry{run: run, version: version, stamp: stamp, row: page.RowOf(path, run, err)}
	next.detail = sync.OnceValue(func() *page.Detail { return page.DetailOf(run) })
	return next
}

// stampOf describes the files that change whenever a run commits; there is false for a folder
// that holds no run.
func stampOf(path string) (stamp string, there bool) {
	for _, name := range []string{"config.yaml", "last.safetensors"} {
		info, err := os.Lstat(filepath.Join(path, name))
		switch {
		case err == nil:
			stamp += fmt.Sprint(info.Size(), info.ModTime().UnixNano(), " ")
		case name == "config.yaml":
			return "", false
		default:
			stamp += "- "
		}
	}
	return stamp, true
}

// folders returns every folder of a folder's folders. Links are not followed.
func folders(dir string) (paths []string, err error) {
	names, err := subfolders(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	for _, name := range names {
		ids, e := subfolders(name)
		paths, err = append(paths, ids...), errors.Join(err, e)
	}
	return paths, err
}

func subfolders(dir string) (paths []string, err error) {
	list, err := os.ReadDir(dir)
	for _, d := range list {
		if d.IsDir() && !strings.HasPrefix(d.Name(), ".") {
			paths = append(paths, filepath.Join(dir, d.Name()))
		}
	}
	return paths, err
}
