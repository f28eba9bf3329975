// Package optim implements optimisers as gorgonia Solvers, for whole weights and for tables whose
// rows are updated separately. Their state can be saved and restored. The package also has
// clipping by the global norm and learning rate schedules.
package optim

import (
	"math"
	"slices"

	"imdbexp/internal/simd"
)

// Optimizer is a gorgonia Solver over a fixed list of weights.
type Optimizer interface {
	Solver
	// SetLR sets the learning rate of the steps to come.
	SetLR(lr float64)
	// State returns the state to save with the weights, sharing memory: the number of steps, and
	// the slots of each weight in turn, by name ("m", "v").
	State() State
	// Slots returns the names of the slots that each weight has.
	Slots() []string
	// Restore restores a copy of a state of the same weights.
	Restore(State)
}

// State is the state of an optimiser.
type State struct {
	Steps int64
	Slots []Slot
}

// Slot is one number for each element of one weight.
type Slot struct {
	Weight int    // index in the list of weights
	Name   string // "m", "v" or "momentum"
	Data   []float32
}

// Weight is a weight with its gradient.
type Weight struct {
	W, G []float32
	Rate float64 // a factor of the learning rate; 0 is 1
}

// lr returns the learning rate of the weight.
func (w Weight) lr(lr float64) float64 {
	if w.Rate != 0 {
		lr *= w.Rate
	}
	return lr
}

// numbers returns a weight and its gradient, of Rows for some rows only.
func numbers(m ValueGrad) (w, g []float32) {
	if r, ok := m.(*Rows); ok {
		return r.W, r.G
	}
	x := m.(Weight)
	return x.W, x.G
}

// slots holds named state for a list of weights, allocated at the first step.
type slots struct {
	steps int64
	names []string
	data  [][]float32 // weight-major
}

func (s *slots) prepare(weights []ValueGrad) {
	if s.data != nil {
		return
	}
	for _, m := range weights {
		w, _ := numbers(m)
		for range s.names {
			s.data = append(s.data, make([]float32, len(w)))
		}
	}
}

// at returns slot j of weight i.
func (s *slots) at(i, j int) []float32 { return s.data[i*len(s.names)+j] }

// Slots implements Optimizer.
func (s *slots) Slots() []string { return s.names }

// State implements Optimizer.
func (s *slots) State() State {
	out := State{Steps: s.steps}
	for i, d := range s.data {
		out.Slots = append(out.Slots, Slot{i / len(s.names), s.names[i%len(s.names)], d})
	}
	return out
}

// Restore implements Optimizer.
func (s *slots) Restore(from State) {
	s.steps, s.data = from.Steps, nil
	for _, slot := range from.Slots {
		s.data = append(s.data, slices.Clone(slot.Data))
	}
}

// Clip scales the gradients down so that their global norm, the root of the sum
// of all squares, is at most limit (Pascanu et al. 2013); limit 0 only measures.
// The squares are added weight by weight, and row by row for Rows.
// It returns the norm before clipping.
func Clip(weights []ValueGrad, limit float64) (norm float64) {
	for _, m := range weights {
		_, g := numbers(m)
		norm += simd.SumSquares(g)
	}
	norm = math.Sqrt(norm)
	if limit > 0 && norm > limit {
		for _, m := range weights {
			_, g := numbers(m)
			simd.Scale(g, float32(limit/norm))
		}
	}
	return norm
}

// Schedule is a learning rate schedule.
type Schedule struct {
	Kind   string  // "constant", "step" or "cosine"
	Every  int     // step: epochs between two cuts
	Factor float64 // step: factor of a cut
	Warmup float64 // epochs over which the rate rises in a line, from that of the first step
	Epochs int     // cosine: where it reaches 0
	Steps  int     // of an epoch
}

// At returns the factor of the learning rate for the step after a (fractional) number of epochs.
// The t-th of W steps of a warm-up has t/W of the rate, so the first step moves, too (Vaswani et
// al. 2017, equation 3).
func (s Schedule) At(epoch float64) float64 {
	f := 1.0
	switch s.Kind {
	case "step":
		for range int(epoch) / s.Every {
			f *= s.Factor
		}
	case "cosine":
		// From the end of the warm-up to the last epoch (Loshchilov and Hutter 2017).
		if epoch > s.Warmup {
			part := (epoch - s.Warmup) / (max(float64(s.Epochs), epoch) - s.Warmup)
			f = (1 + simd.Cos64(math.Pi*part)) / 2
		}
	}
	if end := epoch + 1/float64(max(s.Steps, 1)); end < s.Warmup {
		f *= end / s.Warmup
	}
	return f
}
