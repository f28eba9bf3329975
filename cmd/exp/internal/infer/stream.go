package infer

import (
	"context"

	"golang.org/x/sync/errgroup"

	"imdbexp/internal/guard"
)

// Input is a text of a stream with what its reader wants to know again.
type Input struct {
	ID, Label string
	Text      string
	Where     string // file and line, for messages
}

// Stream asks the model about one text after another with constant memory: read
// yields them, workers goroutines split them into words while the network is busy
// with those before, and write gets some of them with their answers at a time, in
// their order. All of write's calls come from the caller's goroutine.
//
// Answers do not depend on workers nor on when a text comes. A model that is
// BatchDependent gets batches of BatchSize texts in the order in which they come;
// the last one may be smaller.
func (m *Model) Stream(ctx context.Context, workers int, read func(ctx context.Context, yield func(Input) error) error, write func([]Input, []Answer) error) error {
	g, ctx := errgroup.WithContext(ctx)
	workers = max(1, workers)
	texts := make(chan Input, 64)
	split := make(chan *bundle)            // to be split
	order := make(chan *bundle, 2*workers) // the same, as they came
	// Not of the group: who waits for more input hears of no cancellation. An error
	// of read comes last, when what it has yielded is answered.
	ended := make(chan error, 1)
	go func() {
		defer close(texts)
		ended <- guard.Call(func() error {
			return read(ctx, func(t Input) error { return send(ctx, texts, t) })
		})
	}()
	g.Go(guard.Func(func() error {
		defer close(split)
		defer close(order)
		return m.bundle(ctx, texts, func(b *bundle) error {
			if err := send(ctx, order, b); err != nil {
				return err
			}
			return send(ctx, split, b)
		})
	}))
	for range workers {
		g.Go(guard.Func(func() error {
			for b := range split {
				m.splitAll(b)
			}
			return nil
		}))
	}
	err := m.answerAll(ctx, order, write)
	g.Go(func() error { return err }) // the first error ends the others
	if err := g.Wait(); err != nil {
		return err
	}
	return <-ended // texts is closed, so it has come
}

func send[T any](ctx context.Context, to chan<- T, x T) error {
	select {
	case to <- x:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// answerAll runs the network on the bundles in order.
func (m *Model) answerAll(ctx context.Context, order <-chan *bundle, write func([]Input, []Answer) error) error {
	for b := range order {
		select {
		case <-b.ready:
		case <-ctx.Done():
			return context.Cause(ctx)
		}
		answers := make([]Answer, len(b.texts))
		err := m.Each(ctx, b.rows, func(i int, batch *Batch, k int) error {
			answers[i] = batch.answer(k, b.rows[i].Rows, b.lacks[i])
			return nil
		})
		if err != nil {
			return called(err, func(e *LongError) { e.Name = b.texts[e.Text].Where })
		}
		if err := write(b.texts, answers); err != nil {
			return err
		}
	}
	return ctx.Err()
}
