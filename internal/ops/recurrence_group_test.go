package ops_test

import (
	"math"
	"slices"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
)

// Shards that are stepped together leave the bits that each leaves alone, whichever are
// together: the sums of their gradients of the weights, too, over several chunks of steps.
func TestShardsSteppedTogether(t *testing.T) {
	usual := ops.StepTogether(math.MaxInt)
	t.Cleanup(func() { ops.StepTogether(usual) })
	ones := slices.Repeat([]int{1}, 2100)
	batches := map[string]func(c opCase) *ragged.Batch{
		"uneven lengths":       func(c opCase) *ragged.Batch { return c.longTail(9000) },
		"one long, many short": func(opCase) *ragged.Batch { return batch(append([]int{5000}, ones...)...) },
		"one review":           func(opCase) *ragged.Batch { return batch(700) },
		"lengths of one":       func(opCase) *ragged.Batch { return batch(ones...) },
		"one word":             func(opCase) *ragged.Batch { return batch(1) },
	}
	for _, c := range cases {
		if !c.is("lstm", "gru", "rnn", "pairs: lstm", "pairs: gru") {
			continue
		}
		for name, b := range batches {
			if c.is("pairs") && name != "uneven lengths" {
				continue // these have no targets
			}
			t.Run(c.name+", "+name, func(t *testing.T) {
				data := b(c)
				bits := func(together, workers int) []uint32 {
					ops.StepTogether(together)
					n := assemble(t, c, newPool(t, workers), all)
					n.run(t, data)
					return n.bits()
				}
				want := bits(math.MaxInt, 1)
				for _, workers := range []int{1, 2, 3, 7} {
					requireBits(t, want, bits(0, workers), "%d workers", workers)
				}
			})
		}
	}
}
