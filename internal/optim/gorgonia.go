//go:build !js

package optim

import (
	"fmt"

	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Solver and ValueGrad are gorgonia's.
type (
	Solver    = G.Solver
	ValueGrad = G.ValueGrad
)

// Value implements gorgonia.ValueGrad.
func (w Weight) Value() G.Value { return wrap(w.W) }

// Grad implements gorgonia.ValueGrad.
func (w Weight) Grad() (G.Value, error) { return wrap(w.G), nil }

// Value implements gorgonia.ValueGrad.
func (r *Rows) Value() G.Value { return wrap(r.W) }

// Grad implements gorgonia.ValueGrad: the gradient of the whole table, with zeros for rows
// that have none. The Optimizers of this package do not call it.
func (r *Rows) Grad() (G.Value, error) {
	if err := r.check(); err != nil {
		return nil, err
	}
	dense := make([]float32, len(r.W))
	for i, id := range r.IDs {
		copy(dense[int(id)*r.Dim:][:r.Dim], r.G[i*r.Dim:])
	}
	return wrap(dense), nil
}

func wrap(x []float32) G.Value {
	return tensor.New(tensor.WithShape(len(x)), tensor.WithBacking(x))
}

// foreign returns the values of a gorgonia weight and its gradient.
func foreign(m ValueGrad) (w, g []float32, err error) {
	grad, err := m.Grad()
	if err != nil {
		return nil, nil, err
	}
	w, okW := m.Value().Data().([]float32)
	g, okG := grad.Data().([]float32)
	if !okW || !okG {
		return nil, nil, fmt.Errorf("optim: want float32 tensors of one size, have a %T with the gradient %T", m.Value().Data(), grad.Data())
	}
	return w, g, nil
}

// foreignSize returns the number of elements of a gorgonia weight.
func foreignSize(m ValueGrad) int { return m.Value().Shape().TotalSize() }
