package dataset

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sync/errgroup"

	"imdbexp/dataset/token"
	"imdbexp/internal/guard"
)

// Build reads a corpus from its source into memory and splits it into words on all
// cores. The result does not depend on the number of cores or on the order of the
// reviews.
func Build(ctx context.Context, name string, src Source, tok token.Tokenizer) (*Corpus, error) {
	s, err := Sort(ctx, name, src, tok, nil)
	if err != nil {
		return nil, err
	}
	return s.Load()
}

// Sort is Build for a corpus whose words may take more than memory. Those that do not fit go to
// a file made by scratch. If scratch is nil or fails, everything stays in memory.
func Sort(ctx context.Context, name string, src Source, tok token.Tokenizer, scratch Scratch) (*Sorted, error) {
	workers := make([]*splitter, runtime.GOMAXPROCS(0))
	queue := make(chan []sourced, 2*len(workers))
	p := &pile{scratch: scratch}
	g, gctx := errgroup.WithContext(ctx)
	for i := range workers {
		w := &splitter{tok: tok, classes: len(src.Classes()), index: map[string]int32{}, number: int16(i), pile: p}
		workers[i] = w
		g.Go(guard.Func(func() error { return w.run(gctx, queue) }))
	}
	g.Go(guard.Func(func() error { return feed(gctx, src, queue) }))
	err := g.Wait()
	if err == nil {
		var s *Sorted
		s, err = assemble(name, src, tok, workers, p)
		if err == nil {
			return s, nil
		}
		err = fmt.Errorf("%s: %w", src, err)
	}
	return nil, errors.Join(err, p.close())
}

// sourced is a review and the split it belongs to.
type sourced struct {
	Review
	part Part
}

// Reviews go to the workers in bundles of about this many bytes.
const bundleBytes = 1 << 18

func feed(ctx context.Context, src Source, queue chan<- []sourced) error {
	defer close(queue)
	var bundle []sourced
	bytes := 0
	flush := func() error {
		select {
		case queue <- bundle:
			bundle, bytes = nil, 0
			return nil
		case <-ctx.Done():
			return context.Cause(ctx)
		}
	}
	err := src.Reviews(ctx, func(p Part, r Review) error {
		bundle = append(bundle, sourced{r, p})
		if bytes += len(r.Text); bytes < bundleBytes {
			return nil
		}
		return flush()
	})
	if err != nil {
		return err
	}
	return flush()
}

// splitter is one worker. It numbers words in the order of their first occurrence.
type splitter struct {
	tok     token.Tokenizer
	classes int
	index   map[string]int32
	words   []string
	counts  []int64
	number  int16 // of the splitter
	pile    *pile
}

// splitReview is a review split into words by a splitter.
type splitReview struct {
	name   string
	data   []byte // digest, and words as numbers of the splitter; nil if they are in the file of the pile
	at     int64  // where they are there
	words  int32
	label  int16
	worker int16
	part   Part
}

func (w *splitter) run(ctx context.Context, queue <-chan []sourced) error {
	var buf, data []byte // data is of one bundle
	var ids []int32
	add := func(word []byte, _, _ int) {
		id, ok := w.index[string(word)]
		if !ok {
			id = int32(len(w.words))
			s := string(word)
			w.index[s] = id
			w.words = append(w.words, s)
			w.counts = append(w.counts, 0)
		}
		w.counts[id]++
		ids = append(ids, id)
	}
	for bundle := range queue {
		if err := ctx.Err(); err != nil {
			return err
		}
		data = data[:0]
		done := make([]splitReview, len(bundle))
		for i, r := range bundle {
			if r.Label < Unlabelled || r.Label >= w.classes || (r.Label == Unlabelled) != (r.part == Extra) {
				return fmt.Errorf("review %s has the label %d, which no class has", r.ID, r.Label)
			}
			ids = ids[:0]
			w.tok.Split(r.Text, add)
			done[i] = splitReview{name: r.ID, at: int64(len(data)), words: int32(len(ids)), label: int16(r.Label), worker: w.number, part: r.part}
			digest := reviewDigest(&buf, r.part, r.Review)
			data = append(data, digest[:]...)
			data, _ = binary.Append(data, binary.LittleEndian, ids) // numbers have a fixed size
		}
		w.pile.add(done, data)
	}
	return nil
}
