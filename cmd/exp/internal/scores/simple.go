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
	lacks:      noAttention,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.forward(ctx, texts, func(b *infer.Batch, k, _ int) ([]float32, error) { return b.Attention(k) })
	},
}

var gradient = Score{
	Name: Gradient, Title: "gradient × input", Signed: true, Source: "Shrikumar et al. 2017; Ancona et al. 2018",
	Definition: "xᵢ·∂m/∂xᵢ, with m the margin of the class: what m would lose if the word's vector shrank to zero and m were linear.",
	lacks:      noGradients,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.derive(ctx, texts, false, func(d infer.Derived, word int) float32 { return simd.Dot(d.X(word), d.D(word)) })
	},
}

var gradientConstant = Score{
	Name: GradientConstant, Title: "gradient (fixed α)", Signed: true, Source: "Jain and Wallace 2019, section 4.1",
	Definition: "xᵢ·∂m/∂xᵢ with the attention weights as constants, as in the authors' code: what a word adds to the review's vector, without its effect on the weights of all words.",
	lacks:      noPooling,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.derive(ctx, texts, true, func(d infer.Derived, word int) float32 { return simd.Dot(d.X(word), d.D(word)) })
	},
}

func noPooling(m *infer.Model) string {
	if m.Pools() {
		return ""
	}
	return "the model has no attention with one weight for each word"
}

var norm = Score{
	Name: Norm, Title: "gradient norm", Source: "Simonyan et al. 2014; Li et al. 2016",
	Definition: "‖∂m/∂xᵢ‖: how fast the margin can change when the word's vector moves in any direction. It has no sign.",
	lacks:      noGradients,
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

// IsChance reports whether a title belongs to the random score.
func IsChance(title string) bool { return title == random.Title }

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
// changed text to rows. A text of n words is asked about n times.
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

// variants asks about n variants of a text: build appends variant i to rows, and heard is called with
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

// maxRows is about how many words of variants are held at once; a variable for tests.
var maxRows = 1 << 22
