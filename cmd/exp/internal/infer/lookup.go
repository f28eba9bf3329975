package infer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/open"
	"imdbexp/dataset/vectors"
	"imdbexp/runs"
)

// lookup finds words that a run has not met in the vectors that the run's own were
// taken from. A word's vector goes behind the run's table when the word is first
// met: which row it gets depends on who asks first, its numbers do not.
type lookup struct {
	vectors *vectors.Set
	index   map[string]int32 // places in vectors

	mu    sync.RWMutex
	found map[string]int32 // rows
	rows  []float32        // the table, and behind it the vectors of the words found
}

// row returns the row of a word, embedding.OOVRow where there is none, as always of
// no lookup.
func (l *lookup) row(word []byte) int32 {
	if l == nil {
		return embedding.OOVRow
	}
	at, ok := l.index[string(word)]
	if !ok {
		return embedding.OOVRow
	}
	l.mu.RLock()
	row, ok := l.found[string(word)]
	l.mu.RUnlock()
	if ok {
		return row
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	if row, ok = l.found[string(word)]; !ok {
		row = int32(len(l.rows) / l.vectors.Dim)
		l.rows = append(l.rows, l.vectors.Row(int(at))...)
		l.found[string(word)] = row
	}
	return row
}

// table returns the rows so far. Rows that come later do not change them.
func (l *lookup) table() []float32 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.rows
}

// Pretrained returns the name of the vectors that a run took as they were, such as
// glove50; "" for one that trained its own, or drew them.
func Pretrained(c *runs.Config) string {
	if c.Counts() {
		return ""
	}
	g := c.General()
	if name := g.Vectors.Vectors; name != "corpus" && name != "random" && !g.TrainVectors {
		return name
	}
	return ""
}

// LookUp lets the model find words that its run has not met in the vectors that the
// run's own were taken from, v, which it takes over. For the reviews of the run's
// data nothing changes: all of their words that have a vector were met.
func (m *Model) LookUp(v *vectors.Set) error {
	if v.Dim != m.table.Dim {
		return fmt.Errorf("%s has vectors of %d dimensions, the run's have %d", v.Name, v.Dim, m.table.Dim)
	}
	index := make(map[string]int32, len(v.Words))
	for i, w := range v.Words {
		index[w] = int32(i)
	}
	m.more = &lookup{vectors: v, index: index, found: map[string]int32{}, rows: slices.Clip(m.table.Rows)}
	return nil
}

// ErrNoLookUp says that a run's vectors are its own: there are none to look into.
var ErrNoLookUp = errors.New("the run trained its word vectors, drew them, or has none: no others fit")

// LookUpInstalled is LookUp in the vectors that are installed in the data folder
// dir. They must be those that the run has read: another version is an error.
func (m *Model) LookUpInstalled(ctx context.Context, dir string, c *runs.Config, o open.Options) error {
	name := Pretrained(c)
	if name == "" {
		return ErrNoLookUp
	}
	v, err := open.AllVectors(ctx, dir, name, o)
	if err != nil {
		return err
	}
	if want := c.Digests["vectors"]; v.Digest != want {
		return fmt.Errorf("vectors=%s have changed since the run: their digest is %.12s… instead of %.12s…", name, v.Digest, want)
	}
	return m.LookUp(v)
}

// Found returns how many different words have been found by LookUp so far.
func (m *Model) Found() int {
	if m.more == nil {
		return 0
	}
	m.more.mu.RLock()
	defer m.more.mu.RUnlock()
	return len(m.more.found)
}
