package corpusvec

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestLog(t *testing.T) {
	for _, x := range []float64{1, 2, math.E, 0.5, 3, 1e-300, 1e300, math.Sqrt2 / 2, math.Nextafter(1, 0), math.Nextafter(1, 2)} {
		assert.InEpsilon(t, 1, (log(x)+1e-300)/(math.Log(x)+1e-300), 1e-15, "%g", x)
	}
	rapid.Check(t, func(t *rapid.T) {
		x := rapid.Float64Range(1e-3, 1e15).Draw(t, "x")
		require.InDelta(t, math.Log(x), log(x), 4e-16*math.Max(1, math.Abs(math.Log(x))))
	})
}

// By hand: two texts, window 2, weights 2 and 1.
func TestCount(t *testing.T) {
	// a b a · c b, and one word that is dropped.
	ids := []int32{0, 1, 0, 2, -1, 1}
	m, err := count(context.Background(), ids, []int{0, 3, 6}, 3, Options{Window: 2, Workers: 1})
	require.NoError(t, err)
	assert.Equal(t, []int{0, 2, 4, 5}, m.start)
	assert.Equal(t, []int32{0, 1, 0, 2, 1}, m.cols)
	assert.Equal(t, []float64{2, 4, 4, 1, 1}, m.vals)
}

// M[w,c] against its formula.
func TestWeigh(t *testing.T) {
	m := &matrix{n: 2, start: []int{0, 1, 3}, cols: []int32{1, 0, 1}, vals: []float64{8, 8, 1}}
	require.NoError(t, weigh(context.Background(), m, 1))
	smooth := func(x float64) float64 { return math.Pow(x, 0.75) }
	total := smooth(8) + smooth(9)
	pmi := func(c, w, of float64) float64 { return math.Log(c * total / (w * smooth(of))) }
	assert.InDelta(t, (pmi(8, 8, 9)+pmi(8, 9, 8))/2, m.vals[0], 1e-14)
	assert.InDelta(t, m.vals[0], m.vals[1], 1e-14)
	assert.Zero(t, m.vals[2], "less often than by chance")
}

// U·diag(λ)·Uᵀ gives back a matrix whose rank does not exceed dim.
func TestEigenOfLowRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 90).Draw(t, "n")
		rank := rapid.IntRange(1, 5).Draw(t, "rank")
		f := rapid.SliceOfN(rapid.Float64Range(-2, 2), n*rank, n*rank).Draw(t, "factors")
		m := &matrix{n: n, start: []int{0}}
		size := 1.0
		for i := range n {
			for j := range n {
				v := 0.0
				for k := range rank {
					sign := float64(1 - 2*(k&1))
					v += sign * f[i*rank+k] * f[j*rank+k]
				}
				m.cols, m.vals = append(m.cols, int32(j)), append(m.vals, v)
				size = max(size, math.Abs(v))
			}
			m.start = append(m.start, len(m.cols))
		}
		const dim = 6
		u, lambda, err := eigen(context.Background(), m, Options{Dim: dim, Workers: 2}, func() {})
		require.NoError(t, err)
		for k := 1; k < dim; k++ {
			require.LessOrEqual(t, math.Abs(lambda[k]), math.Abs(lambda[k-1]))
		}
		for i := range n {
			for j := range n {
				v := 0.0
				for k := range dim {
					v += u[i*dim+k] * lambda[k] * u[j*dim+k]
				}
				require.InDelta(t, m.vals[i*n+j], v, 1e-8*size*float64(n))
			}
		}
	})
}

func TestPanicOfAWorkerIsAnError(t *testing.T) {
	err := parallel(context.Background(), 1000, 3, func() func(lo, hi int) {
		return func(lo, hi int) {
			if lo > 500 {
				panic("out of memory")
			}
		}
	})
	require.ErrorContains(t, err, "out of memory")
}
