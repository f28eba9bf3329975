package scores

import (
	"context"

	"imdbexp/cmd/exp/internal/infer"
)

var attention = Score{
	Name: Attention, Title: "attention", Source: "Bahdanau, Cho and Bengio 2015; Vaswani et al. 2017",
	Says:  "The weight with which a word goes into the review's vector; of layers of self-attention what it receives in the last one. It has no sign, and says nothing of what is done with the word.",
	lacks: noAttention,
	of: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		out := make([][]float32, len(texts))
		err := a.eachText(ctx, texts, func(i int, b *infer.Batch, k int) (err error) {
			out[i], err = b.Attention(k)
			return err
		})
		return out, err
	},
}
