package dataset

import (
	"cmp"
	"context"
	"encoding/hex"
	"fmt"
	"io"
	"math"
	"runtime"
	"slices"

	"golang.org/x/sync/errgroup"
)

// readVectorText parses vectors on all cores; name is for messages.
func readVectorText(ctx context.Context, name string, in io.Reader, keep []string) (*Vectors, error) {
	c := &chunker{in: in, name: name, line: 1, free: make(chan []byte, 2)}
	header, err := c.begin()
	if err != nil {
		return nil, err
	}
	var index map[string]int32
	if keep != nil {
		index = indexOf(keep)
	}
	queue := make(chan chunk, runtime.GOMAXPROCS(0))
	parsers := make([]*vectorParser, runtime.GOMAXPROCS(0))
	g, ctx := errgroup.WithContext(ctx)
	for i := range parsers {
		p := &vectorParser{name: name, dim: c.dim, index: index, chunker: c}
		parsers[i] = p
		g.Go(guard(func() error { p.run(queue); return nil }))
	}
	g.Go(guard(func() error { return c.run(ctx, queue) }))
	err = g.Wait()
	var bad *lineError // the first in the file, whichever parser was first to meet one
	for _, p := range parsers {
		if p.err != nil && (bad == nil || p.err.line < bad.line) {
			bad = p.err
		}
	}
	if bad != nil {
		return nil, bad
	}
	if err != nil {
		return nil, err
	}
	v, err := joinVectors(name, c.dim, parsers, keep)
	if err != nil {
		return nil, err
	}
	if header >= 0 && header != v.Total {
		return nil, fmt.Errorf("%s: line 1 announces %d words, but there are %d: the file is not whole, get it again", name, header, v.Total)
	}
	v.Digest = hex.EncodeToString(c.sum[:])
	return v, nil
}

// joinVectors puts the kept words of all parsers in order.
func joinVectors(name string, dim int, parsers []*vectorParser, keep []string) (*Vectors, error) {
	v := &Vectors{Dim: dim}
	var all []keptVector
	for _, p := range parsers {
		all = append(all, p.kept...)
		v.Total += p.lines
	}
	if len(all) > math.MaxInt32 {
		return nil, fmt.Errorf("%s: more words than can be numbered", name)
	}
	slices.SortFunc(all, func(a, b keptVector) int {
		return cmp.Or(cmp.Compare(a.id, b.id), cmp.Compare(a.line, b.line))
	})
	v.Words, v.Rows = make([]string, len(all)), make([]float32, 0, len(all)*dim)
	lines := map[string]int{}
	for i, k := range all {
		v.Words[i] = k.word
		if keep != nil {
			v.Words[i] = keep[k.id]
		}
		v.Rows = append(v.Rows, k.row...)
		if first, twice := lines[v.Words[i]]; twice {
			return nil, &lineError{name, k.line, fmt.Errorf("word %s is on line %d already: remove one of them", quoteName(v.Words[i]), first)}
		}
		lines[v.Words[i]] = k.line
	}
	return v, nil
}
