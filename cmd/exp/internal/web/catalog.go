package web

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
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
	order   []string          // keys of the lines of the table, newest runs first
	byKey   map[string]*entry // of runs, and of settings with several
	note    string            // about the folder
}

// entry is a run as of its last commit, or the runs of a setting. It does not change: a run that has changed has a
// new one.
type entry struct {
	*page.Entry
	version int    // of the first snapshot that has it
	stamp   string // of its files: the commit that the run was read at
}

// Since asks for what has changed after a version; 0 asks for everything.
type Since struct {
	Since int `json:"since"`
}

func (s *snapshot) since(version int) page.Change {
	c := page.Change{Version: s.version, Order: []string{}, Rows: []page.Row{}, Note: s.note}
	if version == s.version {
		return c
	}
	c.Order = s.order
	for _, e := range s.byKey {
		if e.version > version || version > s.version { // a page of an earlier server counts otherwise
			c.Rows = append(c.Rows, e.Row)
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
	var list []*page.Entry
	groups := map[string]*page.Entry{}
	for key, e := range old.byKey {
		groups[key] = e.Entry
	}
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
		list, next.byKey[key] = append(list, e.Entry), e
		delete(groups, key)
	}
	c.at = time.Now()
	gone := slices.ContainsFunc(slices.Collect(maps.Values(groups)), func(e *page.Entry) bool { return len(e.Row.Runs) == 0 })
	if !changed && !gone {
		return c.now
	}
	slices.SortStableFunc(list, func(a, b *page.Entry) int {
		return cmp.Or(b.Started().Compare(a.Started()), cmp.Compare(a.Row.Key, b.Row.Key))
	})
	next.order = []string{}
	for _, e := range page.Group(list, groups) {
		key := e.Row.Key
		next.order = append(next.order, key)
		switch {
		case groups[key] == e:
			next.byKey[key] = old.byKey[key]
		case len(e.Row.Runs) > 0:
			next.byKey[key] = &entry{Entry: e, version: next.version}
		}
	}
	c.now = next
	return next
}

// renew returns the entry of a folder: e if nothing has changed, nil if there is no run. e may
// be nil.
func (e *entry) renew(path string, version int) *entry {
	stamp, there := stampOf(path)
	if !there {
		return nil
	}
	if e != nil && e.stamp == stamp && (len(e.Runs) == 0 || (e.Runs[0].Present().State == runs.Training) == (e.Row.State == string(runs.Training))) {
		return e
	}
	run, err := runs.Open(path)
	return &entry{page.NewEntry(path, run, err), version, stamp}
}

// stampOf describes the files that change whenever a run commits or its user writes a note; there is false for a folder
// that holds no run.
func stampOf(path string) (stamp string, there bool) {
	for _, name := range []string{"config.yaml", "last.safetensors", "remarks.json"} {
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
