package optim

import "imdbexp/internal/simd"

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
	if s.names != nil {
		if err := s.prepare(weights); err != nil {
			return err
		}
	}
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
		w, err := weight(m)
		if err != nil {
			return err
		}
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
