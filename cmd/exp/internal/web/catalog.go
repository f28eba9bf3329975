package web

import (
	"cmp"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/runs"
)

// catalog has the runs of a folder. It scans the folder on demand, at most once in half an
// interval, and reads only runs that have changed.
type catalog struct {
	dir   string
	every time.Duration

	mu  sync.Mutex
	now *snapshot
	at  time.Time // of the last scan
}

// snapshot is the state of the folder at one time. It is immutable.
type snapshot struct {
	page.Change
	runs  map[string]*entry      // by key
	byKey map[string]*page.Entry // of runs, and of groups of runs
}

// entry is a run as of its last commit. It is immutable: a run that has changed has a new one.
type entry struct {
	*page.Entry
	stamp string // of its files: the commit that the run was read at
}

// scan returns the current snapshot.
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
	next := &snapshot{Change: page.Change{Version: int(time.Now().UnixMilli()), Order: []string{}, Rows: []page.Row{}}, runs: map[string]*entry{}, byKey: map[string]*page.Entry{}}
	paths, err := runs.Folders(c.dir)
	if err != nil {
		next.Note = err.Error()
	}
	var list []*page.Entry
	for _, path := range paths {
		key, err := filepath.Rel(c.dir, path)
		if err != nil {
			continue
		}
		key = filepath.ToSlash(key)
		if e := old.runs[key].renew(path); e != nil {
			list, next.runs[key], next.byKey[key] = append(list, e.Entry), e, e.Entry
		}
	}
	c.at = time.Now()
	if c.now != nil && next.Note == old.Note && maps.Equal(next.runs, old.runs) {
		return c.now
	}
	slices.SortStableFunc(list, func(a, b *page.Entry) int {
		return cmp.Or(b.Started().Compare(a.Started()), cmp.Compare(a.Row.Key, b.Row.Key))
	})
	for _, e := range page.Group(list) {
		next.Order = append(next.Order, e.Row.Key)
		next.byKey[e.Row.Key] = e
	}
	for _, e := range next.byKey {
		next.Rows = append(next.Rows, e.Row)
	}
	c.now = next
	return next
}

// renew returns the entry of a folder: e if nothing has changed, nil if there is no run. e may
// be nil.
func (e *entry) renew(path string) *entry {
	stamp, there := stampOf(path)
	if !there {
		return nil
	}
	if e != nil && e.stamp == stamp && (len(e.Runs) == 0 || (e.Runs[0].Present().State == runs.Training) == (e.Row.State == string(runs.Training))) {
		return e
	}
	run, err := runs.Open(path)
	return &entry{page.NewEntry(path, run, err), stamp}
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
