//go:build js

package optim

import "fmt"

// The browser build has no gorgonia: weights are a Weight or a *Rows.
type (
	Solver interface {
		Step(weights []ValueGrad) error
	}
	ValueGrad any
)

func foreign(m ValueGrad) (w, g []float32, err error) {
	return nil, nil, fmt.Errorf("optim: a %T is not a weight", m)
}

func foreignSize(ValueGrad) int { return 0 }
