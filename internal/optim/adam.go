package optim

import (
	"math"

	"imdbexp/internal/simd"

	G "gorgonia.org/gorgonia"
)

// Adam is Adam (Kingma and Ba 2015) or AdamW (Loshchilov and Hutter 2019), as
// torch.optim defines them.
type Adam struct {
	slots
	lr, decay  float64
	b1, b2     float64
	eps        float64
	decoupled  bool
	pow1, pow2 float64 // β₁ᵗ, β₂ᵗ after counted steps
	counted    int64
}

// AdamOptions are the settings of Adam besides its rate.
type AdamOptions struct {
	Beta1, Beta2, Epsilon float64
	WeightDecay           float64 // L2, or decoupled
	Decoupled             bool    // AdamW
}

// NewAdam returns Adam, or AdamW where o.Decoupled is set.
func NewAdam(lr float64, o AdamOptions) *Adam {
	return &Adam{
		slots: slots{names: []string{"m", "v"}},
		lr:    lr, b1: o.Beta1, b2: o.Beta2, eps: o.Epsilon, decay: o.WeightDecay, decoupled: o.Decoupled,
		pow1: 1, pow2: 1,
	}
}

// SetLR implements Optimizer.
func (a *Adam) SetLR(lr float64) { a.lr = lr }

// Step implements gorgonia.Solver.
func (a *Adam) Step(weights []G.ValueGrad) error {
	if err := a.prepare(weights); err != nil {
		return err
	}
	a.steps++
	if a.counted > a.steps { // a state was brought back
		a.pow1, a.pow2, a.counted = 1, 1, 0
	}
	// Multiplied step by step, so that a resumed run has the same bits.
	for ; a.counted < a.steps; a.counted++ {
		a.pow1 *= a.b1
		a.pow2 *= a.b2
	}
	p := simd.AdamParams{
		Beta1: a.b1, Beta2: a.b2, Eps: a.eps,
		StepSize:  a.lr / (1 - a.pow1),
		SqrtBias2: math.Sqrt(1 - a.pow2),
	}
	if a.decoupled {
		p.Decoupled = a.lr * a.decay
	} else {
		p.WeightDecay = a.decay
	}
	for i, m := range weights {
		w, g, err := slices(m)
		if err != nil {
			return err
		}
		simd.AdamStep(w, g, a.of(i, 0), a.of(i, 1), p)
	}
	return nil
}
