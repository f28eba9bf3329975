package infer

import (
	"context"
	"time"

	"golang.org/x/sync/errgroup"

	"imdbexp/internal/guard"
)

// Input is a text of a stream. Stream returns the other fields unchanged.
type Input struct {
	ID, Label string
	Text      string
	Where     string // file and line, for messages
}

// patience is how long a stream waits for more texts before it answers the ones it has.
const patience = 50 * time.Millisecond

// Gather says how many texts of a stream are answered together.
type Gather struct {
	Texts int
	Bytes int  // 0: any number
	Whole bool // always wait for Texts of them; only the last ones may be fewer
}

// Stream answers a stream of texts with constant memory. read yields the texts. answer gets some of
// them at a time, in order, and runs in the caller's goroutine.
func Stream(ctx context.Context, g Gather, read func(ctx context.Context, yield func(Input) error) error, answer func([]Input) error) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	// The caller does not wait for the reader, which may wait for input and not notice that ctx has
	// ended. Its error comes last, when all the texts that it has yielded are answered.
	texts, ended := make(chan Input, 64), make(chan error, 1)
	go func() {
		defer close(texts)
		ended <- guard.Call(func() error {
			return read(ctx, func(t Input) error {
				select {
				case texts <- t:
					return nil
				case <-ctx.Done():
					return context.Cause(ctx)
				}
			})
		})
	}()
	if err := g.gather(ctx, texts, answer); err != nil {
		return err
	}
	return <-ended // texts is closed, so the error is there
}

// gather calls f with the texts that are answered together.
func (g Gather) gather(ctx context.Context, texts <-chan Input, f func([]Input) error) error {
	var list []Input
	bytes := 0
	for more := true; more; {
		var idle <-chan time.Time
		if len(list) > 0 && !g.Whole {
			idle = time.After(patience)
		}
		var t Input
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case t, more = <-texts:
			if more {
				list, bytes = append(list, t), bytes+len(t.Text)
				if len(list) < g.Texts && (g.Whole || g.Bytes == 0 || bytes < g.Bytes) {
					continue
				}
			}
		case <-idle:
		}
		if len(list) > 0 {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			if err := f(list); err != nil {
				return err
			}
		}
		list, bytes = nil, 0
	}
	return nil
}

// Bounds of the texts that a model answers together.
const (
	streamTexts = 1024
	streamBytes = 2 << 20
)

// Stream asks the model about one text after another, as Stream does; workers goroutines split
// the texts into words. write gets some texts with their answers at a time.
//
// Answers do not depend on workers, nor on when a text comes. A model that is BatchDependent
// gets batches of BatchSize texts in the order in which they come; the last may be smaller.
func (m *Model) Stream(ctx context.Context, workers int, read func(ctx context.Context, yield func(Input) error) error, write func([]Input, []Answer) error) error {
	g := Gather{Texts: streamTexts, Bytes: streamBytes, Whole: m.BatchDependent()}
	if n := m.settings.Batch; g.Whole {
		g.Texts = (g.Texts + n - 1) / n * n
	}
	return Stream(ctx, g, read, func(texts []Input) error {
		rows, lacks := make([]Encoded, len(texts)), make([]int, len(texts))
		var split errgroup.Group
		split.SetLimit(max(1, workers))
		for i, t := range texts {
			split.Go(guard.Func(func() error {
				rows[i].Rows, lacks[i] = m.counted(make([]int32, 0, len(t.Text)/4), t.Text) // a word every five to six bytes
				return nil
			}))
		}
		if err := split.Wait(); err != nil {
			return err
		}
		answers := make([]Answer, len(texts))
		err := m.Each(ctx, rows, func(i int, batch *Batch, k int) error {
			answers[i] = batch.answer(k, rows[i].Rows, lacks[i])
			return nil
		})
		if err != nil {
			return called(err, func(e *LongError) { e.Name = texts[e.Text].Where })
		}
		return write(texts, answers)
	})
}
