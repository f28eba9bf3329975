package optim

import (
	"math"

	"imdbexp/internal/simd"
)

// SGD is stochastic gradient descent as torch.optim.SGD defines it.
//
// For Rows it updates only the rows that have a gradient: momentum and weight decay act at
// those steps, and the velocity does not change in between. Without both this equals a
// gradient of zeros for the other rows.
type SGD struct {
	slots
	lr, momentum, decay float64
}

// NewSGD returns SGD with momentum (0: none) and L2 weight decay.
func NewSGD(lr, momentum, weightDecay float64) *SGD {
	s := &SGD{lr: lr, momentum: momentum, decay: weightDecay}
	if momentum != 0 {
		s.names = []string{"momentum"}
	}
	return s
}

// SetLR implements Optimizer.
func (s *SGD) SetLR(lr float64) { s.lr = lr }

// Step implements gorgonia.Solver.
func (s *SGD) Step(weights []ValueGrad) error {
	s.prepare(weights)
	s.steps++
	for i, m := range weights {
		var v []float32
		if s.names != nil {
			v = s.at(i, 0)
		}
		if r, ok := m.(*Rows); ok {
			if err := s.rows(r, v); err != nil {
				return err
			}
			continue
		}
		w := m.(Weight)
		simd.SGDStep(w.W, w.G, v, float32(w.lr(s.lr)), float32(s.momentum), float32(s.decay))
	}
	return nil
}

// rows updates the table r with the velocities v, nil without momentum.
func (s *SGD) rows(r *Rows, v []float32) error {
	return r.touched(func(ids []int32, g []float32) {
		for k, id := range ids {
			lo, hi := int(id)*r.Dim, (int(id)+1)*r.Dim
			var velocity []float32
			if v != nil {
				velocity = v[lo:hi]
			}
			simd.SGDStep(r.W[lo:hi], g[k*r.Dim:][:r.Dim], velocity, float32(r.LR), float32(s.momentum), float32(s.decay))
		}
	})
}

// Adam is Adam (Kingma and Ba 2015) or AdamW (Loshchilov and Hutter 2019), as
// torch.optim defines them.
//
// For Rows it updates all rows, those without a gradient as if it were zeros. With Lazy it
// updates only the rows that have a gradient, moments and weight decay included, as
// torch.optim.SparseAdam does: other rows keep their moments, and the bias correction counts
// all steps. Unlike SparseAdam, and so that lazy and dense agree if every row has a gradient,
// ε is added to √v̂ after the correction of v, and weight decay is possible.
type Adam struct {
	slots
	lr, decay  float64
	b1, b2     float64
	eps        float64
	decoupled  bool
	lazy       bool
	pow1, pow2 float64 // β₁ᵗ, β₂ᵗ after counted steps
	counted    int64
}

// AdamOptions are the settings of Adam besides its rate.
type AdamOptions struct {
	Beta1, Beta2, Epsilon float64
	WeightDecay           float64 // L2, or decoupled
	Decoupled             bool    // AdamW
	Lazy                  bool    // of Rows, leave those without a gradient alone
}

// NewAdam returns Adam, or AdamW where o.Decoupled is set.
func NewAdam(lr float64, o AdamOptions) *Adam {
	return &Adam{
		slots: slots{names: []string{"m", "v"}},
		lr:    lr, b1: o.Beta1, b2: o.Beta2, eps: o.Epsilon, decay: o.WeightDecay, decoupled: o.Decoupled, lazy: o.Lazy,
		pow1: 1, pow2: 1,
	}
}

// SetLR implements Optimizer.
func (a *Adam) SetLR(lr float64) { a.lr = lr }

// Step implements gorgonia.Solver.
func (a *Adam) Step(weights []ValueGrad) error {
	a.prepare(weights)
	a.steps++
	if a.counted > a.steps { // an older state was restored
		a.pow1, a.pow2, a.counted = 1, 1, 0
	}
	// Multiplied step by step: a resumed run then has the same bits.
	for ; a.counted < a.steps; a.counted++ {
		a.pow1 *= a.b1
		a.pow2 *= a.b2
	}
	for i, m := range weights {
		if r, ok := m.(*Rows); ok {
			if err := a.rows(r, a.at(i, 0), a.at(i, 1)); err != nil {
				return err
			}
			continue
		}
		w := m.(Weight)
		simd.AdamStep(w.W, w.G, a.at(i, 0), a.at(i, 1), a.params(w.lr(a.lr)))
	}
	return nil
}

// rows updates the table r with the moments m and v.
func (a *Adam) rows(r *Rows, m, v []float32) error {
	p := a.params(r.LR)
	if a.lazy {
		return r.touched(func(ids []int32, g []float32) {
			simd.AdamRows(r.W, g, m, v, r.Dim, ids, p)
		})
	}
	return r.all(func(lo, hi int, g []float32) {
		simd.AdamStep(r.W[lo:hi], g, m[lo:hi], v[lo:hi], p)
	})
}

// params returns the numbers of the current step.
func (a *Adam) params(lr float64) simd.AdamParams {
	p := simd.AdamParams{
		Beta1: a.b1, Beta2: a.b2, Eps: a.eps,
		StepSize:  lr / (1 - a.pow1),
		SqrtBias2: math.Sqrt(1 - a.pow2),
	}
	if a.decoupled {
		p.Decoupled = lr * a.decay
	} else {
		p.WeightDecay = a.decay
	}
	return p
}
