package ops_test

import (
	"testing"

	"imdbexp/internal/ragged"
	"imdbexp/internal/simd"

	"github.com/stretchr/testify/require"
)

// A run allocates a few headers for each op, whatever the number of words or
// reviews.
func TestNoGarbagePerWord(t *testing.T) {
	countsAllocations(t)
	few, many := make([]int, 6), make([]int, 60)
	for i := range few {
		few[i] = 200
	}
	for i := range many {
		many[i] = 60
	}
	pool := newPool(t, 1)
	for _, c := range cases {
		t.Run(c.name, func(t *testing.T) {
			n := assemble(t, c, pool, all)
			count := func(b *ragged.Batch) float64 {
				n.run(t, b) // makes the buffers
				return testing.AllocsPerRun(3, func() {
					if err := n.machine.Run(b, step); err != nil {
						t.Error(err)
					}
				})
			}
			require.LessOrEqual(t, count(batch(many...)), count(batch(few...))+8, "three times as many words, ten times as many reviews")
		})
	}
}

// countsAllocations skips a test where counts say nothing: portable kernels are slow
// and allocate as much as the others; the race detector keeps the compiler from
// inlining, so that closures are allocated which otherwise are not.
func countsAllocations(t *testing.T) {
	t.Helper()
	if simd.Best() == simd.Portable || raceDetector {
		t.Skip("allocations are counted with assembly and without the race detector")
	}
}
