package infer

import (
	"context"
	"errors"
	"time"

	"imdbexp/internal/guard"
)

// sentencesAtOnce is how many texts of a stream are translated together.
const sentencesAtOnce = 256

// Stream translates one text after another with constant memory: read yields them,
// write gets some of them with their translations at a time, in their order. All of
// write's calls come from the caller's goroutine. Translations do not depend on when
// a text comes.
func (t *Translator) Stream(ctx context.Context, s Search, read func(ctx context.Context, yield func(Input) error) error, write func([]Input, []Sentence) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	texts := make(chan Input, sentencesAtOnce)
	// Who waits for more input hears of no cancellation, and is left behind.
	ended := make(chan error, 1)
	go func() {
		defer close(texts)
		ended <- guard.Call(func() error {
			return read(ctx, func(x Input) error { return send(ctx, texts, x) })
		})
	}()
	for {
		list, err := gathered(ctx, texts)
		if err != nil {
			return err
		}
		if list == nil {
			return <-ended // texts is closed, so it has come
		}
		plain := make([]string, len(list))
		for i, x := range list {
			plain[i] = x.Text
		}
		out, err := t.Translate(ctx, plain, s)
		if long, ok := errors.AsType[*LongSentenceError](err); ok {
			long.Name = list[long.Text].Where
		}
		if err != nil {
			return err
		}
		if err := write(list, out); err != nil {
			return err
		}
	}
}

// gathered waits for a text and takes those that follow without a pause; nil at the
// end.
func gathered(ctx context.Context, texts <-chan Input) (list []Input, err error) {
	var pause <-chan time.Time // none before the first
	for {
		select {
		case <-ctx.Done():
			return nil, context.Cause(ctx)
		case x, more := <-texts:
			if !more {
				return list, nil
			}
			if list = append(list, x); len(list) == sentencesAtOnce {
				return list, nil
			}
			pause = time.After(patience)
		case <-pause:
			return list, nil
		}
	}
}
