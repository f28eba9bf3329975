package task

import (
	"context"
	"maps"
	"sync"
	"weak"

	"imdbexp/dataset"
	"imdbexp/internal/settings"
	"imdbexp/internal/system"
)

// dataKey has the settings that decide the data of a run.
type dataKey struct {
	task                       Task
	data, tokens, vectors, oov string
	limit, maxLen, dim         int
	ngrams, ngramMin           int    // 1 and 0 for words alone
	seed                       uint64 // of random vectors
}

// Loader opens data once for all runs of a grid that share it. Its methods may be called from several
// goroutines. Data stay in memory while a run uses them; the data used last stay longer.
type Loader struct {
	Dir      string // the data folder
	Workers  int
	Progress dataset.Progress
	Vectors  func(stage string, fraction float64) // progress of training word vectors; may be nil
	Warn     func(error)

	opening sync.Mutex // one at a time: opening takes several times the memory of the result

	mu     sync.Mutex // of the fields below
	opened map[dataKey]weak.Pointer[Data]
	last   *Data

	unequal sync.Once
}

// OnceUnequal calls note once for all runs of the loader: a note on the sizes of classes.
func (l *Loader) OnceUnequal(note func()) { l.unequal.Do(note) }

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

// ReadAs reports whether a run with these settings has the same words as the same rows of the same
// table.
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

// division is the train split of shared data, divided.
type division struct {
	divisionKey
	train, valid *dataset.Encoded
}

// divisionKey has the settings that decide a division.
type divisionKey struct {
	drawn    int // reviews
	drawSeed uint64
	holds    bool
	valid    float64 // share of them
	seed     uint64
	together bool
}

// divide samples and holds out reviews of the train split of shared data. Most runs of a grid have the
// same division: the last one is kept with the data.
func (l *Loader) divide(from *Data, r *settings.Run) (*division, error) {
	all := from.Train.Len()
	if r.Train > 1 && r.Train != float64(int(r.Train)) {
		return nil, settings.Misfit("data.train=%g: want a whole number of reviews, or a share below 1", r.Train)
	}
	key := divisionKey{drawn: r.Trains(all), holds: r.Holds()}
	if key.drawn > all {
		return nil, settings.Misfit("data.train=%g: there are only %d %s to train on", r.Train, all, from.Facts().Unit())
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
			return nil, settings.Misfit("data.valid=%g leaves %d reviews to train on and %d for validation: both are needed",
				r.Valid, d.train.Len(), d.valid.Len())
		}
	}
	l.mu.Lock()
	defer l.mu.Unlock()
	from.divided = d
	return d, nil
}

// shared returns the data of a key and opens them if they are not in memory. Data in memory do not
// wait for data that are being opened.
func (l *Loader) shared(ctx context.Context, key dataKey) (*Data, error) {
	if d := l.loaded(key); d != nil {
		return d, nil
	}
	l.opening.Lock()
	defer l.opening.Unlock()
	if d := l.loaded(key); d != nil { // opened for another run in the meantime
		return d, nil
	}
	d, err := key.task.open(ctx, l, key)
	if err != nil {
		return nil, err
	}
	system.BoundGarbage()
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.opened == nil {
		l.opened = map[dataKey]weak.Pointer[Data]{}
	}
	maps.DeleteFunc(l.opened, func(_ dataKey, p weak.Pointer[Data]) bool { return p.Value() == nil })
	l.opened[key], l.last = weak.Make(d), d
	return d, nil
}

// loaded returns the data of a key, or nil if they are not in memory.
func (l *Loader) loaded(key dataKey) *Data {
	l.mu.Lock()
	defer l.mu.Unlock()
	d := l.opened[key].Value()
	if d != nil {
		l.last = d
	}
	return d
}
