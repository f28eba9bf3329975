package models_test

import (
	"fmt"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testnet"
	"imdbexp/models"
)

// Every model learns in a few steps what its data shows, whether the words'
// vectors are trained with it or not.
func TestTrains(t *testing.T) {
	reviews, steps, gain := 16, 16, 0.1
	if testing.Short() {
		reviews, steps, gain = 10, 5, 0.01 // soon after, the few are learned, and Adam's next step may leap away
	}
	for i, v := range variants {
		d := newData(lengths(fits(reviews, v.Put))...)
		for _, rows := range []bool{false, true} {
			if i > 0 && variants[i-1].Model == v.Model && rows == (i%2 == 0) {
				continue // the first variant of each model has both
			}
			t.Run(fmt.Sprint(v.Model, v.Put, rows), func(t *testing.T) {
				w := models.NewWeights(1)
				spec := models.Spec{Model: newModel(t, v.Model, v.Put...), Weights: w, TrainRows: rows}
				eval := newNetwork(t, spec)
				spec.Training = true
				n := newNetwork(t, spec)
				require.NotEmpty(t, w.List())
				require.NoError(t, eval.Run(&d.batch, d.Inputs, 0))
				first := mean(eval.Losses())
				o := optim.NewAdam(0.02, optim.AdamOptions{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8})
				for step := range steps {
					require.NoError(t, n.Run(&d.batch, d.Inputs, uint64(step)))
					require.NoError(t, o.Step(gradients(w, n)))
				}
				require.NoError(t, eval.Run(&d.batch, d.Inputs, 0))
				require.Less(t, mean(eval.Losses()), first-gain)
				checkOutputs(t, eval, d)
			})
		}
	}
}

// checkOutputs checks shapes, and that probabilities and attention add up to one.
func checkOutputs(t *testing.T, n *models.Network, d *data) {
	b := &d.batch
	if w, guesses := n.Output().Objective.(*models.Words); guesses {
		made, right := w.Made()
		require.Len(t, made, b.Len())
		require.Positive(t, n.Predictions())
		for i := range made {
			require.LessOrEqual(t, right[i], made[i])
		}
	} else {
		require.Equal(t, b.Len(), n.Logits().Rows)
		require.Equal(t, classes, n.Logits().Cols)
		for i := range b.Len() {
			require.InDelta(t, 1, mean(n.Probs().Row(i))*classes, 1e-6)
		}
	}
	for _, layer := range n.Heads() {
		require.Equal(t, b.Len(), layer.Rows)
		for i := range b.Len() {
			words := n.HeadWords()[i+1] - n.HeadWords()[i]
			for _, h := range layer.Row(i) {
				require.GreaterOrEqual(t, h, float32(0))
				require.LessOrEqual(t, float64(h), math.Log(float64(words))+1e-5)
			}
		}
	}
	if n.Attention() == nil {
		require.Equal(t, n.Heads() != nil, n.Entropies() != nil)
		return
	}
	require.Len(t, n.Attention(), b.Words())
	for i, h := range n.Entropies() {
		a := n.Attention()[b.Offsets[i]:b.Offsets[i+1]]
		require.InDelta(t, 1, mean(a)*float64(len(a)), 1e-5)
		require.GreaterOrEqual(t, h, float32(0))
		require.LessOrEqual(t, float64(h), math.Log(float64(len(a)))+1e-5)
	}
}

// The numbers of trained weights of the original (TME 9, 50 d, two classes).
func TestWeightCounts(t *testing.T) {
	for _, c := range []struct {
		model string
		put   []string
		want  int
	}{
		{"mean", nil, 102},
		{"simple", nil, 152},
		{"query", nil, 50*50 + 50 + 102},
		{"values", nil, 5202},
		{"values", []string{"value.activation=relu"}, 5202},
		// 4·50·(50+50+1) in the layer, with one bias where PyTorch has two.
		{"lstm", nil, 20200 + 5202},
		{"lstm", []string{"pool=last"}, 20200 + 102},
		{"lstm", []string{"lstm.bidirectional=true", "pool=last"}, 2*20200 + 202},
		{"lstm", []string{"slip.lstm_values_only=true"}, 20200 + 5202},
		{"lstm", []string{"slip.state_values=true"}, 20200 + 2652},
	} {
		w := models.NewWeights(1)
		m := newModel(t, c.model, c.put...)
		if l, ok := m.(*models.LSTM); ok {
			l.Hidden = 50
		}
		newNetwork(t, models.Spec{Model: m, Weights: w, In: 50, Training: true})
		require.Equal(t, c.want, w.Count(), "%s %v", c.model, c.put)
	}
}

// The means of frozen vectors come in as a leaf; computed in the graph they
// have the same bits, and so have all results.
func TestMeansLeaf(t *testing.T) {
	d := newData(lengths(30)...)
	for _, name := range []string{"mean", "query", "values"} {
		w := models.NewWeights(1)
		leaf := newNetwork(t, models.Spec{Model: newModel(t, name), Weights: w})
		inside := newNetwork(t, models.Spec{Model: newModel(t, name), Weights: w, TrainRows: true})
		require.True(t, leaf.NeedsMeans())
		require.False(t, inside.NeedsMeans())
		require.NoError(t, leaf.Run(&d.batch, d.Inputs, 0))
		require.NoError(t, inside.Run(&d.batch, models.Inputs{Table: d.Table}, 0))
		require.Equal(t, inside.Logits().Data, leaf.Logits().Data, name)
		require.Equal(t, inside.Attention(), leaf.Attention(), name)
	}
}

// Weights follow from the seed and their name, in a range that follows from the
// fan; graphs share them.
func TestWeights(t *testing.T) {
	list := func(seed uint64, model string, hidden ...string) []*models.Weight {
		w := models.NewWeights(seed)
		newNetwork(t, models.Spec{Model: newModel(t, model, hidden...), Weights: w})
		newNetwork(t, models.Spec{Model: newModel(t, model, hidden...), Weights: w, Training: true})
		return w.List()
	}
	require.Equal(t, list(1, "lstm"), list(1, "lstm"))
	require.NotEqual(t, list(1, "simple")[0].Data, list(2, "simple")[0].Data)
	var names []string
	bound := float32(1 / math.Sqrt(dim)) // dim is the fan of every weight here
	for _, w := range list(1, "lstm", fmt.Sprint("lstm.hidden=", dim)) {
		names = append(names, w.Name)
		require.Len(t, w.Data, w.Rows*w.Cols)
		top := max(slices.Max(w.Data), -slices.Min(w.Data))
		require.LessOrEqual(t, top, bound)
		if len(w.Data) > 40 {
			require.Greater(t, top, 0.9*bound)
		}
	}
	require.Equal(t, []string{"lstm.Wx", "lstm.Wh", "lstm.b", "query.W", "query.b", "value.W", "value.b", "out.W", "out.b"}, names)

	w := models.NewWeights(1)
	newNetwork(t, models.Spec{Model: newModel(t, "simple"), Weights: w})
	_, err := models.NewNetwork(models.Spec{Model: newModel(t, "simple"), Weights: w, In: 10, Out: 2, Pool: ops.NewPool(1)})
	require.ErrorContains(t, err, "weight q is [1, 12], not [1, 10]")
	_, err = models.NewNetwork(models.Spec{Model: newModel(t, "mean"), Weights: w, In: dim, Out: 2, Pool: ops.NewPool(1), Training: true})
	require.ErrorContains(t, err, "weight q is not part of the model")
}

func TestRegistry(t *testing.T) {
	require.True(t, slices.IsSorted(models.Names()))
	require.Contains(t, models.Names(), "simple")
	require.ErrorContains(t, must.Fail(models.Lookup("lsmt")), `unknown model "lsmt" (did you mean lstm?)`)
	for _, name := range models.Names() {
		info := must.Get(models.Lookup(name))(t)
		require.NotEmpty(t, info.Title)
		require.NotEmpty(t, info.Equations(newModel(t, name)))
		require.NotEmpty(t, info.Source)
		set, err := settings.New(&settings.Run{}, info.New())
		require.NoError(t, err, "each key once")
		for _, s := range set.All() {
			require.NotEmpty(t, s.Help, s.Key)
		}
	}
}

// Inconsistent inputs are an error of the run, and the network remains usable.
func TestRunErrors(t *testing.T) {
	d := newData(3, 2)
	n := newNetwork(t, models.Spec{Model: newModel(t, "values"), Training: true})
	bad := d.batch
	bad.Labels = []int32{0, 2}
	require.ErrorContains(t, n.Run(&bad, d.Inputs, 0), "label 2 of review 1, but 2 classes")
	require.Error(t, n.Run(&d.batch, models.Inputs{Table: d.Table[:dim], Means: d.Means}, 0))
	require.Error(t, n.Run(&d.batch, models.Inputs{Table: d.Table}, 0))
	require.NoError(t, n.Run(&d.batch, d.Inputs, 0))
}

// broken is a model without predictions.
type broken struct{}

func (broken) Build(*models.Builder, *models.Node) models.Output { return models.Output{} }

func TestBrokenModels(t *testing.T) {
	require.PanicsWithValue(t, "model broken: New returns models_test.broken, want a pointer to a struct", func() {
		models.Register(models.Info{Name: "broken", New: func() models.Model { return broken{} }})
	})
	pool := ops.NewPool(1)
	defer pool.Close()
	_, err := models.NewNetwork(models.Spec{Model: broken{}, Weights: models.NewWeights(1), Pool: pool, In: 2, Out: 2})
	require.EqualError(t, err, "Build of models_test.broken returns no predictions (Output.Objective)")
	require.PanicsWithValue(t, `models.Register: the name "simple" is taken`, func() { models.Register(models.Info{Name: "simple"}) })
}

// What a model's graph computes is what its equations say, in float64 and in the form in
// which they are written. (TrainRows: else the means of the words come from outside.)
func TestExact(t *testing.T) {
	for _, v := range variants {
		t.Run(fmt.Sprint(v.Model, v.Put), func(t *testing.T) {
			d := newData(lengths(fits(8, v.Put))...)
			n := newNetwork(t, models.Spec{Model: newModel(t, v.Model, v.Put...), Weights: models.NewWeights(1), TrainRows: true})
			require.NoError(t, n.Run(&d.batch, d.Inputs, 0))
			out, x := n.Output(), ops.NewExact()
			result, _ := out.Objective.Result() // the logits, or the queries of a language model
			agree(t, x, result, "result")
			agree(t, x, out.Attention, "attention")
			agree(t, x, out.Entropy, "entropy")
			for _, l := range out.Layers {
				agree(t, x, l, "entropies of heads")
			}
		})
	}
}

// In a browser the ops of a graph run in their order, and backwards in the opposite one,
// without gorgonia: the loss, the gradient of every weight and of every word's vector have
// the bits that gorgonia's machine leaves.
func TestInOrder(t *testing.T) {
	lengths := []int{9, 6, 4, 40, 2, 1, 70, 3}
	d := newData(lengths...)
	for _, v := range variants {
		t.Run(fmt.Sprint(v.Model, v.Put), func(t *testing.T) {
			inOrder(t, &d.batch, d.Inputs, newNetwork(t, models.Spec{Model: newModel(t, v.Model, v.Put...), Training: true, TrainRows: true}))
		})
	}
	pairs := testnet.Pairs(lengths...)
	for _, v := range few(testnet.Translators) {
		t.Run(fmt.Sprint(v.Model, v.Put), func(t *testing.T) {
			inOrder(t, pairs, models.Inputs{}, testnet.Translation(t, models.Spec{Model: testnet.Translator(t, v.Model, v.Put...), Training: true}))
		})
	}
}

func inOrder(t *testing.T, b *ragged.Batch, in models.Inputs, n *models.Network) {
	run := func() (out [][]float32) {
		require.NoError(t, n.Run(b, in, 5))
		for _, m := range append(n.Gradients(), ops.Mat{Data: []float32{n.Cost()}}) {
			out = append(out, slices.Clone(m.Data))
		}
		return out
	}
	want := run()
	require.NoError(t, n.InOrder())
	require.Equal(t, want, run())
	require.Equal(t, want, run(), "again")
}
