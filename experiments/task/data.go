package experiments

import (
	"context"
	"fmt"
	"maps"
	"sync"
	"weak"

	"imdbexp/dataset"
	"imdbexp/dataset/corpusvec"
	"imdbexp/internal/ops"
	"imdbexp/runs"
)

// Data is what a run trains on: splits as rows of a table of word vectors, or of two
// vocabularies where they are sentence pairs.
type Data struct {
	Name               string
	Classes            []string
	Train, Valid, Test *dataset.Encoded // Valid is nil where nothing is chosen by a score
	Table              *dataset.Table
	Digests            map[string]string // of the data and of the vectors
	Pairs              *dataset.Pairs    // nil for reviews

	key  dataKey
	from *Data // the loader's, which this is a copy of and keeps in memory
}

// dataKey is what of a run's settings decides its data.
type dataKey struct {
	pairs                      bool
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

// Load returns the data of a plan's run.
func (l *Loader) Load(ctx context.Context, p *Plan) (*Data, error) {
	r := p.Run
	key := dataKey{
		pairs: p.Translates(), data: r.Data.Data, tokens: r.Tokenizer(), vectors: r.Vectors.Vectors, oov: r.Unknown(),
		limit: r.Limit, maxLen: r.MaxLen, dim: r.Dim,
	}
	if key.vectors == "random" {
		key.seed = r.Seed
	}
	from, err := l.shared(ctx, key)
	if err != nil {
		return nil, err
	}
	d := *from
	d.from = from
	if r.Holds() {
		if d.Train, d.Valid, err = dataset.Hold(d.Train, r.Valid, r.SplitSeed); err != nil {
			return nil, err
		}
		if d.Train.Len() == 0 || d.Valid.Len() == 0 {
			return nil, fmt.Errorf("data.valid=%g leaves %d reviews to train on and %d to choose by: both are needed",
				r.Valid, d.Train.Len(), d.Valid.Len())
		}
	}
	return &d, nil
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
	d, err := l.open(ctx, key)
	if err != nil {
		return nil, err
	}
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

// isFirst reports whether data is what was opened first: the others are in memory
// beside it.
func (l *Loader) isFirst(d *Data) bool {
	l.mu.Lock()
	defer l.mu.Unlock()
	return d.key == l.first
}

func (l *Loader) open(ctx context.Context, k dataKey) (*Data, error) {
	if k.pairs {
		return l.openPairs(ctx, k)
	}
	o := dataset.OpenOptions{Tokenizer: k.tokens, Extra: k.vectors == "corpus", Progress: l.Progress, Warn: l.Warn}
	c, err := dataset.Open(ctx, l.Dir, k.data, o)
	if err != nil {
		return nil, err
	}
	var v *dataset.Vectors
	switch k.vectors {
	case "corpus":
		v, err = dataset.CorpusVectors(ctx, l.Dir, c, corpusvec.Options{Dim: k.dim, Workers: l.Workers, Progress: l.Vectors}, o)
	case "random":
		v, err = dataset.RandomVectors(c, k.dim, k.seed)
	default:
		v, err = dataset.OpenVectors(ctx, l.Dir, k.vectors, c, o)
	}
	if err != nil {
		return nil, err
	}
	d := &Data{key: k, Name: k.data, Classes: c.Classes, Digests: map[string]string{"data": c.Digest, "vectors": v.Digest}}
	d.Train, d.Test, d.Table, err = dataset.Encode(c, v, dataset.EncodeOptions{
		OOV: dataset.OOV(k.oov), MaxLen: k.maxLen, Limit: k.limit,
	})
	if err != nil {
		return nil, err
	}
	if d.Train.Len() == 0 || d.Test.Len() == 0 {
		return nil, fmt.Errorf("data=%s: %d reviews to train on and %d to test on: both are needed", k.data, d.Train.Len(), d.Test.Len())
	}
	return d, nil
}

// facts counts what the run sees, for its configuration.
func (d *Data) facts() runs.DataFacts {
	part := func(e *dataset.Encoded) (p runs.Part) {
		if e != nil {
			p.Reviews, p.Words = e.Len(), len(e.IDs)
		}
		if e != nil && e.Targets != nil {
			p.Targets = len(e.Targets.IDs)
		}
		return p
	}
	f := runs.DataFacts{Name: d.Name, Train: part(d.Train), Valid: part(d.Valid), Test: part(d.Test)}
	if d.Pairs != nil {
		f.Kind = runs.PairsKind
	}
	return f
}

// means returns the mean word vector of every review [B, d].
func means(pool *ops.Pool, e *dataset.Encoded, t *dataset.Table) ([]float32, error) {
	d := t.Dim
	out := make([]float32, e.Len()*d)
	const block = 256
	err := pool.For((e.Len()+block-1)/block, func(k int) {
		var rows []float32
		for b := k * block; b < min((k+1)*block, e.Len()); b++ {
			rows = rows[:0]
			for _, id := range e.Words(b) {
				rows = append(rows, t.Rows[int(id)*d:][:d]...)
			}
			ops.MeanRow(out[b*d:][:d], rows)
		}
	})
	return out, err
}
