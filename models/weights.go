package models

import (
	"fmt"

	"imdbexp/internal/ops"
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
	states []*Weight // kept with the weights, but not trained

	running bool // there are running statistics among the states
}

// NewWeights returns an empty list whose matrices will follow from the seed.
func NewWeights(seed uint64) *Weights {
	return &Weights{seed: seed, byName: map[string]*Weight{}}
}

// List returns the weights in order; the matrices are shared.
func (w *Weights) List() []*Weight { return w.list }

// States returns what is kept beside the weights: running statistics, and weights that are
// never trained.
func (w *Weights) States() []*Weight { return w.states }

// Running reports whether there are running statistics.
func (w *Weights) Running() bool { return w.running }

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
	return w.uniform(name, rows, cols, rsqrt(fan))
}

// uniform returns the weight of that name, uniform in ±bound at first.
func (w *Weights) uniform(name string, rows, cols int, bound float32) (*Weight, error) {
	return w.made(name, rows, cols, func(data []float32) {
		simd.Uniform(data, simd.Key(w.seed, "init/"+name), -bound, bound)
	})
}

// untrained returns what get does, of a weight that stays so: it is among the states.
func (w *Weights) untrained(name string, rows, cols, fan int) (*Weight, error) {
	for _, s := range w.states {
		if s.Name == name {
			return s, nil
		}
	}
	x := &Weight{Name: name, Rows: rows, Cols: cols, Data: make([]float32, rows*cols)}
	bound := rsqrt(fan)
	simd.Uniform(x.Data, simd.Key(w.seed, "init/"+name), -bound, bound)
	w.states = append(w.states, x)
	return x, nil
}

// made returns the weight of that name, which begin fills on the first call.
func (w *Weights) made(name string, rows, cols int, begin func(data []float32)) (*Weight, error) {
	if x := w.byName[name]; x != nil {
		if x.Rows != rows || x.Cols != cols {
			return nil, fmt.Errorf("weight %s is [%d, %d], not [%d, %d]", name, x.Rows, x.Cols, rows, cols)
		}
		return x, nil
	}
	x := &Weight{Name: name, Rows: rows, Cols: cols, Data: make([]float32, rows*cols)}
	begin(x.Data)
	w.add(x)
	return x, nil
}

// stats returns the running statistics of the batch norm of that name, d numbers
// each: 0 and 1 at first.
func (w *Weights) stats(name string, d int) *ops.BatchStats {
	state := func(name string, begin float32) []float32 {
		for _, s := range w.states {
			if s.Name == name && s.Cols == d {
				return s.Data
			}
		}
		s := &Weight{Name: name, Rows: 1, Cols: d, Data: make([]float32, d)}
		simd.Fill(s.Data, begin)
		w.states = append(w.states, s)
		return s.Data
	}
	w.running = true
	return &ops.BatchStats{Mean: state(name+".mean", 0), Var: state(name+".var", 1)}
}

func (w *Weights) add(x *Weight) {
	w.list = append(w.list, x)
	w.byName[x.Name] = x
}

// Fill copies numbers that a run has kept into weights. numbers returns those of a
// name, which must be a matrix [rows, cols].
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
