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
	exclude                    string // a probe, none for none
	testSeed                   uint64
	limit, maxLen, dim         int
	ngrams, ngramMin           int    // 1 and 0 for words alone
	seed                       uint64 // of random vectors

	// What is trained on, for what is learned from it before training: n-grams, and the mean row of
	// words without a vector. The zero value is all of train.
	trained divisionKey
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

	Unequal sync.Once // the note on the sizes of classes
}

func keyOf(t Task, r *settings.Run) dataKey {
	key := dataKey{
		task: t, data: r.Data.Data, tokens: r.Tokenizer(), vectors: r.Vectors.Vectors, oov: r.Unknown(),
		limit: r.Limit, maxLen: r.MaxLen, dim: r.Dim, ngrams: r.NGrams, exclude: r.Exclude, testSeed: r.TestSeed,
	}
	if _, reviews := t.(reviewTask); reviews && (key.ngrams > 1 || key.oov == "mean" || key.oov == "learned") {
		key.trained = dividedBy(r)
	}
	if key.ngrams > 1 {
		key.ngramMin = r.NGramMin
	}
	if key.vectors == "random" {
		key.seed = r.Seed
	}
	return key
}

// ReadAs reports whether a run with these settings has the same words as the same rows of its table.
// The row of words without a vector may differ.
func (data *Data) ReadAs(t Task, r *settings.Run) bool {
	own, its := data.key, keyOf(t, r)
	if own.ngrams <= 1 {
		own.trained, its.trained = divisionKey{}, divisionKey{}
	}
	return own == its
}

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
	if d.Train, d.Valid, err = l.divide(from, dividedBy(r)); err != nil {
		return nil, err
	}
	return &d, nil
}

// division is the train split of shared data, divided.
type division struct {
	divisionKey
	train, valid *dataset.Encoded
}

// divisionKey has the settings that decide a division. The zero value trains on all of train.
type divisionKey struct {
	train     float64 // data.train
	trainSeed uint64
	holds     bool
	valid     float64 // share of the reviews drawn
	seed      uint64
	together  bool
}

func dividedBy(r *settings.Run) (key divisionKey) {
	if r.Train != 0 {
		key.train, key.trainSeed = r.Train, r.TrainSeed
	}
	if r.Holds() {
		key.holds, key.valid, key.seed, key.together = true, r.Valid, r.SplitSeed, r.Held == "together"
	}
	return key
}

// divide draws and holds out reviews of the train split of shared data. Most runs of a grid have the
// same division: the last one is kept with the data.
func (l *Loader) divide(from *Data, key divisionKey) (train, valid *dataset.Encoded, err error) {
	if key == (divisionKey{}) {
		return from.Train, from.Valid, nil
	}
	l.mu.Lock()
	last := from.divided
	l.mu.Unlock()
	if last != nil && last.divisionKey == key {
		return last.train, last.valid, nil
	}
	if train, valid, err = key.of(from); err == nil {
		l.mu.Lock()
		from.divided = &division{key, train, valid}
		l.mu.Unlock()
	}
	return train, valid, err
}

// of divides the train split of data.
func (key divisionKey) of(from *Data) (train, valid *dataset.Encoded, err error) {
	train, valid = from.Train, from.Valid
	r := settings.Run{Data: settings.Data{Train: key.train}}
	drawn := r.Trains(train.Len())
	switch {
	case key.train > 1 && key.train != float64(int(key.train)):
		return nil, nil, settings.Misfit("data.train=%g: want a whole number of reviews, or a share below 1", key.train)
	case drawn > train.Len():
		return nil, nil, settings.Misfit("data.train=%g: there are only %d %s to train on", key.train, train.Len(), from.Facts().Unit())
	case drawn < train.Len():
		train = dataset.Sample(train, drawn, key.trainSeed)
	}
	if !key.holds {
		return train, valid, nil
	}
	hold := dataset.HoldOut
	if key.together {
		hold = dataset.HoldTogether
	}
	if train, valid, err = hold(train, key.valid, key.seed); err != nil {
		return nil, nil, err
	}
	if train.Len() == 0 || valid.Len() == 0 {
		return nil, nil, settings.Misfit("data.valid=%g leaves %d reviews to train on and %d for validation: both are needed",
			key.valid, train.Len(), valid.Len())
	}
	return train, valid, nil
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
