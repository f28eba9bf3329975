package scores

import (
	"context"
	"math"

	"imdbexp/cmd/exp/internal/infer"
)

var weighted = Score{
	Name: "norms", Title: "value-weighted norm", Source: "Kobayashi et al. 2020",
	Says:  "‖αᵢ·v(xᵢ)‖: the weight times the length of what it multiplies; a word with a large weight and a value near zero counts little. Of layers of self-attention in the last one, before its heads are joined. It has no sign.",
	lacks: noNorms,
	of: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		out := make([][]float32, len(texts))
		if !a.model.Pools() {
			err := a.eachText(ctx, texts, func(i int, b *infer.Batch, k int) (err error) {
				out[i], err = layerNorms(b, k, len(texts[i].Rows))
				return err
			})
			return out, err
		}
		var of *infer.Batch
		var norms [][]float32
		err := a.eachText(ctx, texts, func(i int, b *infer.Batch, k int) (err error) {
			if b != of { // of all its texts at once
				if norms, err = b.ValueNorms(); err != nil {
					return err
				}
				of = b
			}
			if out[i], err = b.Attention(k); err != nil {
				return err
			}
			for j, n := range norms[k] {
				out[i][j] *= n
			}
			return nil
		})
		return out, err
	},
}

// layerNorms returns Σᵢ rᵢ √(Σₕ (αʰᵢⱼ ‖vʰⱼ‖)²) of each word j in the last layer, with rᵢ the
// share of the reader that word i is: all of it [CLS], where there is one, else all
// words alike.
func layerNorms(b *infer.Batch, text, n int) ([]float32, error) {
	layer := len(b.Layers()) - 1
	norms, reader := b.HeadNorms(layer, text), readers(b, text, n)
	sum := make([]float64, b.Seen(text))
	for i, r := range reader {
		if r == 0 {
			continue
		}
		squares := make([]float64, len(sum))
		for h, length := range norms {
			row, err := b.AttentionRow(layer, h, text, i)
			if err != nil {
				return nil, err
			}
			for j, w := range row {
				part := float64(w) * length[j]
				squares[j] += float64(part * part)
			}
		}
		for j, s := range squares {
			sum[j] += float64(r * math.Sqrt(s))
		}
	}
	return narrow(sum[b.Front():][:n]), nil
}

// readers returns the share with which each word that the layers see, [CLS] and padding
// among them, goes into the review's vector: all of it [CLS], where there is one, else
// the attention that pools them, else all words of the text alike.
func readers(b *infer.Batch, text, n int) []float64 {
	out := make([]float64, b.Seen(text))
	if b.Front() > 0 {
		out[0] = 1
		return out
	}
	for i := range n {
		out[i] = 1 / float64(n)
	}
	return out
}

func narrow(list []float64) []float32 {
	out := make([]float32, len(list))
	for i, v := range list {
		out[i] = float32(v)
	}
	return out
}
