package ops_test

import (
	"fmt"
	"testing"

	"imdbexp/internal/ops"

	"github.com/stretchr/testify/require"
)

// BenchmarkAttentionShare is BenchmarkRecurrentShare for self-attention of width 50, in one head
// and in five of 10, against the kernel on 256×50×256. It counts 14·n²·k operations.
func BenchmarkAttentionShare(b *testing.B) {
	for _, n := range []int{64, 256, 1024} {
		for _, heads := range []int{1, 5} {
			everyFastLevel(b, fmt.Sprintf("n%d/%d heads", n, heads), func(b *testing.B) {
				g := ops.NewGraph(newPool(b, 1), true)
				data := batch(n, n, n, n)
				leaves := []*ops.Node{filled(g, g.Words(), 4*n, benchWidth), filled(g, g.Words(), 4*n, benchWidth), filled(g, g.Words(), 4*n, benchWidth)}
				y, _ := ops.SelfAttend(leaves[0], leaves[1], leaves[2], ops.SelfAttention{Heads: heads, Scale: 0.3})
				cost := ops.Linear(ops.Mean(y), g.Param("w", benchWidth, 1, random("w", benchWidth)), nil)
				_, err := g.Grad(ops.Total(ops.Term{Node: cost, Weight: 1}), leaves...)
				require.NoError(b, err)
				m, err := g.Machine()
				require.NoError(b, err)
				defer m.Close()
				shareOf(b, 4*14*benchWidth*float64(n*n), 256, benchWidth, 256, func() { require.NoError(b, m.Run(data, step)) })
			})
		}
	}
}
