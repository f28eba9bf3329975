package training

import (
	"context"
	"math"
	"slices"
	"strings"

	"imdbexp/experiments/plan"
	"imdbexp/internal/optim"
	"imdbexp/internal/simd"
)

// Overfit is the result of training on one batch alone: a correct model overfits it.
type Overfit struct {
	Reviews     int // in the batch
	Steps       int
	First, Last float64 // loss, nats
	Reached     bool
	Gradients   []WeightGradient // at the first step, in the order of the weights
}

// WeightGradient is the gradient of one matrix of weights.
type WeightGradient struct {
	Name string
	Norm float64 // L2
}

// Dead returns the names of the weights whose gradient was zero.
func (o *Overfit) Dead() []string {
	var out []string
	for _, g := range o.Gradients {
		if g.Norm == 0 {
			out = append(out, g.Name)
		}
	}
	return out
}

// Overfit trains with Adam without decay, whatever the plan says, at a rate and on a number of
// reviews with which even a linear model succeeds.
const (
	overfitReviews = 16
	overfitRate    = 0.01
	overfitSteps   = 3000
	overfitStuck   = 300 // steps without notable progress
)

// Overfit trains a plan on one batch until its loss is below the target, without
// dropout, penalties and schedule. Nothing is kept. The plan's own settings are
// changed by it.
func (r *Runner) Overfit(ctx context.Context, p *plan.Plan, target float64) (*Overfit, error) {
	for _, s := range p.Set.All() {
		if strings.HasSuffix(s.Key, "dropout") || slices.Contains([]string{"label_smoothing", "lambda", "heads.penalty", "clip"}, s.Key) {
			if err := p.Set.Put(s.Key, "0", "--overfit"); err != nil {
				return nil, err
			}
		}
	}
	defer r.Pool.Until(ctx, 0)()
	t, err := r.trainer(ctx, p)
	if err != nil {
		return nil, err
	}
	defer t.close()
	if err := t.widen(ctx, t.corpus.Train); err != nil {
		return nil, err
	}
	t.solver = optim.NewAdam(overfitRate, optim.AdamOptions{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8})
	t.schedule = optim.Schedule{Kind: "constant"}
	t.rate = overfitRate
	b := t.data.fill(mixed(t.data, min(overfitReviews, t.data.Len())))
	o := &Overfit{Reviews: b.Len()}
	minimum, since := math.Inf(1), 0
	for o.Steps < overfitSteps && o.Steps-since < overfitStuck {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		if err := t.differentiate(b, 0); err != nil {
			return nil, err
		}
		o.Last = float64(t.train.Cost())
		if o.Steps == 0 {
			o.First = o.Last
			for i, w := range t.spec.Weights.List() {
				o.Gradients = append(o.Gradients, WeightGradient{w.Name, math.Sqrt(simd.SumSquares(t.train.Gradient(i)))})
			}
		}
		if !finite(o.Last) {
			return o, nil
		}
		if o.Reached = o.Last < target; o.Reached {
			break
		}
		if o.Last < minimum*0.995 {
			minimum, since = o.Last, o.Steps
		}
		if _, err := t.move(0); err != nil {
			return nil, err
		}
		o.Steps++
	}
	return o, nil
}

// mixed returns n reviews of all classes in turn: the bias alone would learn a batch of one class.
func mixed(s *split, n int) []int32 {
	var byClass [][]int32
	for i, y := range s.Encoded.Labels {
		for len(byClass) <= int(y) {
			byClass = append(byClass, nil)
		}
		byClass[y] = append(byClass[y], int32(i))
	}
	var out []int32
	for k := 0; len(out) < n; k++ {
		for _, list := range byClass {
			if k < len(list) && len(out) < n {
				out = append(out, list[k])
			}
		}
	}
	return out
}
