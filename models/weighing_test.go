package models_test

import (
	"math"
	"slices"
	"strings"
	"testing"

	"imdbexp/internal/optim"
	"imdbexp/models"

	"github.com/stretchr/testify/require"
)

// attending are models whose weights may come from elsewhere.
var attending = []string{"simple", "query", "values", "lstm", "additive", "luong"}

// Weights that are imposed are those that count, and the model's own give its own answers
// to the bit; the gradient of imposed weights is the slope of the margins.
func TestImposed(t *testing.T) {
	d := newData(5, 1, 9, 3)
	for _, name := range attending {
		t.Run(name, func(t *testing.T) {
			w := models.NewWeights(1)
			m := newModel(t, name)
			own := newNetwork(t, models.Spec{Model: m, Weights: w})
			require.NoError(t, own.Run(&d.batch, d.Inputs, 0))
			forced := newNetwork(t, models.Spec{Model: m, Weights: w, Impose: true, Training: true, Margins: true})
			require.True(t, forced.NeedsBase())
			alpha := slices.Clone(own.Attention())
			in := d.Inputs
			in.Base = &models.Base{Weights: func(r int32) []float32 { return alpha[d.batch.Offsets[r]:d.batch.Offsets[r+1]] }}
			cost := func() float64 {
				require.NoError(t, forced.Run(&d.batch, in, 0))
				return float64(forced.Cost())
			}
			cost()
			require.Equal(t, own.Logits().Data, forced.Logits().Data)
			require.Equal(t, alpha, forced.Attention())
			require.InDeltaSlice(t, own.Entropies(), forced.Entropies(), 1e-5)
			got := slices.Clone(forced.ImposedGradient())
			const h = 1.0 / 32
			for i, was := range alpha {
				alpha[i] = was + h
				up := cost()
				alpha[i] = was - h
				down := cost()
				alpha[i] = was
				require.InDelta(t, (up-down)/(2*h), got[i], 2e-4)
			}
			in.Base = nil
			require.ErrorContains(t, forced.Run(&d.batch, in, 0), "another run")
		})
	}
	for _, name := range []string{"mean", "self"} {
		_, err := models.NewNetwork(models.Spec{Model: newModel(t, name), Weights: models.NewWeights(1), Dim: dim, Classes: classes, Impose: true})
		require.ErrorContains(t, err, "no weights that could be imposed", name)
	}
}

// Frozen weights are those of a model that has not been trained, and stay so; they are
// kept beside what is trained.
func TestFrozen(t *testing.T) {
	d := newData(5, 1, 9, 3)
	for _, name := range attending {
		fresh := newNetwork(t, models.Spec{Model: newModel(t, name)})
		require.NoError(t, fresh.Run(&d.batch, d.Inputs, 0))
		w := models.NewWeights(1)
		n := newNetwork(t, models.Spec{Model: newModel(t, name, "attention=frozen"), Weights: w, Training: true})
		require.NotEmpty(t, w.States(), name)
		before := slices.Clone(w.States()[0].Data)
		o := optim.NewSGD(0.5, 0, 0)
		for step := range 3 {
			require.NoError(t, n.Run(&d.batch, d.Inputs, uint64(step)))
			if step == 0 {
				require.Equal(t, fresh.Attention(), n.Attention(), name)
			}
			require.NoError(t, o.Step(gradients(w, n)))
		}
		require.Equal(t, before, w.States()[0].Data, name)
		if name == "simple" || name == "query" || name == "values" { // nothing else moves them
			require.Equal(t, fresh.Attention(), n.Attention(), name)
		}
	}
}

// The cost of an adversary is its formula, its gradients are the slopes of that, and
// training brings it down.
func TestAdversary(t *testing.T) {
	d := newData(5, 2, 9, 3)
	for _, name := range attending {
		t.Run(name, func(t *testing.T) {
			w := models.NewWeights(1)
			n := newNetwork(t, models.Spec{Model: newModel(t, name, "attention=adversarial", "attention.base=x", "attention.lambda=0.25"), Weights: w, Training: true})
			cost := func() float64 {
				require.NoError(t, n.Run(&d.batch, d.Inputs, 0))
				return float64(n.Cost())
			}
			got, want := cost(), 0.0
			for r := range d.batch.Len() {
				for c, p := range n.Scores().Row(r) {
					want += math.Abs(float64(p-d.Base.P[classes*r+c])) / 2
				}
				base := d.Base.Weights(int32(r))
				for i, b := range base {
					a := float64(n.Attention()[d.batch.Offsets[r]+i])
					want -= 0.25 * a * math.Log(a/float64(b))
				}
			}
			require.InDelta(t, want/float64(d.batch.Len()), got, 1e-5)
			const h = 1.0 / 64
			var worst, size float64
			grads := make([][]float32, len(w.List()))
			for i := range grads {
				grads[i] = slices.Clone(n.Gradient(i))
			}
			for i, x := range w.List() {
				for j := 0; j < len(x.Data); j += 5 {
					was := x.Data[j]
					x.Data[j] = was + h
					up := cost()
					x.Data[j] = was - h
					down := cost()
					x.Data[j] = was
					slope := (up - down) / (2 * h)
					worst, size = max(worst, math.Abs(slope-float64(grads[i][j]))), max(size, math.Abs(slope))
				}
			}
			require.Less(t, worst, 0.01*size+1e-4)
			o := optim.NewAdam(0.02, optim.AdamOptions{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8})
			for range 20 {
				cost()
				require.NoError(t, o.Step(gradients(w, n)))
			}
			require.Less(t, cost(), got-0.1)
		})
	}
}

func TestWeighingCheck(t *testing.T) {
	for _, c := range []struct{ put, want string }{
		{"attention=imposed", "attention.base=RUN"},
		{"attention=adversarial", "attention.base=RUN"},
		{"attention.base=x", "leave it out"},
		{"attention=uniform lambda=1", "lambda=1"},
	} {
		m := newModel(t, "simple", strings.Fields(c.put)...)
		require.ErrorContains(t, m.(models.Checker).Check(), c.want, c.put)
	}
	m := newModel(t, "lstm", "pool=mean", "attention=uniform")
	require.ErrorContains(t, m.(models.Checker).Check(), "pool=mean has no attention")
	require.NoError(t, newModel(t, "lstm", "attention=uniform").(models.Checker).Check())
}
