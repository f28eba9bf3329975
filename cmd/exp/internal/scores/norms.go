package scores

import (
	"context"
	"math"

	"imdbexp/cmd/exp/internal/infer"
)

var weighted = Score{
	Name: "norms", Title: "value-weighted norm", Source: "Kobayashi et al. 2020",
	Says:  "‖αᵢ·v(xᵢ)‖: the weight times the length of the vector it multiplies. A word with a large weight and a value near zero counts little. With layers of self-attention it is computed in the last one, before its heads are joined. It has no sign.",
	lacks: noNorms,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		if !a.model.Pools() {
			return a.forward(ctx, texts, func(b *infer.Batch, k, n int) ([]float32, error) { return layerNorms(a.model, b, k, n) })
		}
		var last *infer.Batch // whose norms are known, for all its texts
		var norms [][]float32
		return a.forward(ctx, texts, func(b *infer.Batch, k, _ int) (out []float32, err error) {
			if b != last {
				if norms, err = b.ValueNorms(); err != nil {
					return nil, err
				}
				last = b
			}
			if out, err = b.Attention(k); err != nil {
				return nil, err
			}
			for j, n := range norms[k] {
				out[j] *= n
			}
			return out, nil
		})
	},
}

// layerNorms returns Σᵢ rᵢ √(Σₕ (αʰᵢⱼ ‖vʰⱼ‖)²) of each word j in the last layer, where rᵢ is
// the share with which word i enters the review's vector (readers).
func layerNorms(m *infer.Model, b *infer.Batch, text, n int) ([]float32, error) {
	layer := len(b.Layers()) - 1
	shares, err := readers(m, b, text, n)
	if err != nil {
		return nil, err
	}
	norms, sum := b.HeadNorms(layer, text), make([]float64, b.Seen(text))
	for i, share := range shares {
		if share == 0 {
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
			sum[j] += float64(share * math.Sqrt(s))
		}
	}
	return float32s(sum[b.Front():][:n]), nil
}

func float32s(list []float64) []float32 {
	out := make([]float32, len(list))
	for i, v := range list {
		out[i] = float32(v)
	}
	return out
}
