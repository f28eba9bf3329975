package models_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/dataset"
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
	"imdbexp/models"
)

// stacks are the models of self-attention without positions.
var stacks = []struct {
	model string
	put   []string
}{
	{"self", []string{"norm=layer", "key.width=5"}},
	{"self", []string{"norm=none", "heads=2", "key.width=3", "activation=tanh"}},
	{"multihead", []string{"heads=3", "layers=2"}},
	{"transformer", []string{"heads=2", "norm.place=before"}},
}

// permuted returns d with the words of each review in another order; from[i] is the old position
// of word i.
func permuted(d *data) (out *data, from []int) {
	out = &data{Inputs: d.Inputs, batch: d.batch}
	out.batch.IDs = slices.Clone(d.batch.IDs)
	from = make([]int, len(d.batch.IDs))
	for b := range d.batch.Labels {
		lo, hi := d.batch.Offsets[b], d.batch.Offsets[b+1]
		for i := lo; i < hi; i++ {
			from[i] = lo + (hi-1-i+b)%(hi-lo) // from the end, turned a little
			out.batch.IDs[i] = d.batch.IDs[from[i]]
		}
	}
	return out, from
}

// Without positions a word's vector depends on the other words and not on their order: another
// order of the words permutes the output.
func TestOrderDoesNotMatterWithoutPositions(t *testing.T) {
	d := newData(lengths(12)...)
	other, from := permuted(d)
	for _, s := range stacks {
		t.Run(fmt.Sprint(s.model, s.put), func(t *testing.T) {
			n := newNetwork(t, models.Spec{Model: newModel(t, s.model, s.put...)})
			require.NoError(t, n.Run(&d.batch, d.Inputs, 0))
			states := slices.Clone(n.States().Data)
			logits := slices.Clone(n.Logits().Data)
			require.NoError(t, n.Run(&other.batch, other.Inputs, 0))
			for i, j := range from {
				require.InDeltaSlice(t, states[j*dim:][:dim], n.States().Row(i), 1e-4)
			}
			require.InDeltaSlice(t, logits, n.Logits().Data, 1e-4)
			for _, positions := range []string{"sinusoid", "halves", "learned"} {
				if slices.Contains(s.put, "norm=layer") {
					put := append(slices.Clone(s.put), "positions="+positions)
					n := newNetwork(t, models.Spec{Model: newModel(t, s.model, put...)})
					require.NoError(t, n.Run(&d.batch, d.Inputs, 0))
					logits := slices.Clone(n.Logits().Data)
					require.NoError(t, n.Run(&other.batch, other.Inputs, 0))
					require.NotEqual(t, logits[2:], n.Logits().Data[2:])
					require.Equal(t, logits[:2], n.Logits().Data[:2], "a single word")
				}
			}
		})
	}
}

// v·tanh(W·[h; s] + b) is v·tanh(W₁·h + W₂·s + b) with W = [W₁ W₂], gradients
// included.
func TestAdditiveFormsAgree(t *testing.T) {
	d := newData(lengths(10)...)
	build := func(form string, w *models.Weights) *models.Network {
		return newNetwork(t, models.Spec{Model: newModel(t, "additive", "form="+form), Weights: w, Training: true})
	}
	ws, wc := models.NewWeights(1), models.NewWeights(1)
	sum, concat := build("sum", ws), build("concat", wc)
	s, c := byName(ws), byName(wc)
	for name, data := range c {
		switch name {
		case "attention.W.W":
			copy(data[copy(data, s["attention.W1"]):], s["attention.W2"])
		case "attention.W.b":
			copy(data, s["attention.b"])
		default:
			copy(data, s[name])
		}
	}
	require.NoError(t, sum.Run(&d.batch, d.Inputs, 0))
	require.NoError(t, concat.Run(&d.batch, d.Inputs, 0))
	require.InDeltaSlice(t, sum.Logits().Data, concat.Logits().Data, 1e-5)
	require.InDeltaSlice(t, sum.Attention(), concat.Attention(), 1e-6)
	gs, gc := gradientsByName(ws, sum), gradientsByName(wc, concat)
	for name, g := range gc {
		want := gs[name]
		switch name {
		case "attention.W.W":
			want = append(slices.Clone(gs["attention.W1"]), gs["attention.W2"]...)
		case "attention.W.b":
			want = gs["attention.b"]
		}
		require.InDeltaSlice(t, want, g, 1e-5, name)
	}
}

// Sinusoids go on for ever; learned positions end, and say so.
func TestLongerThanTrained(t *testing.T) {
	short, long := newData(256, 10), newData(1024, 10)
	for _, p := range []string{"sinusoid", "learned"} {
		n := newNetwork(t, models.Spec{Model: newModel(t, "self", "positions="+p, "positions.max=256"), Training: true})
		require.NoError(t, n.Run(&short.batch, short.Inputs, 0))
		err := n.Run(&long.batch, long.Inputs, 0)
		if p == "sinusoid" {
			require.NoError(t, err)
			continue
		}
		require.ErrorContains(t, err, "1024")
		require.ErrorContains(t, err, "256")
		t.Log(err)
	}
}

// A prediction depends on nothing but the review, except by the slips that say
// otherwise.
func TestBatchDependence(t *testing.T) {
	d := newData(20, 9)
	for _, v := range []struct {
		put   []string
		alone bool
	}{
		{nil, true},
		{[]string{"slip.pad=true"}, false},
		{[]string{"slip.pad=true", "slip.pad_statistics=true"}, false},
		{[]string{"norm.eval=batch"}, false},
		{[]string{"norm.eval=batch", "norm=layer"}, true},
		{[]string{"slip.pad=true", "slip.batch_slot_norm=true"}, false},
	} {
		m := newModel(t, "self", v.put...)
		require.Equal(t, !v.alone, models.BatchDependent(m))
		n := newNetwork(t, models.Spec{Model: m})
		require.NoError(t, n.Run(&d.batch, d.Inputs, 0))
		both := slices.Clone(n.Logits().Row(1))
		alone := newData(20, 9)
		alone.batch.IDs, alone.batch.Offsets = alone.batch.IDs[20:], []int{0, 9}
		alone.batch.Labels, alone.batch.Reviews = alone.batch.Labels[1:], alone.batch.Reviews[1:]
		require.NoError(t, n.Run(&alone.batch, alone.Inputs, 0))
		if v.alone {
			require.Equal(t, both, n.Logits().Row(0))
		} else {
			require.NotEqual(t, both, n.Logits().Row(0))
		}
	}
}

// Errors name what does not fit.
func TestSelfAttentionErrors(t *testing.T) {
	for want, bad := range map[string][]string{
		"slip.pad=true":                            {"self", "slip.batch_slot_norm=true"},
		"needs slip.pad=true and norm=batch":       {"self", "slip.pad_statistics=true"},
		"choose one":                               {"self", "slip.scale_d=true", "scale=none"},
		"positions.base needs":                     {"multihead", "positions.base=1000"},
		"heads=5 does not divide width=12: choose": {"transformer", "width=12", "heads=5"},
	} {
		m := newModel(t, bad[0], bad[1:]...)
		require.ErrorContains(t, m.(models.Checker).Check(), want)
	}
	for _, model := range []string{"transformer", "multihead", "self"} {
		_, err := models.NewNetwork(models.Spec{Pool: ops.NewPool(1), Model: newModel(t, model, "heads=5"), Weights: models.NewWeights(1), In: dim, Out: 2})
		require.ErrorContains(t, err, "heads=5 does not divide the width 12: choose")
	}
}

// With slip.batch_slot_norm a review's slot is where it was drawn, whatever its index:
// that tells of the label in data that come sorted by it.
func TestSlotsAreDrawn(t *testing.T) {
	d := newData(9, 9, 9)
	w := models.NewWeights(1)
	n := newNetwork(t, models.Spec{Model: newModel(t, "self", "slip.pad=true", "slip.batch_slot_norm=true"), Weights: w})
	for _, x := range w.List() {
		if strings.HasSuffix(x.Name, ".norm.shift") {
			simd.Normal(x.Data, simd.Key(1, x.Name), 0, 1)
		}
	}
	// logits are those of three reviews, drawn one after the other, by their indices.
	logits := func(index ...int32) (out [][]float32) {
		e := &dataset.Encoded{IDs: make([]int32, 27), Offsets: []int{0, 9, 18, 27}, Labels: make([]int32, 3)}
		for drawn, i := range index {
			copy(e.Words(int(i)), d.batch.IDs[9*drawn:])
		}
		var b ragged.Batch
		dataset.Pack(e, index, &b)
		require.NoError(t, n.Run(&b, d.Inputs, 0))
		for _, i := range index {
			out = append(out, slices.Clone(n.Logits().Row(slices.Index(b.Reviews, i))))
		}
		return out
	}
	first := logits(0, 1, 2)
	require.Equal(t, first, logits(2, 0, 1))
	d.batch.IDs = slices.Concat(d.batch.IDs[18:], d.batch.IDs[9:18], d.batch.IDs[:9])
	require.NotEqual(t, first[0], logits(0, 1, 2)[2], "in another slot")
}

// The gradient of a word's vector is the sum of the gradients of its rows, against
// differences of the cost: for models that read the words by each of the ways
// there are. Words come several times, in one review and in several.
func TestVectorGradients(t *testing.T) {
	const vocabulary = 9
	for _, v := range variants {
		name := fmt.Sprint(v.Model, v.Put)
		if strings.Contains(name, "dropout") || strings.Contains(name, "attention=frozen") || !slices.Contains([]string{"mean", "simple", "query", "values", "lstm"}, v.Model) {
			continue // another cost at every run, or a gradient that is not all of the slope; normalised over a few reviews, a cost too bent for differences
		}
		t.Run(name, func(t *testing.T) {
			d := newData(lengths(6)...)
			d.Table = d.Table[:vocabulary*dim]
			for i := range d.batch.IDs {
				d.batch.IDs[i] = int32(i * i % vocabulary)
			}
			n := newNetwork(t, models.Spec{Model: newModel(t, v.Model, v.Put...), Training: true, TrainRows: true})
			cost := func() float64 {
				require.NoError(t, n.Run(&d.batch, models.Inputs{Table: d.Table, Base: d.Base}, 0))
				return float64(n.Cost())
			}
			cost()
			require.False(t, n.NeedsMeans(), "the means are part of the graph")
			grads := make([]float32, len(d.Table))
			for i, id := range d.batch.IDs {
				simd.Add(grads[int(id)*dim:][:dim], n.RowGradients().Row(i))
			}
			require.Greater(t, simd.SumSquares(grads), 0.0)
			const h = 1.0 / 64 // a step that float32 takes exactly
			var wrong, size float64
			for i, was := range d.Table {
				d.Table[i] = was + h
				up := cost()
				d.Table[i] = was - h
				down := cost()
				d.Table[i] = was
				want := (up - down) / (2 * h)
				wrong += (want - float64(grads[i])) * (want - float64(grads[i]))
				size += want * want
			}
			require.Less(t, math.Sqrt(wrong/size), 0.01, "relative error over the table")
		})
	}
}
