package vectors

import (
	"context"
	"encoding/hex"
	"runtime"

	"golang.org/x/sync/errgroup"

	"imdbexp/internal/guard"
)

// readText parses lines of vectors on all cores.
func readText(ctx context.Context, c *chunker, keep []string) (*Set, error) {
	index := keptIndex(keep)
	queue := make(chan chunk, runtime.GOMAXPROCS(0))
	parsers := make([]*vectorParser, runtime.GOMAXPROCS(0))
	words := make([]*metWords, len(parsers))
	g, ctx := errgroup.WithContext(ctx)
	for i := range parsers {
		p := &vectorParser{metWords: metWords{dim: c.dim, index: index}, row: make([]float32, c.dim)}
		parsers[i], words[i] = p, &p.metWords
		g.Go(guard.Func(func() error { p.run(c, queue); return nil }))
	}
	g.Go(guard.Func(func() error { return c.run(ctx, queue) }))
	err := g.Wait()
	var bad *placeError // the first in the file, whichever parser was first to meet one
	for _, p := range parsers {
		if p.err != nil && (bad == nil || p.err.n < bad.n) {
			bad = p.err
		}
	}
	if bad != nil {
		return nil, bad
	}
	if err != nil {
		return nil, err
	}
	v, err := join(words, keep, c.bad)
	if err != nil {
		return nil, err
	}
	if err := c.whole(v.Total); err != nil {
		return nil, err
	}
	v.Digest = hex.EncodeToString(c.hash.Sum(nil))
	return v, nil
}
