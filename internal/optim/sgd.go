package optim

import (
	"imdbexp/internal/simd"

	G "gorgonia.org/gorgonia"
)

// SGD is stochastic gradient descent as torch.optim.SGD defines it.
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
func (s *SGD) Step(weights []G.ValueGrad) error {
	if s.names != nil {
		if err := s.prepare(weights); err != nil {
			return err
		}
	}
	s.steps++
	for i, m := range weights {
		w, g, err := slices(m)
		if err != nil {
			return err
		}
		var v []float32
		if s.names != nil {
			v = s.of(i, 0)
		}
		simd.SGDStep(w, g, v, float32(s.lr), float32(s.momentum), float32(s.decay))
	}
	return nil
}
