package scores

import (
	"context"

	"imdbexp/cmd/exp/internal/infer"
)

var rollout = Score{
	Name: "rollout", Title: "attention rollout", Source: "Abnar and Zuidema 2020, section 3",
	Says:  "The weights of all layers multiplied, each mixed half and half with the residual: how much of a word reaches the review's vector if nothing else happened on the way. It has no sign.",
	lacks: noLayers,
	of: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		out := make([][]float32, len(texts))
		err := a.eachText(ctx, texts, func(i int, b *infer.Batch, k int) error {
			n := len(texts[i].Rows)
			r, err := pooled(a.model, b, k, n)
			if err != nil {
				return err
			}
			for l := len(b.Layers()) - 1; l >= 0; l-- {
				next := make([]float64, len(r))
				for q, share := range r {
					if share == 0 {
						continue
					}
					row, err := mixed(a.model, b, l, k, q)
					if err != nil {
						return err
					}
					for j, w := range row {
						next[j] += float64(share * w)
					}
				}
				r = next
			}
			out[i] = narrow(r[b.Front():][:n])
			return nil
		})
		return out, err
	},
}

// pooled is readers, by the attention that pools the words where there is one.
func pooled(m *infer.Model, b *infer.Batch, text, n int) ([]float64, error) {
	out := readers(b, text, n)
	if !m.Pools() {
		return out, nil
	}
	w, err := b.Attention(text)
	for i, v := range w {
		out[i] = float64(v)
	}
	return out, err
}

// mixed returns with which weights a word of a layer is made of those below it: the
// mean over the heads, and half of it itself where the layer has a residual. They add
// up to one.
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
