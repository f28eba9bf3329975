package models_test

import (
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	G "gorgonia.org/gorgonia"

	"imdbexp/internal/optim"
	"imdbexp/internal/simd"
)

// rule is one step of an optimiser on one weight in float64, as the paper or
// torch.optim has it; s is its memory.
type rule func(w, g, lr float64, t int, s *[2]float64) float64

func adamRule(b1, b2, eps, decay float64, decoupled bool) rule {
	return func(w, g, lr float64, t int, s *[2]float64) float64 {
		if decoupled {
			w -= lr * decay * w
		} else {
			g += decay * w
		}
		s[0] = b1*s[0] + (1-b1)*g
		s[1] = b2*s[1] + (1-b2)*g*g
		m, v := s[0]/(1-math.Pow(b1, float64(t))), s[1]/(1-math.Pow(b2, float64(t)))
		return w - lr*m/(math.Sqrt(v)+eps)
	}
}

func sgdRule(momentum, decay float64) rule {
	return func(w, g, lr float64, _ int, s *[2]float64) float64 {
		s[0] = momentum*s[0] + g + decay*w
		return w - lr*s[0]
	}
}

var usual = optim.AdamOptions{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8}

// optimizer is an optimiser with its rule. lazy: it leaves rows of a table without a gradient alone.
type optimizer struct {
	name string
	make func() optim.Optimizer
	rule rule
	lazy bool
}

func adam(name string, change func(*optim.AdamOptions)) optimizer {
	o := usual
	change(&o)
	return optimizer{name, func() optim.Optimizer { return optim.NewAdam(0.01, o) }, adamRule(o.Beta1, o.Beta2, o.Epsilon, o.WeightDecay, o.Decoupled), o.Lazy}
}

func sgd(name string, momentum, decay float64) optimizer {
	return optimizer{name, func() optim.Optimizer { return optim.NewSGD(0.01, momentum, decay) }, sgdRule(momentum, decay), true}
}

func optimizersWith(lazy bool) []optimizer {
	return []optimizer{
		adam("adam", func(o *optim.AdamOptions) { o.Lazy = lazy }),
		adam("adam, L2", func(o *optim.AdamOptions) { o.WeightDecay, o.Lazy = 0.1, lazy }),
		adam("adam, other constants", func(o *optim.AdamOptions) { o.Beta1, o.Beta2, o.Epsilon, o.Lazy = 0.5, 0.9, 0.1, lazy }),
		adam("adamw", func(o *optim.AdamOptions) { o.WeightDecay, o.Decoupled, o.Lazy = 0.1, true, lazy }),
	}
}

var optimizers = append(optimizersWith(false), sgd("sgd", 0, 0), sgd("sgd, L2", 0, 0.1), sgd("sgd, momentum", 0.9, 0), sgd("sgd, momentum, L2", 0.9, 0.1))

// problem is a list of weights of different sizes with gradients that change
// from step to step.
type problem struct{ weights []optim.Weight }

func newProblem() *problem {
	p := &problem{}
	for i, n := range []int{1, 50, 123} {
		w := optim.Weight{W: make([]float32, n), G: make([]float32, n)}
		simd.Normal(w.W, simd.Key(uint64(i), "w"), 0, 1)
		p.weights = append(p.weights, w)
	}
	return p
}

// gradients sets the gradients of step t, large and small ones.
func (p *problem) gradients(t int) []G.ValueGrad {
	var out []G.ValueGrad
	for i, w := range p.weights {
		simd.Normal(w.G, simd.Hash2(simd.Key(uint64(i), "g"), uint64(t), 0), 0, float32(math.Pow(10, float64(1-2*i))))
		out = append(out, w)
	}
	return out
}

func TestAgainstFloat64(t *testing.T) {
	for _, c := range optimizers {
		t.Run(c.name, func(t *testing.T) {
			p, o := newProblem(), c.make()
			var w []float64
			memory := make([][2]float64, 174)
			for _, x := range p.weights {
				for _, v := range x.W {
					w = append(w, float64(v))
				}
			}
			for step := 1; step <= 200; step++ {
				lr := 0.01 / math.Sqrt(float64(step))
				o.SetLR(lr)
				require.NoError(t, o.Step(p.gradients(step)))
				k := 0
				for _, x := range p.weights {
					for i := range x.W {
						w[k] = c.rule(w[k], float64(x.G[i]), lr, step, &memory[k])
						require.InDelta(t, w[k], x.W[i], 2e-5*(1+math.Abs(w[k])), "step %d", step)
						k++
					}
				}
			}
		})
	}
}

// The first steps by hand. Whatever its gradient, Adam's first step is the
// learning rate; with a constant one so are the next.
func TestTextbook(t *testing.T) {
	for _, c := range []struct {
		name string
		o    optim.Optimizer
		w, g float32
		want []float64
	}{
		{"sgd", optim.NewSGD(0.1, 0, 0), 1, 2, []float64{0.8, 0.6, 0.4}},
		{"sgd, momentum", optim.NewSGD(0.1, 0.5, 0), 1, 2, []float64{0.8, 0.5, 0.15}},
		{"sgd, L2", optim.NewSGD(0.1, 0, 0.5), 1, 0, []float64{0.95, 0.9025}},
		{"adam, large gradient", optim.NewAdam(0.1, usual), 1, 1000, []float64{0.9, 0.8, 0.7}},
		{"adam, small gradient", optim.NewAdam(0.1, usual), 1, 0.001, []float64{0.9, 0.8, 0.7}},
		{"adam, no gradient", optim.NewAdam(0.1, usual), 1, 0, []float64{1, 1}},
		{"adam, L2", optim.NewAdam(0.1, optim.AdamOptions{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.5}), 1, 0, []float64{0.9}},
		{"adamw", optim.NewAdam(0.1, optim.AdamOptions{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8, WeightDecay: 0.5, Decoupled: true}), 1, 0, []float64{0.95, 0.9025}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := optim.Weight{W: []float32{c.w}, G: []float32{c.g}}
			for _, want := range c.want {
				require.NoError(t, c.o.Step([]G.ValueGrad{w}))
				require.InDelta(t, want, w.W[0], 1e-5)
			}
		})
	}
}

func TestSchedule(t *testing.T) {
	for _, c := range []struct {
		name string
		s    optim.Schedule
		at   map[float64]float64
	}{
		{"constant", optim.Schedule{Kind: "constant"}, map[float64]float64{0: 1, 3.5: 1, 1000: 1}},
		{"constant, warm-up", optim.Schedule{Kind: "constant", Warmup: 2, Steps: 4}, map[float64]float64{0: 0.125, 0.25: 0.25, 1.5: 0.875, 1.75: 1, 2: 1, 9: 1}},
		{"step", optim.Schedule{Kind: "step", Every: 10, Factor: 0.1}, map[float64]float64{0: 1, 9.999: 1, 10: 0.1, 19.5: 0.1, 20: 0.01}},
		{"step, warm-up", optim.Schedule{Kind: "step", Every: 1, Factor: 0.5, Warmup: 4, Steps: 2}, map[float64]float64{0: 0.125, 1: 0.1875, 2: 5. / 32, 4: 1. / 16, 5: 1. / 32}},
		{"cosine", optim.Schedule{Kind: "cosine", Epochs: 8}, map[float64]float64{0: 1, 2: (1 + math.Sqrt2/2) / 2, 4: 0.5, 6: (1 - math.Sqrt2/2) / 2, 8: 0}},
		{"cosine, warm-up", optim.Schedule{Kind: "cosine", Epochs: 10, Warmup: 2, Steps: 10}, map[float64]float64{0: 0.05, 0.9: 0.5, 2: 1, 6: 0.5, 10: 0}},
		{"cosine past its end", optim.Schedule{Kind: "cosine", Epochs: 4}, map[float64]float64{5: 0, 100: 0}},
		{"a warm-up longer than the run", optim.Schedule{Kind: "cosine", Epochs: 3, Warmup: 6, Steps: 10}, map[float64]float64{0: 1. / 60, 0.9: 1. / 6, 2.3: 0.4, 2.9: 0.5}},
		{"a warm-up as long as the run", optim.Schedule{Kind: "cosine", Epochs: 3, Warmup: 3, Steps: 2}, map[float64]float64{0: 1. / 6, 1: 0.5, 2.5: 1, 3: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for epoch, want := range c.at {
				require.InDelta(t, want, c.s.At(epoch), 1e-12, "after %v epochs", epoch)
			}
		})
	}
}

// copied is a state as it comes back from a file.
func copied(s optim.State) optim.State {
	out := optim.State{Steps: s.Steps}
	for _, slot := range s.Slots {
		slot.Data = slices.Clone(slot.Data)
		out.Slots = append(out.Slots, slot)
	}
	return out
}

// An optimiser brought back in the middle goes on with the same bits: in a new
// one, and in one that has run on.
func TestResume(t *testing.T) {
	for _, c := range optimizers {
		t.Run(c.name, func(t *testing.T) {
			p, o := newProblem(), c.make()
			run := func(o optim.Optimizer, p *problem, from, to int) {
				for step := from; step < to; step++ {
					require.NoError(t, o.Step(p.gradients(step)))
				}
			}
			run(o, p, 0, 30)
			saved, weights := copied(o.State()), newProblem()
			require.Equal(t, int64(30), saved.Steps)
			require.Len(t, saved.Slots, 3*len(o.Slots()))
			for i, slot := range saved.Slots {
				require.Equal(t, i/len(o.Slots()), slot.Weight)
				require.Equal(t, o.Slots()[i%len(o.Slots())], slot.Name)
			}
			before := newProblem()
			for i := range p.weights {
				copy(weights.weights[i].W, p.weights[i].W)
				copy(before.weights[i].W, p.weights[i].W)
			}
			run(o, p, 30, 60)

			resumed := c.make()
			resumed.Restore(saved)
			run(resumed, weights, 30, 60)
			require.Equal(t, p.weights, weights.weights)
			require.Equal(t, o.State(), resumed.State())

			o.Restore(saved) // back in time
			run(o, before, 30, 60)
			require.Equal(t, p.weights, before.weights)
		})
	}
}

func TestClip(t *testing.T) {
	for _, c := range []struct{ limit, norm, left float64 }{
		{0, 13, 13}, {20, 13, 13}, {13, 13, 13}, {6.5, 13, 6.5}, {0.013, 13, 0.013},
	} {
		a := optim.Weight{W: make([]float32, 2), G: []float32{3, 4}}
		b := optim.Weight{W: make([]float32, 1), G: []float32{12}}
		both := []G.ValueGrad{a, b}
		norm := optim.Clip(both, c.limit)
		require.Equal(t, c.norm, norm)
		left := optim.Clip(both, 0)
		require.InEpsilon(t, c.left, left, 1e-6)
		require.InEpsilon(t, 0.75, a.G[0]/a.G[1], 1e-6, "the direction stays")
	}
}

// The trainer's steps must not leave garbage behind.
func TestNoGarbage(t *testing.T) {
	for _, c := range optimizers {
		p, o := newProblem(), c.make()
		g := p.gradients(0)
		require.NoError(t, o.Step(g))
		require.Zero(t, testing.AllocsPerRun(10, func() {
			optim.Clip(g, 1)
			if err := o.Step(g); err != nil {
				t.Error(err)
			}
		}), c.name)
	}
}
