package experiments

import (
	"context"
	"fmt"
	"sync"

	"imdbexp/dataset"
	"imdbexp/dataset/corpusvec"
	"imdbexp/internal/ops"
	"imdbexp/internal/settings"
	"imdbexp/runs"
)

// Data is what a run trains on: splits as rows of a table of word vectors.
type Data struct {
	Name               string
	Classes            []string
	Train, Valid, Test *dataset.Encoded // Valid is nil where nothing is chosen by a score
	Table              *dataset.Table
	Digests            map[string]string // of the data and of the vectors
}

// dataKey is what of a run's settings decides its data.
type dataKey struct {
	data, tokens, vectors, oov string
	limit, maxLen, dim         int
	seed                       uint64 // of random vectors
}

// Loader opens data once for all the runs of a grid that share it; several may
// ask at a time.
type Loader struct {
	Dir      string // the data folder
	Workers  int
	Progress dataset.Progress
	Vectors  func(stage string, fraction float64) // hears how far training word vectors has come; may be nil
	Warn     func(error)

	mu   sync.Mutex // of what follows
	key  dataKey
	data *Data
}

// Load returns the data of a run.
func (l *Loader) Load(ctx context.Context, r *settings.Run) (*Data, error) {
	key := dataKey{
		data: r.Data.Data, tokens: r.Tokenizer(), vectors: r.Vectors.Vectors, oov: r.Unknown(),
		limit: r.Limit, maxLen: r.MaxLen, dim: r.Dim,
	}
	if key.vectors == "random" {
		key.seed = r.Seed
	}
	d, err := l.shared(ctx, key)
	if err != nil {
		return nil, err
	}
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

// shared returns the data of a key, opened unless it is that of the last call.
func (l *Loader) shared(ctx context.Context, key dataKey) (Data, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.data == nil || l.key != key {
		d, err := l.open(ctx, key)
		if err != nil {
			return Data{}, err
		}
		l.key, l.data = key, d
	}
	return *l.data, nil
}

func (l *Loader) open(ctx context.Context, k dataKey) (*Data, error) {
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
	d := &Data{Name: k.data, Classes: c.Classes, Digests: map[string]string{"data": c.Digest, "vectors": v.Digest}}
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
	part := func(e *dataset.Encoded) runs.Part {
		if e == nil {
			return runs.Part{}
		}
		return runs.Part{Reviews: e.Len(), Words: len(e.IDs)}
	}
	return runs.DataFacts{Name: d.Name, Train: part(d.Train), Valid: part(d.Valid), Test: part(d.Test)}
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
