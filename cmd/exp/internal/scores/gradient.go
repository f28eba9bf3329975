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
		times, _, err := a.Slopes(ctx, texts)
		return times, err
	},
}

var norm = Score{
	Name: Norm, Title: "gradient norm", Source: "Simonyan et al. 2014; Li et al. 2016",
	Says: "‖∂m/∂xᵢ‖: how fast the margin can change when the word's vector moves, wherever it moves. It has no sign.",
	of: func(ctx context.Context, a *Asker, texts []Text) ([][]float32, error) {
		_, norms, err := a.Slopes(ctx, texts)
		return norms, err
	},
}

// Slopes returns both scores that one run with gradients gives: gradient × input and the
// gradient's norm.
func (a *Asker) Slopes(ctx context.Context, texts []Text) (times, norms [][]float32, err error) {
	times, norms = make([][]float32, len(texts)), make([][]float32, len(texts))
	err = a.derive(ctx, texts, func(i int, found infer.Derived) {
		n := len(texts[i].Rows)
		times[i], norms[i] = make([]float32, n), make([]float32, n)
		for k := range n {
			d := found.D(k)
			times[i][k] = simd.Dot(found.X(k), d)
			norms[i][k] = float32(math.Sqrt(float64(simd.Dot(d, d))))
		}
	})
	return times, norms, err
}
