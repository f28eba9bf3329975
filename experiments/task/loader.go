package task

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"weak"

	"imdbexp/dataset"
	"imdbexp/internal/memory"
	"imdbexp/internal/settings"
)

// dataKey is what of a run's settings decides its data.
type dataKey struct {
	task                       Task
	data, tokens, vectors, oov string
	limit, maxLen, dim         int
	seed                       uint64 // of random vectors
}

// Loader opens data once for all the runs of a grid that share it; several may
// ask at a time. What it has opened stays in memory while a run uses it, and the
// last one asked for beyond that.
type Loader struct {
	Dir      string // the data folder
	Workers  int
	Progress dataset.Progress
	Vectors  func(stage string, fraction float64) // hears how far training word vectors has come; may be nil
	Warn     func(error)

	opening sync.Mutex // one at a time: it takes several times the memory of what is kept

	mu     sync.Mutex // of what follows
	opened map[dataKey]weak.Pointer[Data]
	first  dataKey // of the data that was opened first
	last   *Data
}

// Load returns the data of a run.
func (l *Loader) Load(ctx context.Context, t Task, r *settings.Run) (*Data, error) {
	key := dataKey{
		task: t, data: r.Data.Data, tokens: r.Tokenizer(), vectors: r.Vectors.Vectors, oov: r.Unknown(),
		limit: r.Limit, maxLen: r.MaxLen, dim: r.Dim,
	}
	if key.vectors == "random" {
		key.seed = r.Seed
	}
	from, err := l.shared(ctx, key)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	d := *from
	l.mu.Unlock()
	d.from, d.held = from, nil
	if r.Holds() {
		if d.Train, d.Valid, err = l.hold(from, r.Valid, r.SplitSeed); err != nil {
			return nil, err
		}
		if d.Train.Len() == 0 || d.Valid.Len() == 0 {
			return nil, fmt.Errorf("data.valid=%g leaves %d reviews to train on and %d to choose by: both are needed",
				r.Valid, d.Train.Len(), d.Valid.Len())
		}
	}
	return &d, nil
}

// split is a validation split of shared data.
type split struct {
	share        float64
	seed         uint64
	train, valid *dataset.Encoded
}

// hold divides the train split of shared data. Runs of a grid mostly hold out the same:
// the last division is kept with the data.
func (l *Loader) hold(from *Data, share float64, seed uint64) (train, valid *dataset.Encoded, err error) {
	l.mu.Lock()
	last := from.held
	l.mu.Unlock()
	if last != nil && last.share == share && last.seed == seed {
		return last.train, last.valid, nil
	}
	if train, valid, err = dataset.Hold(from.Train, share, seed); err != nil {
		return nil, nil, err
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	from.held = &split{share, seed, train, valid}
	return train, valid, nil
}

// shared returns the data of a key, opened unless it is in memory. Data that is
// there is not kept waiting by data that is being opened.
func (l *Loader) shared(ctx context.Context, key dataKey) (*Data, error) {
	if d := l.there(key); d != nil {
		return d, nil
	}
	l.opening.Lock()
	defer l.opening.Unlock()
	if d := l.there(key); d != nil { // opened for another run meanwhile
		return d, nil
	}
	d, err := key.task.open(ctx, l, key)
	if err != nil {
		return nil, err
	}
	memory.Settle()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil {
		l.opened, l.first = map[dataKey]weak.Pointer[Data]{}, key
	}
	maps.DeleteFunc(l.opened, func(_ dataKey, p weak.Pointer[Data]) bool { return p.Value() == nil })
	l.opened[key], l.last = weak.Make(d), d
	return d, nil
}

// there returns the data of a key if it is in memory, or nil.
func (l *Loader) there(key dataKey) *Data {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.opened[key].Value()
	if d != nil {
		l.last = d
	}
	return d
}

// IsFirst reports whether data is what was opened first: the others are in memory
// beside it.
func (l *Loader) IsFirst(d *Data) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return d.key == l.first
}
