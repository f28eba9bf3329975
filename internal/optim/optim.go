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

// at returns slot j of weight i; nil if there is none.
func (s *slots) at(i, j int) []float32 {
	if s.names == nil {
		return nil
	}
	return s.data[i*len(s.names)+j]
}

func each(weights []ValueGrad, whole func(i int, w Weight), rows func(i int, r *Rows) error) error {
	for i, m := range weights {
		if r, ok := m.(*Rows); !ok {
			whole(i, m.(Weight))
		} else if err := rows(i, r); err != nil {
			return err
		}
	}
	return nil
}

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

// SGD is stochastic gradient descent as torch.optim.SGD defines it.
//
// For Rows it updates only the rows that have a gradient: momentum and weight decay act at
// those steps, and the velocity does not change in between. Without both this equals a
// gradient of zeros for the other rows.
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
func (s *SGD) Step(weights []ValueGrad) error {
	s.prepare(weights)
	s.steps++
	return each(weights, func(i int, w Weight) {
		simd.SGDStep(w.W, w.G, s.at(i, 0), float32(w.lr(s.lr)), float32(s.momentum), float32(s.decay))
	}, func(i int, r *Rows) error { return s.rows(r, s.at(i, 0)) })
}

// rows updates the table r with the velocities v, nil without momentum.
func (s *SGD) rows(r *Rows, v []float32) error {
	return r.touched(func(ids []int32, g []float32) {
		for k, id := range ids {
			lo, hi := int(id)*r.Dim, (int(id)+1)*r.Dim
			var velocity []float32
			if v != nil {
				velocity = v[lo:hi]
			}
			simd.SGDStep(r.W[lo:hi], g[k*r.Dim:][:r.Dim], velocity, float32(r.LR), float32(s.momentum), float32(s.decay))
		}
	})
}

// Adam is Adam (Kingma and Ba 2015) or AdamW (Loshchilov and Hutter 2019), as
// torch.optim defines them.
//
// For Rows it updates all rows, those without a gradient as if it were zeros. With Lazy it
// updates only the rows that have a gradient, moments and weight decay included, as
// torch.optim.SparseAdam does: other rows keep their moments, and the bias correction counts
// all steps. Unlike SparseAdam, and so that lazy and dense agree if every row has a gradient,
// ε is added to √v̂ after the correction of v, and weight decay is possible.
type Adam struct {
	slots
	AdamOptions
	lr         float64
	pow1, pow2 float64 // β₁ᵗ, β₂ᵗ after counted steps
	counted    int64
}

// AdamOptions are the settings of Adam besides its rate.
type AdamOptions struct {
	Beta1, Beta2, Epsilon float64
	WeightDecay           float64 // L2, or decoupled
	Decoupled             bool    // AdamW
	Lazy                  bool    // of Rows, leave those without a gradient alone
}

// NewAdam returns Adam, or AdamW where o.Decoupled is set.
func NewAdam(lr float64, o AdamOptions) *Adam {
	return &Adam{slots: slots{names: []string{"m", "v"}}, AdamOptions: o, lr: lr, pow1: 1, pow2: 1}
}

// SetLR implements Optimizer.
func (a *Adam) SetLR(lr float64) { a.lr = lr }

// Step implements gorgonia.Solver.
func (a *Adam) Step(weights []ValueGrad) error {
	a.prepare(weights)
	a.steps++
	if a.counted > a.steps { // an older state was restored
		a.pow1, a.pow2, a.counted = 1, 1, 0
	}
	// Multiplied step by step: a resumed run then has the same bits.
	for ; a.counted < a.steps; a.counted++ {
		a.pow1 *= a.Beta1
		a.pow2 *= a.Beta2
	}
	return each(weights, func(i int, w Weight) {
		simd.AdamStep(w.W, w.G, a.at(i, 0), a.at(i, 1), a.params(w.lr(a.lr)))
	}, func(i int, r *Rows) error { return a.rows(r, a.at(i, 0), a.at(i, 1)) })
}

// rows updates the table r with the moments m and v.
func (a *Adam) rows(r *Rows, m, v []float32) error {
	p := a.params(r.LR)
	if a.Lazy {
		return r.touched(func(ids []int32, g []float32) {
			simd.AdamRows(r.W, g, m, v, r.Dim, ids, p)
		})
	}
	return r.all(func(lo, hi int, g []float32) {
		simd.AdamStep(r.W[lo:hi], g, m[lo:hi], v[lo:hi], p)
	})
}

// params returns the numbers of the current step.
func (a *Adam) params(lr float64) simd.AdamParams {
	p := simd.AdamParams{
		Beta1: a.Beta1, Beta2: a.Beta2, Eps: a.Epsilon,
		StepSize:  lr / (1 - a.pow1),
		SqrtBias2: math.Sqrt(1 - a.pow2),
	}
	if a.Decoupled {
		p.Decoupled = lr * a.WeightDecay
	} else {
		p.WeightDecay = a.WeightDecay
	}
	return p
}

// Rows is a table with a gradient for some of its rows, such as word vectors. An Optimizer
// accepts a *Rows like a weight and keeps slots for the whole table.
//
// The optimiser decides which rows a step updates: see Adam and SGD. A row's new values
// depend on that row alone, so For may split the work in any way.
type Rows struct {
	W   []float32 // [R, Dim]
	Dim int
	LR  float64   // learning rate of the table, in the place of the optimiser's
	IDs []int32   // [U] rows with a gradient, rising
	G   []float32 // [U, Dim]

	// For calls f(0) … f(n−1), in any order or at once; nil does it in turn.
	For func(n int, f func(part int)) error

	zeros []float32 // gradients of rows that have none
}

// Rows of one part: enough to be worth scheduling, few enough for an even distribution.
const touchedAtOnce, rowsAtOnce = 128, 1024

// touched calls f for the rows that have a gradient, in parts.
func (r *Rows) touched(f func(ids []int32, g []float32)) error {
	n := len(r.IDs)
	return r.parts((n+touchedAtOnce-1)/touchedAtOnce, func(part int) {
		from, to := part*touchedAtOnce, min((part+1)*touchedAtOnce, n)
		f(r.IDs[from:to], r.G[from*r.Dim:to*r.Dim])
	})
}

// all calls f for the whole table, with zeros as gradients of rows that have none.
func (r *Rows) all(f func(lo, hi int, g []float32)) error {
	if r.zeros == nil {
		r.zeros = make([]float32, rowsAtOnce*r.Dim)
	}
	n := len(r.W) / r.Dim
	return r.parts((n+rowsAtOnce-1)/rowsAtOnce, func(part int) {
		begin, end := part*rowsAtOnce, min((part+1)*rowsAtOnce, n)
		from, _ := slices.BinarySearch(r.IDs, int32(begin))
		to, _ := slices.BinarySearch(r.IDs, int32(end))
		at := begin * r.Dim
		untouched := func(end int) {
			if end > at {
				f(at, end, r.zeros[:end-at])
			}
		}
		for i := from; i < to; i++ {
			lo := int(r.IDs[i]) * r.Dim
			untouched(lo)
			at = lo + r.Dim
			f(lo, at, r.G[i*r.Dim:][:r.Dim])
		}
		untouched(end * r.Dim)
	})
}

func (r *Rows) parts(n int, f func(part int)) error {
	if r.For != nil {
		return r.For(n, f)
	}
	for i := range n {
		f(i)
	}
	return nil
}
