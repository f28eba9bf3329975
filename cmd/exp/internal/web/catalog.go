package web

import (
	"cmp"
	"fmt"
	"slices"
	"sync"
	"time"
)

// maxRuns bounds how many runs are shown.
const maxRuns = 10_000

// catalog knows the runs of a folder. It looks at the folder only while somebody
// asks, and reads only what has changed.
type catalog struct {
	dir   string
	every time.Duration

	mu  sync.Mutex // held while the folder is looked at
	now *snapshot
	at  time.Time // of the last look
}

// snapshot is the folder at one moment, newest runs first. It is never changed.
type snapshot struct {
	entries []*entry
	byKey   map[string]*entry
	note    string // what else there is to say about the folder
}

func newCatalog(dir string, every time.Duration) *catalog {
	return &catalog{dir: dir, every: every, now: &snapshot{}}
}

// fresh returns a snapshot that is at most half an interval old. However many ask,
// one does the looking.
func (c *catalog) fresh() *snapshot {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at.IsZero() || time.Since(c.at) >= c.every/2 {
		c.now, c.at = c.scan(c.now), time.Now()
	}
	return c.now
}

// scan looks at the folder; it returns the old snapshot where nothing has changed.
func (c *catalog) scan(old *snapshot) *snapshot {
	next := &snapshot{byKey: map[string]*entry{}}
	keys, err := folders(c.dir)
	if err != nil {
		next.note = c.public(err.Error())
	}
	if len(keys) > maxRuns {
		next.note = fmt.Sprintf("only the first %d of %d folders are shown", maxRuns, len(keys))
		keys = keys[:maxRuns]
	}
	differs := next.note != old.note || old.byKey == nil
	for _, key := range keys {
		before := old.byKey[key]
		e := c.renew(before, key)
		if e == nil {
			continue
		}
		differs = differs || e != before
		next.entries, next.byKey[key] = append(next.entries, e), e
	}
	if !differs && len(next.entries) == len(old.entries) {
		return old
	}
	slices.SortStableFunc(next.entries, func(a, b *entry) int {
		return cmp.Or(b.started().Compare(a.started()), cmp.Compare(a.key, b.key))
	})
	return next
}

func (e *entry) started() time.Time {
	if e.run == nil {
		return time.Time{}
	}
	return e.run.Time()
}
