package infer

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"imdbexp/dataset/embedding"
	"imdbexp/dataset/folder"
	"imdbexp/dataset/vectors"
	"imdbexp/runs"
)

// lookup finds words that training has not met in the pretrained vectors of the run. The vector of
// a word is appended to the run's table when the word is first met, so its row depends on the order
// of the texts; its numbers do not.
type lookup struct {
	vectors *vectors.Set
	index   map[string]int32 // rows of vectors

	mu    sync.RWMutex
	found map[string]int32 // rows
	rows  []float32        // the table, then the vectors of the words found
}

// row returns the row of a word; embedding.OOVRow for none, and for a nil lookup.
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

// table returns the rows so far. Later rows do not change them.
func (l *lookup) table() []float32 {
	l.mu.RLock()
	defer l.mu.RUnlock()
	return l.rows
}

// Pretrained returns the name of the pretrained vectors of a run, such as glove50; "" if it trained
// its vectors or sampled them.
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

// LookUp lets the model find words that training has not met in v, the pretrained vectors of the
// run, which the model keeps. It changes nothing for the reviews of the run's data, because
// training has met all of their words that have a vector.
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

// ErrNoLookUp says that a run has no pretrained vectors.
var ErrNoLookUp = errors.New("the run has no pretrained word vectors")

// LookUpInstalled is LookUp with the vectors installed in the data folder dir. A version different
// from that of the run is an error.
func (m *Model) LookUpInstalled(ctx context.Context, dir string, c *runs.Config, o folder.Options) error {
	name := Pretrained(c)
	if name == "" {
		return ErrNoLookUp
	}
	v, err := folder.AllVectors(ctx, dir, name, o)
	if err != nil {
		return err
	}
	if want := c.Digests["vectors"]; v.Digest != want {
		return fmt.Errorf("vectors=%s have changed since the run: their digest is %.12s… instead of %.12s…", name, v.Digest, want)
	}
	return m.LookUp(v)
}

// Found returns the number of different words that LookUp has found so far.
func (m *Model) Found() int {
	if m.more == nil {
		return 0
	}
	m.more.mu.RLock()
	defer m.more.mu.RUnlock()
	return len(m.more.found)
}
