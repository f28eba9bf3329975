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
	ngrams, ngramMin           int    // 1 and 0 for words alone
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

func keyOf(t Task, r *settings.Run) dataKey {
	key := dataKey{
		task: t, data: r.Data.Data, tokens: r.Tokenizer(), vectors: r.Vectors.Vectors, oov: r.Unknown(),
		limit: r.Limit, maxLen: r.MaxLen, dim: r.Dim, ngrams: r.NGrams,
	}
	if key.ngrams > 1 {
		key.ngramMin = r.NGramMin
	}
	if key.vectors == "random" {
		key.seed = r.Seed
	}
	return key
}

// ReadAs reports whether a run of such settings reads the same words as the same rows of
// the same table.
func (data *Data) ReadAs(t Task, r *settings.Run) bool { return data.key == keyOf(t, r) }

// Load returns the data of a run.
func (l *Loader) Load(ctx context.Context, t Task, r *settings.Run) (*Data, error) {
	key := keyOf(t, r)
	from, err := l.shared(ctx, key)
	if err != nil {
		return nil, err
	}
	l.mu.Lock()
	d := *from
	l.mu.Unlock()
	d.from, d.divided = from, nil
	parts, err := l.divide(from, r)
	if err != nil {
		return nil, err
	}
	d.Train, d.Valid = parts.train, parts.valid
	return &d, nil
}

// division is what the train split of shared data is divided into.
type division struct {
	divisionKey
	train, valid *dataset.Encoded
}

// divisionKey is what of a run's settings decides it.
type divisionKey struct {
	drawn    int // reviews
	drawSeed uint64
	holds    bool
	valid    float64 // share of them
	seed     uint64
	together bool
}

// divide draws and holds out reviews of the train split of shared data. Runs of a grid
// mostly divide it in one way: the last division is kept with the data.
func (l *Loader) divide(from *Data, r *settings.Run) (*division, error) {
	all := from.Train.Len()
	if r.Train > 1 && r.Train != float64(int(r.Train)) {
		return nil, fmt.Errorf("data.train=%g: reviews come whole; below 1 it is a share of them", r.Train)
	}
	key := divisionKey{drawn: r.Trains(all), holds: r.Holds()}
	if key.drawn > all {
		return nil, fmt.Errorf("data.train=%g: there are %d %s to train on: choose no more", r.Train, all, from.Facts().Unit())
	}
	if key.drawn < all {
		key.drawSeed = r.TrainSeed
	}
	if key.holds {
		key.valid, key.seed, key.together = r.Valid, r.SplitSeed, r.Held == "together"
	}
	d := &division{key, from.Train, from.Valid}
	if key.drawn == all && !key.holds {
		return d, nil
	}
	l.mu.Lock()
	last := from.divided
	l.mu.Unlock()
	if last != nil && last.divisionKey == key {
		return last, nil
	}
	var err error
	if key.drawn < all {
		if d.train, err = dataset.Draw(d.train, key.drawn, key.drawSeed); err != nil {
			return nil, err
		}
	}
	if key.holds {
		hold := dataset.Hold
		if key.together {
			hold = dataset.HoldTogether
		}
		if d.train, d.valid, err = hold(d.train, key.valid, key.seed); err != nil {
			return nil, err
		}
		if d.train.Len() == 0 || d.valid.Len() == 0 {
			return nil, fmt.Errorf("data.valid=%g leaves %d reviews to train on and %d to choose by: both are needed",
				r.Valid, d.train.Len(), d.valid.Len())
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	from.divided = d
	return d, nil
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
