package convex_test

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/ops"
	"imdbexp/internal/sparse"
	"imdbexp/internal/testkit/must"
)

func some() *sparse.Matrix {
	return &sparse.Matrix{ // 2 0 3 / 0 0 0 / 0 4 5
		Rows: 3, Cols: 3, Start: []int{0, 2, 2, 4}, Index: []int32{0, 2, 1, 2}, Value: []float32{2, 3, 4, 5},
	}
}

func TestMultiply(t *testing.T) {
	m := some()
	dst := make([]float64, 3)
	require.NoError(t, m.Multiply(sparse.Serial{}, dst, []float64{1, 10, 100}, 1))
	assert.Equal(t, []float64{302, 0, 540}, dst)
	two := make([]float64, 6)
	require.NoError(t, m.Multiply(sparse.Serial{}, two, []float64{1, -1, 10, -10, 100, 0}, 2))
	assert.Equal(t, []float64{302, -2, 0, 0, 540, -40}, two)
	x := must.Get(m.Transpose(sparse.Serial{}))(t)
	assert.Equal(t, &sparse.Matrix{Rows: 3, Cols: 3, Start: []int{0, 1, 2, 4}, Index: []int32{0, 2, 0, 2}, Value: []float32{2, 4, 3, 5}}, x)
	m.Value = nil
	require.NoError(t, m.Multiply(sparse.Serial{}, dst, []float64{1, 10, 100}, 1))
	assert.Equal(t, []float64{101, 0, 110}, dst)
	require.NoError(t, m.Multiply(sparse.Serial{}, two, []float64{1, -1, 10, -10, 100, 0}, 2))
	assert.Equal(t, []float64{101, -1, 0, 0, 110, -10}, two)
	empty := &sparse.Matrix{Cols: 2, Start: []int{0}}
	require.NoError(t, empty.Multiply(sparse.Serial{}, nil, []float64{1, 2}, 1))
	x = must.Get(empty.Transpose(sparse.Serial{}))(t)
	assert.Equal(t, []int{0, 0, 0}, x.Start)
}

// Large enough for several shards: any number of workers gives the same bits, and the
// transpose twice the matrix itself.
func TestWorkers(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	m := &sparse.Matrix{Rows: 2000, Cols: 300, Start: []int{0}}
	for range m.Rows {
		for c := range m.Cols {
			if rng.IntN(8) == 0 {
				m.Index, m.Value = append(m.Index, int32(c)), append(m.Value, rng.Float32()-0.5)
			}
		}
		m.Start = append(m.Start, len(m.Index))
	}
	for _, k := range []int{1, 3} {
		w := make([]float64, m.Cols*k)
		for i := range w {
			w[i] = rng.NormFloat64()
		}
		first := make([]float64, m.Rows*k)
		require.NoError(t, m.Multiply(sparse.Serial{}, first, w, k))
		for _, workers := range []int{2, 3, 7} {
			pool := ops.NewPool(workers)
			defer pool.Close()
			dst := make([]float64, m.Rows*k)
			require.NoError(t, m.Multiply(pool, dst, w, k))
			require.Equal(t, first, dst)
			x := must.Get(m.Transpose(pool))(t)
			x = must.Get(x.Transpose(pool))(t)
			require.Equal(t, m, x)
		}
	}
}
