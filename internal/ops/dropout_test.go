package ops_test

import (
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/testkit/must"

	"github.com/stretchr/testify/require"
)

// dropped is a dropout of ones: its result is the mask, and so is the gradient
// of the sum of its result.
type dropped struct {
	g       *ops.Graph
	x, y    *ops.Node
	grad    func() ops.Mat
	machine *ops.Machine
}

const maskCols = 8

func newDropped(t *testing.T, name string, p float32, seed uint64) *dropped {
	d := &dropped{g: ops.NewGraph(newPool(t, 3), true)}
	d.g.Seed(seed)
	d.x = d.g.Leaf("x", d.g.Words(), maskCols, true)
	d.y = ops.Dropout(d.x, name, p)
	ones := make([]float32, maskCols)
	for i := range ones {
		ones[i] = 1
	}
	cost := ops.Total(ops.Term{Node: ops.Linear(d.y, d.g.Param("ones", maskCols, 1, ones), nil), Weight: 1, Sum: true})
	grads := must.Get(d.g.Grad(cost, d.x))(t)
	d.grad = grads[0]
	d.machine = machine(t, d.g)
	return d
}

// mask returns the mask of each review of the batch in a step.
func (d *dropped) mask(t *testing.T, b *ragged.Batch, step uint64) map[int32][]float32 {
	ones := make([]float32, b.Words()*maskCols)
	for i := range ones {
		ones[i] = 1
	}
	d.x.Set(ops.Mat{Rows: b.Words(), Cols: maskCols, Data: ones})
	require.NoError(t, d.machine.Run(b, step))
	require.Equal(t, d.y.Mat().Data, d.grad().Data, "one mask forwards and backwards")
	out := map[int32][]float32{}
	for i, r := range b.Reviews {
		out[r] = append([]float32(nil), d.y.Mat().Range(b.Offsets[i], b.Offsets[i+1])...)
	}
	return out
}

// labelled is a batch of the given reviews, review r having r words.
func labelled(reviews ...int) *ragged.Batch {
	b := batch(reviews...)
	for i, r := range reviews {
		b.Reviews[i] = int32(r)
	}
	return b
}

func TestDropoutMask(t *testing.T) {
	d := newDropped(t, "a", 0.5, 1)
	first := d.mask(t, labelled(30, 20, 10), 4)
	require.Equal(t, first, d.mask(t, labelled(30, 20, 10), 4), "again")
	require.NotEqual(t, first[20], d.mask(t, labelled(20), 5)[20], "another step")
	require.NotEqual(t, first[20], newDropped(t, "a", 0.5, 2).mask(t, labelled(20), 4)[20], "another seed")
	require.NotEqual(t, first[20], newDropped(t, "b", 0.5, 1).mask(t, labelled(20), 4)[20], "another layer")
	require.NotEqual(t, first[20][:10*maskCols], first[10], "another review")
	require.NotEqual(t, first[20][:maskCols], first[20][maskCols:2*maskCols], "another position")

	// The order of the reviews, the other reviews and the shards do not matter.
	require.Equal(t, first[20], d.mask(t, labelled(20), 4)[20])
	require.Equal(t, first, d.mask(t, labelled(10, 30, 20), 4))
	require.Equal(t, first[10], d.mask(t, labelled(5000, 3000, 10, 2500), 4)[10])
}

func TestDropoutRate(t *testing.T) {
	for _, p := range []float32{0.1, 0.5, 0.9} {
		m := newDropped(t, "a", p, 1).mask(t, labelled(4000), 0)[4000]
		var zeros int
		for _, v := range m {
			if v == 0 {
				zeros++
				continue
			}
			require.Equal(t, 1/(1-p), v)
		}
		require.InDelta(t, p, float64(zeros)/float64(len(m)), 0.012, "four standard deviations")
	}
}

func TestDropoutIsForTraining(t *testing.T) {
	for _, c := range []struct {
		training bool
		p        float32
	}{{false, 0.5}, {true, 0}} {
		g := ops.NewGraph(newPool(t, 1), c.training)
		x := g.Leaf("x", g.Words(), 2, true)
		require.Same(t, x, ops.Dropout(x, "a", c.p))
	}
}
