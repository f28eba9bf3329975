//go:build js

package optim

// The browser build has no gorgonia.
type (
	Solver interface {
		Step(weights []ValueGrad) error
	}
	ValueGrad any
)
