package models_test

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
	"imdbexp/internal/optim"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/testnet"
	"imdbexp/models"
)

// Each of three steps of training leaves the same bits in the weights at every SIMD
// level and for any number of workers. Unless there is time, as in .ci/run, the levels are
// compared on a step with few reviews, only the widest has several workers and takes more steps with
// more than a shard, and of each model only the last variant is trained: the ops have their own test of
// this, with several shards at every level.
func TestSameBits(t *testing.T) {
	reviews := 40 // of 40 words: more than one shard
	if testing.Short() {
		reviews = 12
	}
	for _, v := range few(variants) {
		t.Run(fmt.Sprint(v.Model, v.Put), func(t *testing.T) {
			data := func(n int) (*ragged.Batch, models.Inputs) {
				long := lengths(fits(n, v.Put))
				for i := range long {
					long[i] *= 2
				}
				d := newData(long...)
				return &d.batch, d.Inputs
			}
			sameBits(t, reviews, data, func(s models.Spec) *models.Network {
				s.Model = newModel(t, v.Model, v.Put...)
				return newNetwork(t, s)
			})
		})
	}
	pairs := func(n int) (*ragged.Batch, models.Inputs) { return testnet.Pairs(lengths(n)...), models.Inputs{} }
	for _, v := range few(testnet.Translators) {
		t.Run(fmt.Sprint(v.Model, v.Put), func(t *testing.T) {
			sameBits(t, reviews, pairs, func(s models.Spec) *models.Network {
				s.Model = testnet.Translator(t, v.Model, v.Put...)
				return testnet.Translation(t, s)
			})
		})
	}
}

// few returns the last variant of each model, or all with EXP_CI=1.
func few(all []testnet.Variant) []testnet.Variant {
	if os.Getenv("EXP_CI") == "1" {
		return all
	}
	last := map[string]int{}
	for i, v := range all {
		last[v.Model] = i
	}
	var out []testnet.Variant
	for i, v := range all {
		if last[v.Model] == i {
			out = append(out, v)
		}
	}
	return out
}

// sameBits trains what build returns at every SIMD level and with more workers.
func sameBits(t *testing.T, reviews int, data func(reviews int) (*ragged.Batch, models.Inputs), build func(models.Spec) *models.Network) {
	old := simd.Current()
	defer func() { require.NoError(t, simd.Use(old)) }()
	train := func(reviews, steps int, levels []simd.Level, counts ...int) {
		b, in := data(reviews)
		want := make([][]models.Weight, steps) // after each step
		for _, l := range slices.Backward(levels) {
			require.NoError(t, simd.Use(l))
			for _, workers := range counts {
				if l == simd.Portable && workers > 1 && l < simd.Best() {
					continue // the workers are the same at every level
				}
				pool := ops.NewPool(workers)
				defer pool.Close()
				w := models.NewWeights(1)
				n := build(models.Spec{Weights: w, Pool: pool, Training: true})
				o := optim.NewSGD(0.1, 0.9, 0)
				for step := range steps {
					require.NoError(t, n.Run(b, in, uint64(step)))
					require.NoError(t, o.Step(gradients(w, n)))
					var got []models.Weight
					for _, x := range w.List() {
						got = append(got, models.Weight{Name: x.Name, Rows: x.Rows, Cols: x.Cols, Data: slices.Clone(x.Data)})
					}
					if want[step] == nil {
						want[step] = got
					}
					require.Equal(t, want[step], got, "%v, %d workers, step %d", l, workers, step+1)
				}
			}
		}
	}
	if os.Getenv("EXP_CI") == "1" {
		train(reviews, 3, simd.Levels(), 1, 4)
		return
	}
	train(min(reviews, 10), 1, simd.Levels(), 1)
	train(reviews, 3, []simd.Level{simd.Best()}, 1, 4)
}

// A step of training allocates a few headers for each op, whatever the number
// of words or reviews.
func TestNoGarbagePerWord(t *testing.T) {
	for _, model := range []string{"mean", "simple", "values", "lstm"} {
		t.Run(model, func(t *testing.T) {
			few, many := newData(lengths(10)...), newData(lengths(90)...)
			garbage(t, 200, few.Inputs, many.Inputs, &few.batch, &many.batch, func(s models.Spec) *models.Network {
				s.Model = newModel(t, model)
				return newNetwork(t, s)
			})
		})
	}
	for _, v := range few(testnet.Translators) {
		t.Run(fmt.Sprint(v.Model, v.Put), func(t *testing.T) {
			garbage(t, 2000, models.Inputs{}, models.Inputs{}, testnet.Pairs(lengths(10)...), testnet.Pairs(lengths(90)...), func(s models.Spec) *models.Network {
				s.Model = testnet.Translator(t, v.Model, v.Put...)
				return testnet.Translation(t, s)
			})
		})
	}
}

// garbage trains what build returns on few reviews and on nine times as many words
// and reviews.
func garbage(t *testing.T, bound float64, fewIn, manyIn models.Inputs, few, many *ragged.Batch, build func(models.Spec) *models.Network) {
	count := func(b *ragged.Batch, in models.Inputs) float64 {
		pool := ops.NewPool(1)
		defer pool.Close()
		w := models.NewWeights(1)
		n, o := build(models.Spec{Weights: w, Pool: pool, Training: true}), optim.NewSGD(0.1, 0, 0)
		require.NoError(t, n.Run(b, in, 0)) // makes the buffers
		list := gradients(w, n)
		return testing.AllocsPerRun(5, func() {
			if err := n.Run(b, in, 0); err != nil {
				t.Error(err)
			}
			if err := o.Step(list); err != nil {
				t.Error(err)
			}
		})
	}
	base := count(few, fewIn)
	require.LessOrEqual(t, base, bound)
	require.LessOrEqual(t, count(many, manyIn), base+8)
}

// The first network of an ensemble has the bits of a network trained alone. The others differ, and
// the prediction comes from the mean logits.
func TestEnsemble(t *testing.T) {
	d := newData(lengths(24)...)
	train := func(put ...string) (*models.Weights, *models.Network) {
		w := models.NewWeights(1)
		spec := models.Spec{Model: newModel(t, "lstm", append(put, "input.dropout=0.2", "dropout=0.3", "lambda=0.01")...), Weights: w}
		eval := newNetwork(t, spec)
		spec.Training = true
		n := newNetwork(t, spec)
		o := optim.NewAdam(0.02, optim.AdamOptions{Beta1: 0.9, Beta2: 0.999, Epsilon: 1e-8})
		for step := range 3 {
			require.NoError(t, n.Run(&d.batch, d.Inputs, uint64(step)))
			require.NoError(t, o.Step(gradients(w, n)))
		}
		require.NoError(t, eval.Run(&d.batch, d.Inputs, 0))
		return w, eval
	}
	one, alone := train()
	three, all := train("members=3")
	require.Equal(t, 3*one.Count(), three.Count())
	require.Equal(t, []int{1, 3}, []int{alone.Members(), all.Members()})
	require.True(t, alone.Pools())
	require.False(t, all.Pools(), "there are three attentions")

	list := three.List()
	require.Equal(t, one.List(), list[:len(one.List())])
	for i, x := range one.List() {
		second, third := list[len(one.List())+i], list[2*len(one.List())+i]
		require.Equal(t, []string{"member2." + x.Name, "member3." + x.Name}, []string{second.Name, third.Name})
		require.NotEqual(t, x.Data, second.Data)
		require.NotEqual(t, second.Data, third.Data)
		require.Equal(t, []int{1, 2, 3}, []int{models.Member(x.Name), models.Member(second.Name), models.Member(third.Name)})
	}
	members := all.Classes().Members
	require.Equal(t, alone.Logits().Data, members[0].Mat().Data)
	for i, z := range all.Logits().Data {
		require.InDelta(t, (members[0].Mat().Data[i]+members[1].Mat().Data[i]+members[2].Mat().Data[i])/3, z, 1e-6)
	}
	_, err := all.Tail()
	require.ErrorContains(t, err, "no attention with one weight for each word")
}

// Settings that work for one network only are errors.
func TestEnsembleRefuses(t *testing.T) {
	for _, put := range [][]string{{"attention=imposed", "attention.base=x"}, {"attention=adversarial", "attention.base=x"}} {
		m := newModel(t, "lstm", slices.Concat(put, []string{"members=2"})...)
		err := m.(models.Checker).Check()
		require.ErrorContains(t, err, put[0])
		require.True(t, strings.HasSuffix(err.Error(), "members=1"))
	}
}

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
				for c, p := range n.Probs().Row(r) {
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
