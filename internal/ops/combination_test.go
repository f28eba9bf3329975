package ops_test

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"

	"github.com/stretchr/testify/require"
)

// Every gradient of every op, for every choice of results in the cost, against
// central differences of its formula in float64.
func TestGradients(t *testing.T) {
	batches := []*ragged.Batch{batch(9, 6, 4, 2, 1), batch(1), batch(1, 3, 2)}
	for _, c := range cases {
		tolerance := 2e-5
		if c.quadratic() { // differences of sums in another order: of one word, 0
			tolerance *= 3
		}
		var choices []int
		for results := 1; results < 1<<c.smooth; results++ {
			choices = append(choices, results)
		}
		requireGradients(t, c, choices, batches, tolerance)
	}
}

// requireGradients compares the gradients of a case, for each choice of results in the cost, with
// those of its formula. The cost is a sum over the results, so the formula is computed for all at once.
func requireGradients(t *testing.T, c opCase, choices []int, batches []*ragged.Batch, tolerance float64) {
	pool := newPool(t, 1)
	whole, wanted := assemble(t, c, pool, wiring{results: 1<<c.smooth - 1}), make([][][][]float64, len(batches)) // by batch, input and result
	for k, b := range batches {
		whole.set(b)
		for i := range c.inputs {
			wanted[k] = append(wanted[k], differences(whole, b, i))
		}
	}
	for _, results := range choices {
		t.Run(fmt.Sprintf("%s, results %02b", c.name, results), func(t *testing.T) {
			n := assemble(t, c, pool, wiring{results: results})
			for k, b := range batches {
				n.run(t, b)
				for i, grad := range n.grads {
					want := make([]float64, len(wanted[k][i][0]))
					for r, part := range wanted[k][i] {
						for j := range part {
							want[j] += part[j] * float64(results>>r&1)
						}
					}
					closeTo(t, want, grad(), tolerance)
				}
			}
		})
	}
}

// differences returns the gradient of each result's term of the reference by input i.
func differences(n *circuit, b *ragged.Batch, i int) [][]float64 {
	in := n.wideInputs(b)
	x := in[i].at
	out := make([][]float64, n.smooth)
	for j, old := range x {
		const eps = 1e-5
		x[j] = old + eps
		up := n.terms(n.ref(b, in))
		x[j] = old - eps
		for r, down := range n.terms(n.ref(b, in)) {
			out[r] = append(out[r], (up[r]-down)/(2*eps))
		}
		x[j] = old
	}
	return out
}

// The same on a batch of several shards and chunks, along random directions.
func TestGradientsOfLargeBatches(t *testing.T) {
	pool := newPool(t, 4)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			b := c.longTail(sizes(9000, 2500, 2500))
			n := assemble(t, c, pool, all)
			n.run(t, b)
			for i, grad := range n.grads {
				g := grad().Data
				way := random("direction", len(g))
				var got, size float64
				for j, v := range g {
					got += float64(v) * float64(way[j])
					size += math.Abs(float64(v) * float64(way[j]))
				}
				step := 1e-5
				if strings.Contains(c.name, "max") { // so short that no maximum of 9 000 words changes hands, and no weight becomes 0
					step = 1e-8
				}
				want := along(n, b, i, way, step)
				require.InDelta(t, want, got, 1e-5*size+1e-7, "input %d", i)
				require.Greater(t, size, 1e-6, "a gradient that is zero shows nothing")
			}
		})
	}
}

// along returns the derivative of the reference as input i moves in a direction.
func along(n *circuit, b *ragged.Batch, i int, way []float32, eps float64) float64 {
	at := func(eps float64) float64 {
		in := n.wideInputs(b)
		for j, v := range way {
			in[i].at[j] += eps * float64(v)
		}
		return n.reference(b, in)
	}
	return (at(eps) - at(-eps)) / (2 * eps)
}

// For every combination of inputs without a gradient, with an overwritten one, or with one
// added to the gradient of another reader, the result is the gradient of the op alone plus
// the gradients of the other readers.
func TestCombinations(t *testing.T) {
	pool := newPool(t, 1)
	b := batch(5, 3, 1)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			added := make([]bool, len(c.inputs))
			others := assemble(t, c, pool, wiring{noForward: true, roles: same(before, len(c.inputs))})
			others.run(t, b)
			for results := 1; results < 1<<c.smooth; results++ {
				base := assemble(t, c, pool, wiring{results: results})
				base.run(t, b)
				for _, roles := range combinations(len(c.inputs)) {
					n := assemble(t, c, pool, wiring{results: results, roles: roles})
					n.run(t, b)
					for i, grad := range n.grads {
						if roles[i] == frozen {
							continue
						}
						want := append([]float32(nil), base.grads[i]().Data...)
						if roles[i] != alone {
							simd.Add(want, others.grads[i]().Data)
						}
						requireNear(t, want, grad().Data, 1e-5, "roles %v, results %b, input %d", roles, results, i)
					}
					for i, a := range ops.Added(n.out[0]) {
						added[i] = added[i] || a
					}
				}
			}
			require.NotContains(t, added, false, "inputs to which the op has added its gradient")
		})
	}
}

// combinations returns every way to give n inputs a role except all frozen, and all alone, which needs no
// comparison; for four or five inputs about ninety, in which any two of them have every pair of roles,
// for more about eighty. Except in .ci/run, for three inputs or more about a dozen, in which every input
// has every role, and any two of them most pairs of roles.
func combinations(n int) (out [][]role) {
	count, stride := 1, 1
	for range n {
		count *= int(roles)
	}
	switch {
	case n > 5:
		stride = sizes(1, 7, 7) * (count/80 | 1) // odd, so that every input has every role
	case n == 5:
		stride = sizes(11, 53, 53)
	case n == 4:
		stride = sizes(3, 19, 19)
	case n == 3:
		stride = sizes(1, 7, 7)
	}
	for k := 0; k < count; k += stride {
		c := make([]role, n)
		wanted := false
		for i, rest := 0, k; i < n; i++ {
			c[i] = role(rest % int(roles))
			rest /= int(roles)
			wanted = wanted || c[i] != frozen
		}
		if wanted && k != 0 {
			out = append(out, c)
		}
	}
	return out
}

func same(r role, n int) []role {
	out := make([]role, n)
	for i := range out {
		out[i] = r
	}
	return out
}
