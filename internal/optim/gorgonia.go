//go:build !js

package optim

import (
	G "gorgonia.org/gorgonia"
	"gorgonia.org/tensor"
)

// Solver and ValueGrad are gorgonia's. The optimisers of this package take a Weight or a *Rows as
// ValueGrad.
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
	dense := make([]float32, len(r.W))
	for i, id := range r.IDs {
		copy(dense[int(id)*r.Dim:][:r.Dim], r.G[i*r.Dim:])
	}
	return wrap(dense), nil
}

func wrap(x []float32) G.Value {
	return tensor.New(tensor.WithShape(len(x)), tensor.WithBacking(x))
}
