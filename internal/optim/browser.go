//go:build js

package optim

import "fmt"

// In a browser there is no gorgonia: what learns is a Weight or a *Rows.
type (
	Solver interface {
		Step(weights []ValueGrad) error
	}
	ValueGrad any
)

func foreign(m ValueGrad) (w, g []float32, err error) {
	return nil, nil, fmt.Errorf("optim: a %T is no weight", m)
}

func foreignSize(ValueGrad) int { return 0 }
