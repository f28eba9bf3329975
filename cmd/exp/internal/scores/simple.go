package scores

import (
	"context"
	"math"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/dataset"
	"imdbexp/internal/simd"
)

var attention = Score{
	Name: Attention, Title: "attention", Source: "Bahdanau, Cho and Bengio 2015; Vaswani et al. 2017",
	Says:  "The weight with which a word enters the review's vector; with layers of self-attention, the weight it receives in the last one. It has no sign, and does not show how the model uses the word.",
	lacks: noAttention,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.forward(ctx, texts, func(b *infer.Batch, k, _ int) ([]float32, error) { return b.Attention(k) })
	},
}

var gradient = Score{
	Name: Gradient, Title: "gradient × input", Signed: true, Source: "Shrikumar et al. 2017; Ancona et al. 2018",
	Says:  "xᵢ·∂m/∂xᵢ, with m the margin of the class: what m would lose if the word's vector shrank to zero and m were linear.",
	lacks: noGradients,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.derive(ctx, texts, false, func(d infer.Derived, word int) float32 { return simd.Dot(d.X(word), d.D(word)) })
	},
}

var gradientConstant = Score{
	Name: GradientConstant, Title: "gradient (fixed α)", Signed: true, Source: "Jain and Wallace 2019, section 4.1",
	Says:  "xᵢ·∂m/∂xᵢ with the attention weights as constants, as in the authors' code: what a word adds to the review's vector, without its effect on the weights of all words.",
	lacks: noPooling,
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
	Says:  "‖∂m/∂xᵢ‖: how fast the margin can change when the word's vector moves in any direction. It has no sign.",
	lacks: noGradients,
	compute: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.derive(ctx, texts, false, func(d infer.Derived, word int) float32 {
			return float32(math.Sqrt(float64(simd.Dot(d.D(word), d.D(word)))))
		})
	},
}

var random = Score{
	Name: Random, Title: "random", Source: "the baseline",
	Says: "A random number for each word. It carries no information; any useful score must beat it.",
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

// IsChance reports whether a title is that of the random score.
func IsChance(title string) bool { return title == random.Title }
