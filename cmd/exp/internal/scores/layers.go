package scores

import (
	"context"
	"math"

	"imdbexp/internal/infer"
)

var rollout = Score{
	Name: Rollout, Title: "attention rollout", Source: "Abnar and Zuidema 2020, section 3",
	Definition: "The product of the weights of all layers, each averaged with the residual connection: how much of a word reaches the review's vector if the layers did nothing else. It has no sign.",
	lacks:      noLayers,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.forward(ctx, texts, func(b *infer.Batch, k, n int) ([]float32, error) {
			r, err := readers(a.model, b, k, n)
			for l := len(b.Layers()) - 1; l >= 0 && err == nil; l-- {
				next := make([]float64, len(r))
				for q, share := range r {
					if share == 0 {
						continue
					}
					row, err := mixed(a.model, b, l, k, q)
					if err != nil {
						return nil, err
					}
					for j, w := range row {
						next[j] += float64(share * w)
					}
				}
				r = next
			}
			if err != nil {
				return nil, err
			}
			return infer.Float32s(r[b.Front():][:n]), nil
		})
	},
}

// readers returns the share with which each word that the last layer outputs enters the
// review's vector, including [CLS] and padding. If there is [CLS], it alone has all; else
// the attention that pools the words decides, and without one all words count alike.
func readers(m *infer.Model, b *infer.Batch, text, n int) ([]float64, error) {
	out := make([]float64, b.Seen(text))
	switch {
	case m.Pools():
		w, err := b.Attention(text)
		for i, v := range w {
			out[i] = float64(v)
		}
		return out, err
	case b.Front() > 0:
		out[0] = 1
	default:
		for i := range n {
			out[i] = 1 / float64(n)
		}
	}
	return out, nil
}

// mixed returns how much a word of a layer takes from each word below: the mean of the
// weights over the heads, averaged with the word itself if the layer has a residual
// connection. The shares add up to one.
func mixed(m *infer.Model, b *infer.Batch, layer, text, query int) ([]float64, error) {
	out, total := make([]float64, b.Seen(text)), 0.0
	for h := range b.Layers()[layer] {
		row, err := b.AttentionRow(layer, h, text, query)
		if err != nil {
			return nil, err
		}
		for j, w := range row {
			out[j] += float64(w)
			total += float64(w)
		}
	}
	for j := range out {
		out[j] /= total
	}
	if m.Residual() {
		for j := range out {
			out[j] /= 2
		}
		out[query] += 0.5
	}
	return out, nil
}

var weighted = Score{
	Name: "norms", Title: "value-weighted norm", Source: "Kobayashi et al. 2020",
	Definition: "‖αᵢ·v(xᵢ)‖: the weight times the length of the vector it multiplies. A word with a large weight and a value near zero counts little. With layers of self-attention it is computed in the last one, before its heads are joined. It has no sign.",
	lacks:      noNorms,
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
	return infer.Float32s(sum[b.Front():][:n]), nil
}
