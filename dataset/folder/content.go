package folder

import (
	"context"
	"fmt"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/cache"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/probe"
	"imdbexp/dataset/token"
	"imdbexp/dataset/vectors"
)

// content reads every byte of a file and describes it. Messages call the file shown. A corpus is also
// returned, for the cache; the caller closes it.
func content(ctx context.Context, dir string, f Found, path, shown string, o Options) (a Added, sorted *dataset.Sorted, err error) {
	a.Kind, a.Name = f.Kind, f.Name
	a.stamps = map[string]string{}
	switch f.Kind {
	case PairsKind:
		train, test, err := pairs.Read(ctx, path, shown, o.Progress)
		if err != nil {
			return a, nil, err
		}
		a.Digest, a.Train, a.Test = pairs.Digest(train, test), len(train), len(test)
	case ProbeKind:
		p, err := probe.Open(ctx, path, shown, o.Progress)
		if err != nil {
			return a, nil, err
		}
		a.Digest, a.Test = p.Digest(), len(p.Pairs)
	case CorpusKind:
		tok, err := token.Get(o.Tokenizer)
		if err != nil {
			return a, nil, err
		}
		src, err := File(f.Name, path, shown, o)
		if err == nil {
			sorted, err = dataset.Sort(ctx, f.Name, src, tok, cache.Scratch(o.Cache(dir)))
		}
		if err != nil {
			return a, nil, err
		}
		a.Digest, a.stamps[""] = sorted.Digest, sorted.Digest
		a.Train, a.Test, a.Extra = sorted.Reviews(dataset.Train), sorted.Reviews(dataset.Test), sorted.Reviews(dataset.Extra)
	case VectorsKind:
		a.Digests = map[string]string{}
		for i, member := range f.members {
			v, err := vectors.Read(ctx, path, vectors.Options{Member: member, Keep: []string{}, Shown: shown, Progress: o.Progress, Warn: o.Warn})
			if err != nil {
				return a, nil, err
			}
			name := f.Name
			if len(f.Dims) > 0 {
				if name = GloveName(f.Dims[i]); v.Dim != f.Dims[i] {
					return a, nil, fmt.Errorf("%s: has vectors of %d dimensions instead of %d", v.Name, v.Dim, f.Dims[i])
				}
			}
			a.Digest, a.Words, a.Dims = v.Digest, v.Total, append(a.Dims, v.Dim)
			a.stamps[member], a.Digests[name] = v.Digest, v.Digest
		}
		return a, nil, nil
	}
	a.Digests = map[string]string{f.Name: a.Digest}
	return a, sorted, nil
}

// ContentError is the error for a readable file whose digest differs from the expected one.
type ContentError struct {
	File, Name, Want, Got string
}

func (e *ContentError) Error() string {
	return fmt.Sprintf("%s: the content of %s has the digest %s instead of %s: damaged, or another version", e.File, e.Name, e.Got, e.Want)
}
