package models

import (
	"fmt"
	"math"

	"imdbexp/internal/simd"
)

// OOVWeight is the name of the learned row of words without a vector (oov=learned)
// among the weights of a run.
const OOVWeight = "oov"

// Weight is one trained matrix [Rows, Cols].
type Weight struct {
	Name       string
	Rows, Cols int
	Data       []float32
}

// Weights are the trained matrices of a model, in the order in which its graph
// first asked for them. The graphs for training and for evaluation share them.
type Weights struct {
	seed   uint64
	list   []*Weight
	byName map[string]*Weight
}

// NewWeights returns an empty list whose matrices will follow from the seed.
func NewWeights(seed uint64) *Weights {
	return &Weights{seed: seed, byName: map[string]*Weight{}}
}

// List returns the weights in order; the matrices are shared.
func (w *Weights) List() []*Weight { return w.list }

// Count returns the number of trained numbers.
func (w *Weights) Count() int {
	n := 0
	for _, x := range w.list {
		n += len(x.Data)
	}
	return n
}

// get returns the weight of that name, made on the first call: uniform in
// ±1/√fan, as PyTorch's linear and recurrent layers begin.
func (w *Weights) get(name string, rows, cols, fan int) (*Weight, error) {
	if x := w.byName[name]; x != nil {
		if x.Rows != rows || x.Cols != cols {
			return nil, fmt.Errorf("weight %s is [%d, %d], not [%d, %d]", name, x.Rows, x.Cols, rows, cols)
		}
		return x, nil
	}
	x := &Weight{Name: name, Rows: rows, Cols: cols, Data: make([]float32, rows*cols)}
	bound := float32(1 / math.Sqrt(float64(fan)))
	simd.Uniform(x.Data, simd.Key(w.seed, "init/"+name), -bound, bound)
	w.add(x)
	return x, nil
}

func (w *Weights) add(x *Weight) {
	w.list = append(w.list, x)
	w.byName[x.Name] = x
}
