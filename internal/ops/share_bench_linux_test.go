package ops_test

import (
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/simd"

	"github.com/stretchr/testify/require"
)

// BenchmarkOpShare is BenchmarkRecurrentShare for the other ops of the models: those on words
// and reviews at width 50 against the kernel on 512 rows × 50 × what they make, Bahdanau's decoder
// and additive attention on 64 pairs of 14 and 14 words at width 128 against 64×128×384.
func BenchmarkOpShare(b *testing.B) {
	const width = benchWidth
	type node = *ops.Node
	lstm := func(x node, w weightOf, reverse bool) node {
		states, _ := ops.LSTM(x, w(d, 4*h), w(h, 4*h), w(1, 4*h), reverse)
		return states
	}
	query := func(x node, w weightOf) node { return ops.Linear(ops.Mean(x), w(d, d), w(1, d)) }
	for _, o := range []struct {
		name    string
		flops   float64 // a word
		cols    int     // of the kernel's result
		trained bool    // the words have gradients
		build   func(x node, w weightOf) node
	}{
		{"both directions", 2 * 2 * 4 * h * (2*d + 3*h), 4 * h, false, func(x node, w weightOf) node {
			return ops.Concat(lstm(x, w, false), lstm(x, w, true))
		}},
		{"linear", 2 * 3 * d * h, h, true, func(x node, w weightOf) node { return ops.Linear(x, w(d, h), w(1, h)) }},
		{"attention, one query", 2 * 6 * d, h, true, func(x node, w weightOf) node {
			a, _ := ops.Attend(w(1, d), x, 1)
			return ops.WeightedSum(a, x)
		}},
		{"attention, a query a review", 2*6*d + 2*d, h, true, func(x node, w weightOf) node {
			a, _ := ops.Attend(query(x, w), x, 1)
			return ops.WeightedSum(a, x)
		}},
		{"additive, a query a review", 6*d*h + 11*h + 6*d, h, true, func(x node, w weightOf) node {
			z := ops.Tanh(ops.AddReview(ops.Linear(x, w(d, h), nil), query(x, w)))
			a, _ := ops.Attend(w(1, h), z, 1)
			return ops.WeightedSum(a, x)
		}},
		{"mean", 2 * d, h, true, func(x node, _ weightOf) node { return ops.Mean(x) }},
	} {
		everyFastLevel(b, o.name, func(b *testing.B) {
			m, data := trainer(b, width, o.trained, o.build)
			shareOf(b, o.flops*float64(data.Words()), 512, width, o.cols, func() { require.NoError(b, m.Run(data, step)) })
		})
	}
	const pairs, n, w = 64, 14, 128
	for _, o := range []struct {
		name  string
		flops float64
		build func(b *testing.B, g *ops.Graph) (node, []node)
	}{
		{"Bahdanau's decoder", 6.0 * pairs * n * 7 * w * w, func(b *testing.B, g *ops.Graph) (node, []node) { return bahdanauOf(g, pairs, n, n, w) }},
		{"additive attention of pairs", 6.0 * pairs * n * n * w, func(b *testing.B, g *ops.Graph) (node, []node) {
			q, k, x := filled(g, g.Targets(), pairs*n, w), filled(g, g.Words(), pairs*n, w), filled(g, g.Words(), pairs*n, w)
			v := g.Param("v", 1, w, random("v", w))
			c, _ := ops.AdditiveAttention(q, k, v, x)
			return c, []node{q, k, v, x}
		}},
	} {
		everyFastLevel(b, o.name, func(b *testing.B) {
			g := ops.NewGraph(newPool(b, 1), true)
			y, leaves := o.build(b, g)
			cost := ops.Linear(ops.Mean(y), g.Param("u", w, 1, random("u", w)), nil)
			_, err := g.Grad(ops.Total(ops.Term{Node: cost, Weight: 1}), leaves...)
			require.NoError(b, err)
			m, err := g.Machine()
			require.NoError(b, err)
			b.Cleanup(func() { m.Close() })
			data := evenPairs(pairs, n, n)
			shareOf(b, o.flops, pairs, w, 3*w, func() { require.NoError(b, m.Run(data, step)) })
		})
	}
}

// everyFastLevel runs a benchmark at each level that has kernels.
func everyFastLevel(b *testing.B, name string, f func(b *testing.B)) {
	everyLevel(b, func(level simd.Level) {
		if level != simd.Portable {
			b.Run(name+"/"+level.String(), f)
		}
	})
}

// shareOf is share for the kernel on rows × k × cols.
func shareOf(b *testing.B, work float64, rows, k, cols int, layer func()) {
	x, y, z := random("rows", rows*k), random("weights", k*cols), make([]float32, rows*cols)
	share(b, work, 2*float64(rows*k*cols), layer, func() { simd.NN(rows, cols, k, x, k, y, cols, z, cols, false) })
}
