package translator

import (
	"context"
	"errors"

	"imdbexp/cmd/exp/internal/infer"
)

// sentencesAtOnce is how many texts of a stream are translated together.
const sentencesAtOnce = 256

// Stream translates one text after another, as infer.Stream does. write gets some texts with
// their translations at a time.
func (t *Model) Stream(ctx context.Context, s Search, read func(ctx context.Context, yield func(infer.Input) error) error, write func([]infer.Input, []Sentence) error) error {
	return infer.Stream(ctx, infer.Gather{Texts: sentencesAtOnce}, read, func(list []infer.Input) error {
		texts := make([]string, len(list))
		for i, x := range list {
			texts[i] = x.Text
		}
		out, err := t.Translate(ctx, texts, s)
		if long, ok := errors.AsType[*LongSentenceError](err); ok {
			long.Name = list[long.Text].Where
		}
		if err != nil {
			return err
		}
		return write(list, out)
	})
}
