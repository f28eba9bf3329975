package scores

import (
	"context"
	"math"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/simd"
)

var gradient = Score{
	Name: Gradient, Title: "gradient × input", Signed: true, Source: "Shrikumar et al. 2017; Ancona et al. 2018",
	Says: "xᵢ·∂m/∂xᵢ, with m the margin of the class: what m would lose if the word's vector shrank to zero and m were linear.",
	of: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.slopes(ctx, texts, simd.Dot)
	},
}

var norm = Score{
	Name: "gradnorm", Title: "gradient norm", Source: "Simonyan et al. 2014; Li et al. 2016",
	Says: "‖∂m/∂xᵢ‖: how fast the margin can change when the word's vector moves, wherever it moves. It has no sign.",
	of: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		return a.slopes(ctx, texts, func(_, d []float32) float32 { return float32(math.Sqrt(float64(simd.Dot(d, d)))) })
	},
}

// slopes makes a number of each word's vector and its gradient.
func (a *Asker) slopes(ctx context.Context, texts []Text, of func(x, d []float32) float32) ([][]float32, error) {
	out := make([][]float32, len(texts))
	err := a.derive(ctx, texts, func(i int, d infer.Derived) {
		out[i] = make([]float32, len(texts[i].Rows))
		for k := range out[i] {
			out[i][k] = of(d.X(k), d.D(k))
		}
	})
	return out, err
}
