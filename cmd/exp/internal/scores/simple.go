package scores

import (
	"context"
	"math"
	"slices"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/internal/infer"
	"imdbexp/internal/simd"
)

var attention = Score{
	Name: Attention, Title: "attention", Source: "Bahdanau, Cho and Bengio 2015; Vaswani et al. 2017",
	Definition: "The weight with which a word enters the review's vector; with layers of self-attention, the weight it receives in the last one. It has no sign, and does not show how the model uses the word.",
	needs:      attends,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.forward(ctx, texts, func(b *infer.Batch, k, _ int) ([]float32, error) { return b.Attention(k) })
	},
}

var gradient = Score{
	Name: Gradient, Title: "gradient × input", Signed: true, Source: "Shrikumar et al. 2017; Ancona et al. 2018",
	Definition: "xᵢ·∂m/∂xᵢ, with m the margin of the class: what m would lose if the word's vector shrank to zero and m were linear.",
	needs:      vectors,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.derive(ctx, texts, false, func(d infer.Derived, word int) float32 { return simd.Dot(d.X(word), d.D(word)) })
	},
}

var gradientConstant = Score{
	Name: GradientConstant, Title: "gradient (fixed α)", Signed: true, Source: "Jain and Wallace 2019, section 4.1",
	Definition: "xᵢ·∂m/∂xᵢ with the attention weights as constants, as in the authors' code: what a word adds to the review's vector, without its effect on the weights of all words.",
	needs:      pooling,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.derive(ctx, texts, true, func(d infer.Derived, word int) float32 { return simd.Dot(d.X(word), d.D(word)) })
	},
}

var norm = Score{
	Name: Norm, Title: "gradient norm", Source: "Simonyan et al. 2014; Li et al. 2016",
	Definition: "‖∂m/∂xᵢ‖: how fast the margin can change when the word's vector moves in any direction. It has no sign.",
	needs:      vectors,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.derive(ctx, texts, false, func(d infer.Derived, word int) float32 {
			return float32(math.Sqrt(float64(simd.Dot(d.D(word), d.D(word)))))
		})
	},
}

var random = Score{
	Name: Random, Title: "random", Source: "the baseline",
	Definition: "A random number for each word. It carries no information; any useful score must beat it.",
	compute: func(_ context.Context, a *Asker, texts []Text) ([][]float32, error) {
		out := make([][]float32, len(texts))
		for i, t := range texts {
			n := len(t.Rows)
			out[i] = make([]float32, n)
			for rank, k := range dataset.Shuffle(n, a.seed, uint64(t.Number)) {
				out[i][k] = float32(n-rank) / float32(n)
			}
		}
		return out, nil
	},
}

var leaveOut = Score{
	Name: LeaveOut, Title: "leave one out", Signed: true, Source: "Robnik-Šikonja and Kononenko 2008; Li, Monroe and Jurafsky 2016",
	Repeats:    perWord,
	Definition: "What the margin of the class loses when the word is removed from the text. If two words say the same thing, both may score zero.",
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.changed(ctx, texts, func(rows, text []int32, word int) []int32 {
			return append(append(rows, text[:word]...), text[word+1:]...)
		})
	},
}

var occlusion = Score{
	Name: "occlusion", Title: "occlusion", Signed: true, Source: "Zeiler and Fergus 2014; Ancona et al. 2018",
	Repeats:    perWord,
	Definition: "What the margin of the class loses when the mean of all word vectors replaces the word. The length of the text and the positions of the other words stay the same.",
	compute: func(ctx context.Context, a *Asker, texts []Text) (out [][]float32, err error) {
		err = a.model.WithVectors(a.model.MeanVector(), func(mean int32, _ []float32) error {
			out, err = a.changed(ctx, texts, func(rows, text []int32, word int) []int32 {
				return append(append(append(rows, text[:word]...), mean), text[word+1:]...)
			})
			return err
		})
		return out, err
	},
}

const perWord = "it asks the model once for each word"

// changed returns by how much the margin falls when each word in turn is changed: change appends the
// changed text to rows. A text of n words takes n predictions.
func (a *Asker) changed(ctx context.Context, texts []Text, change func(rows, text []int32, word int) []int32) ([][]float32, error) {
	out, whole := make([][]float32, len(texts)), make([]float64, len(texts))
	err := a.model.Each(ctx, encoded(texts), func(i int, b *infer.Batch, k int) error {
		whole[i] = Margin(b.Logits(k), texts[i].Class)
		return nil
	})
	for i, t := range texts {
		if err != nil {
			return nil, err
		}
		out[i] = make([]float32, len(t.Rows))
		err = a.variants(ctx, t, len(t.Rows), func(rows []int32, word int) []int32 { return change(rows, t.Rows, word) },
			func(word int, b *infer.Batch, k int) { out[i][word] = float32(whole[i] - Margin(b.Logits(k), t.Class)) })
	}
	return out, err
}

// variants predicts n variants of a text: build appends variant i to rows, and heard is called with
// its place in a batch. A variant without words is one unknown word.
func (a *Asker) variants(ctx context.Context, t Text, n int, build func(rows []int32, i int) []int32, heard func(i int, b *infer.Batch, k int)) error {
	size := max(1, maxRows/max(1, len(t.Rows))) // of a group
	var rows []int32
	for from := 0; from < n; from += size {
		list := make([]infer.Encoded, min(size, n-from))
		rows = slices.Grow(rows[:0], len(list)*max(1, len(t.Rows)))
		for k := range list {
			lo := len(rows)
			if rows = build(rows, from+k); len(rows) == lo {
				rows = append(rows, embedding.OOVRow)
			}
			list[k].Rows = rows[lo:len(rows):len(rows)]
		}
		err := a.model.Each(ctx, list, func(k int, b *infer.Batch, at int) error {
			heard(from+k, b, at)
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// maxRows is about the max number of words of variants in memory; a variable for tests.
var maxRows = 1 << 22

var rollout = Score{
	Name: Rollout, Title: "attention rollout", Source: "Abnar and Zuidema 2020, section 3",
	Definition: "The product of the weights of all layers, each averaged with the residual connection: how much of a word reaches the review's vector if the layers did nothing else. It has no sign.",
	needs:      layers,
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
	needs:      values,
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
