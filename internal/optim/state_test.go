package optim_test

import (
	"slices"
	"testing"

	"imdbexp/internal/optim"

	"github.com/stretchr/testify/require"
	G "gorgonia.org/gorgonia"
)

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

// A saved state is a copy once restored: training on does not change it.
func TestRestoreCopies(t *testing.T) {
	p, o := newProblem(), optim.NewAdam(0.1, usual)
	require.NoError(t, o.Step(p.gradients(0)))
	saved := copied(o.State())
	want := copied(saved)
	o.Restore(saved)
	require.NoError(t, o.Step(p.gradients(1)))
	require.Equal(t, want, saved)
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

func BenchmarkAdam(b *testing.B) {
	w := optim.Weight{W: make([]float32, 1<<20), G: make([]float32, 1<<20)}
	o, list := optim.NewAdam(0.1, usual), []G.ValueGrad{w}
	b.SetBytes(4 * 1 << 20)
	for b.Loop() {
		if err := o.Step(list); err != nil {
			b.Fatal(err)
		}
	}
}
