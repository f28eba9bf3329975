package folder

import (
	"context"
	"errors"
	"fmt"

	"imdbexp/dataset"
	"imdbexp/dataset/internal/cache"
	"imdbexp/dataset/internal/stream"
	"imdbexp/dataset/pairs"
	"imdbexp/dataset/probe"
	"imdbexp/dataset/token"
	"imdbexp/dataset/vectors"
)

// keeper has the content of a file until the cache has it.
type keeper struct {
	fill  filler       // or nil
	close func() error // or nil
}

// filler fills the cache for the file at path, in that state.
type filler func(cacheDir, path, state string) error

// inspectCorpus reads a staged corpus.
func inspectCorpus(ctx context.Context, dir, staged, shown string, found Found, o Options) (a Added, keep keeper, err error) {
	tok, err := token.Get(o.Tokenizer)
	if err != nil {
		return a, keep, err
	}
	src, err := File(found.Name, staged, shown, o)
	if err != nil {
		return a, keep, err
	}
	c, err := dataset.Sort(ctx, found.Name, src, tok, cache.Scratch(o.Cache(dir)))
	if err != nil {
		return a, keep, err
	}
	a = Added{Digest: c.Digest, Digests: map[string]string{found.Name: c.Digest},
		Train: c.Reviews(dataset.Train), Test: c.Reviews(dataset.Test), Extra: c.Reviews(dataset.Extra)}
	keep.close = c.Close
	keep.fill = func(cacheDir, path, state string) error {
		if err := cache.WriteCorpus(cacheDir, c); err != nil {
			return err
		}
		return cache.WriteStamp(cacheDir, path, "", state, c.Digest)
	}
	return a, keep, nil
}

// inspectPairs reads staged sentence pairs. They are never cached.
func inspectPairs(ctx context.Context, _, staged, shown string, found Found, o Options) (a Added, keep keeper, err error) {
	train, test, err := pairs.Read(ctx, staged, shown, o.Progress)
	if err != nil {
		return a, keep, err
	}
	sum := pairs.Digest(train, test)
	a = Added{Digest: sum, Digests: map[string]string{found.Name: sum}, Train: len(train), Test: len(test)}
	return a, keep, nil
}

// inspectProbe reads staged minimal pairs. They are never cached.
func inspectProbe(ctx context.Context, _, staged, shown string, found Found, o Options) (a Added, keep keeper, err error) {
	p, err := probe.Open(ctx, staged, shown, o.Progress)
	if err != nil {
		return a, keep, err
	}
	sum := p.Digest()
	return Added{Digest: sum, Digests: map[string]string{found.Name: sum}, Test: len(p.Pairs)}, keep, nil
}

// inspectVectors reads a staged file of vectors, or each member of a zip.
func inspectVectors(ctx context.Context, _, staged, shown string, found Found, o Options) (a Added, keep keeper, err error) {
	archive, err := stream.IsZip(staged)
	if err != nil {
		return a, keep, err
	}
	digests := map[string]string{}
	a.Dims, a.Digests = found.Dims, map[string]string{}
	for _, dim := range found.Dims {
		member := ""
		if archive {
			member = fmt.Sprintf("glove.6B.%dd.txt", dim)
		}
		v, err := vectors.Read(ctx, staged, vectors.Options{Member: member, Keep: []string{}, Shown: shown, Progress: o.Progress, Warn: o.Warn})
		if err != nil {
			return a, keep, err
		}
		if v.Dim != dim {
			return a, keep, fmt.Errorf("%s: has vectors of %d dimensions instead of %d", v.Name, v.Dim, dim)
		}
		a.Digest, a.Words = v.Digest, v.Total
		digests[member], a.Digests[GloveName(dim)] = v.Digest, v.Digest
	}
	keep.fill = func(cacheDir, path, state string) error {
		var all error
		for member, digest := range digests {
			all = errors.Join(all, cache.WriteStamp(cacheDir, path, member, state, digest))
		}
		return all
	}
	return a, keep, nil
}
