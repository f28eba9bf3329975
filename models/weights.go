package models

import (
	"fmt"

	"imdbexp/internal/ops"
	"imdbexp/internal/simd"
)

// OOVWeight is the name of the learned vector of unknown words (oov=learned) among the weights of
// a run.
const OOVWeight = "oov"

// Weight is one trained matrix [Rows, Cols].
type Weight struct {
	Name       string
	Rows, Cols int
	Data       []float32
}

// Weights are the trained matrices of a model, in the order in which its graph requested them. The
// graphs for training and for evaluation share them.
type Weights struct {
	seed   uint64
	list   []*Weight
	byName map[string]*Weight
	states []*Weight // saved with the weights, but not trained

	Running bool // there are running statistics among the states
}

// NewWeights returns an empty list; the seed determines the initial matrices.
func NewWeights(seed uint64) *Weights {
	return &Weights{seed: seed, byName: map[string]*Weight{}}
}

// List returns the weights in order; the matrices are shared.
func (w *Weights) List() []*Weight { return w.list }

// States returns the matrices that are saved with the weights but not trained: running statistics
// and frozen weights.
func (w *Weights) States() []*Weight { return w.states }

// Count returns the number of trained numbers.
func (w *Weights) Count() int {
	n := 0
	for _, x := range w.list {
		n += len(x.Data)
	}
	return n
}

// filler fills a new weight of that name.
type filler func(name string, data []float32)

// uniform samples numbers in ±bound.
func (w *Weights) uniform(bound float32) filler {
	return func(name string, data []float32) { simd.Uniform(data, simd.Key(w.seed, "init/"+name), -bound, bound) }
}

func constant(value float32) filler {
	return func(_ string, data []float32) { simd.Fill(data, value) }
}

// made returns the weight of that name. The first call makes it, fills it by begin and
// appends it to list.
func (w *Weights) made(list *[]*Weight, name string, rows, cols int, begin filler) (*Weight, error) {
	if x := w.byName[name]; x != nil {
		if x.Rows != rows || x.Cols != cols {
			return nil, fmt.Errorf("weight %s is [%d, %d], not [%d, %d]", name, x.Rows, x.Cols, rows, cols)
		}
		return x, nil
	}
	x := &Weight{Name: name, Rows: rows, Cols: cols, Data: make([]float32, rows*cols)}
	begin(name, x.Data)
	*list = append(*list, x)
	w.byName[name] = x
	return x, nil
}

// stats returns the running means and variances of a batch norm, [1, d] each, initially 0 and 1.
func (w *Weights) stats(name string, d int) (*ops.BatchStats, error) {
	w.Running = true
	mean, err := w.made(&w.states, name+".mean", 1, d, constant(0))
	if err != nil {
		return nil, err
	}
	variance, err := w.made(&w.states, name+".var", 1, d, constant(1))
	if err != nil {
		return nil, err
	}
	return &ops.BatchStats{Mean: mean.Data, Var: variance.Data}, nil
}

// Fill copies the saved numbers of a run into weights. numbers returns the saved matrix
// [rows, cols] of a name.
func Fill(list []*Weight, numbers func(name string, rows, cols int) ([]float32, error)) error {
	for _, w := range list {
		data, err := numbers(w.Name, w.Rows, w.Cols)
		if err != nil {
			return err
		}
		copy(w.Data, data)
	}
	return nil
}
