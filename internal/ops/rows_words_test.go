package ops_test

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"
)

// Attention over words looked up in a table, whose rows are copied a review at a time and
// summed at once, gives the same bits as copied vectors, for any other readers of the words or the
// weights: results and gradients, at every level, with any number of workers.
func TestAttentionOfLookedUpWords(t *testing.T) {
	const d, words = 21, 60
	table := random("table", words*d)
	type node = *ops.Node
	attended := func(x node, w weightOf) (a, h node) { return ops.Attend(w(1, d), x, 0.7) }
	for name, build := range map[string]func(x, v node, w weightOf) []node{
		"attention alone": func(x, v node, w weightOf) []node {
			a, h := attended(x, w)
			return []node{h, a}
		},
		"attention and sum": func(x, v node, w weightOf) []node {
			a, h := attended(x, w)
			return []node{ops.WeightedSum(a, v), h, a}
		},
		"a query a review": func(x, v node, w weightOf) []node {
			a, h := ops.Attend(ops.Linear(ops.Mean(x), w(d, d), nil), x, 1)
			return []node{ops.WeightedSum(a, v), h, a}
		},
		"two sums by the same weights": func(x, v node, w weightOf) []node {
			a, h := attended(x, w)
			return []node{ops.Add(ops.WeightedSum(a, v), ops.WeightedSum(a, ops.Tanh(x))), h, a}
		},
		"the same words summed twice": func(x, v node, w weightOf) []node {
			a, h := attended(x, w)
			return []node{ops.Add(ops.WeightedSum(a, v), ops.WeightedSum(a, v)), h, a}
		},
		"two attentions": func(x, v node, w weightOf) []node {
			a, h := attended(x, w)
			b, _ := attended(x, w)
			return []node{ops.Add(ops.WeightedSum(a, v), ops.WeightedSum(b, v)), h, b}
		},
		"weights of others": func(x, v node, w weightOf) []node {
			a, h := ops.Attend(w(1, d), ops.Tanh(x), 1)
			return []node{ops.WeightedSum(a, v), h, a}
		},
		"beside a layer that reads distinct words": func(x, v node, w weightOf) []node {
			states, _ := ops.RNN(x, w(d, d), w(d, d), w(1, d), false)
			a, h := attended(x, w)
			return []node{ops.Add(ops.WeightedSum(a, v), ops.Mean(states)), h, a}
		},
	} {
		t.Run(name, func(t *testing.T) {
			bits := func(workers int, training, rows, each bool, set func(x node, b *ragged.Batch) error) (out []uint32) {
				g := ops.NewGraph(newPool(t, workers), training)
				x := g.Leaf("x", g.Words(), d, rows)
				v := x
				if each {
					v = g.Leaf("v", g.Words(), d, false)
				}
				var leaves []node
				if rows {
					leaves = append(leaves, x)
				}
				results := build(x, v, func(rows, cols int) node {
					leaves = append(leaves, g.Param("w", rows, cols, random(string(rune('a'+len(leaves))), rows*cols)))
					return leaves[len(leaves)-1]
				})
				var grads []func() ops.Mat
				if training {
					var terms []ops.Term
					for i, r := range results {
						if r.Axis() == g.Words().Reviews() {
							u := random(string(rune('A'+i)), r.Cols())
							terms = append(terms, ops.Term{Node: ops.Linear(r, g.Param("u", r.Cols(), 1, u), nil), Weight: 1})
						}
					}
					var err error
					grads, err = g.Grad(ops.Total(terms...), leaves...)
					require.NoError(t, err)
				}
				m := machine(t, g)
				for _, b := range []*ragged.Batch{wordsOf(30, words), wordsOf(2, words), wordsOf(50, words)} {
					require.NoError(t, set(x, b))
					if each {
						require.NoError(t, set(v, b))
					}
					require.NoError(t, m.Run(b, step))
					mats := []ops.Mat{}
					for _, r := range results {
						mats = append(mats, r.Mat())
						if dr, ok := r.Gradient(); training && ok {
							mats = append(mats, dr)
						}
					}
					for _, dw := range grads {
						mats = append(mats, dw())
					}
					out = append(out, bitsOf(mats...)...)
				}
				return out
			}
			lookup := func(x node, b *ragged.Batch) error { return x.Lookup(table, b.IDs, nil) }
			laidOut := func(x node, b *ragged.Batch) error { return layOut(x, table, d, b) }
			for _, rows := range []bool{false, true} {
				want, result := bits(1, true, rows, false, laidOut), bits(1, false, false, false, laidOut)
				if !rows {
					requireBits(t, want, bits(1, true, false, true, laidOut), "values apart, which nobody sums on the way")
				}
				everyLevel(t, func(l simd.Level) {
					requireBits(t, want, bits(1, true, rows, false, lookup), "%v", l)
					requireBits(t, result, bits(1, false, false, false, lookup), "without gradients, %v", l)
				})
				requireBits(t, want, bits(3, true, rows, false, lookup), "three workers")
				requireBits(t, result, bits(3, false, false, false, lookup), "without gradients, three workers")
			}
		})
	}
}
