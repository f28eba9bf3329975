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

// Imposed weights are used as they are: a model's own weights give its own predictions, to the bit.
func TestImposed(t *testing.T) {
	d := newData(5, 1, 9, 3)
	for _, name := range attending {
		w := models.NewWeights(1)
		own := newNetwork(t, models.Spec{Model: newModel(t, name), Weights: w})
		require.NoError(t, own.Run(&d.batch, d.Inputs, 0))
		given := newNetwork(t, models.Spec{Model: newModel(t, name, "attention=imposed", "attention.base=x"), Weights: w})
		require.True(t, given.NeedsBase())
		in := d.Inputs
		in.Base = &models.Base{Weights: func(r int32) []float32 { return own.Attention()[d.batch.Offsets[r]:d.batch.Offsets[r+1]] }}
		require.NoError(t, given.Run(&d.batch, in, 0))
		require.Equal(t, own.Logits().Data, given.Logits().Data, name)
		require.Equal(t, own.Attention(), given.Attention(), name)
		require.InDeltaSlice(t, own.Entropies(), given.Entropies(), 1e-5, name)
		in.Base = nil
		require.ErrorContains(t, given.Run(&d.batch, in, 0), "another run")
	}
}

// The gradient of the weights is how fast the margins rise with them, also where words
// have been through layers of self-attention.
func TestAttentionGradient(t *testing.T) {
	d := newData(5, 1, 9, 3)
	for _, name := range append([]string{"transformer"}, attending...) {
		t.Run(name, func(t *testing.T) {
			put := []string{}
			if name == "transformer" {
				put = []string{"heads=3", "pool=attention"}
			}
			w := models.NewWeights(1)
			n := newNetwork(t, models.Spec{Model: newModel(t, name, put...), Weights: w, Training: true, Margins: true, TrainRows: true})
			require.NoError(t, n.Run(&d.batch, d.Inputs, 0))
			got, alpha := slices.Clone(n.AttentionGradient()), slices.Clone(n.Attention())
			eval := newNetwork(t, models.Spec{Model: newModel(t, name, put...), Weights: w})
			require.NoError(t, eval.Run(&d.batch, d.Inputs, 0))
			tail, err := eval.Tail()
			require.NoError(t, err)
			margins := func() (sum float64) {
				require.NoError(t, tail.Run())
				for r := range d.batch.Len() {
					z, y := eval.Logits().Row(r), d.batch.Labels[r]
					sum += float64(z[y] - z[1-y])
				}
				return sum
			}
			const h = 1.0 / 32
			for i, was := range alpha {
				eval.Attention()[i] = was + h
				up := margins()
				eval.Attention()[i] = was - h
				down := margins()
				eval.Attention()[i] = was
				require.InDelta(t, (up-down)/(2*h), got[i], 1e-3)
			}
		})
	}
}

// Frozen weights keep their initial values and are saved as states, not as trained weights.
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
		{"attention.base=x", "omit it"},
		{"attention=uniform lambda=1", "lambda=1"},
	} {
		m := newModel(t, "simple", strings.Fields(c.put)...)
		require.ErrorContains(t, m.(models.Checker).Check(), c.want, c.put)
	}
	m := newModel(t, "lstm", "pool=mean", "attention=uniform")
	require.ErrorContains(t, m.(models.Checker).Check(), "pool=mean has no attention")
	require.NoError(t, newModel(t, "lstm", "attention=uniform").(models.Checker).Check())
}
