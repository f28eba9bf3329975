package corpusvec

import (
	"context"
	"math"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/testkit/must"
)

// A word as frequent as f shares of the text stays with the probability
// √(t/f) + t/f.
func TestThinDropsFrequentWords(t *testing.T) {
	const n, words = 200_000, 100
	var ids []int32
	for i := range n {
		w := int32(0)
		if i%2 == 1 {
			w = int32(1 + i/2%(words-1))
		}
		ids = append(ids, w)
	}
	kept, counts := keep(ids, words, 1)
	s := subsample(ids, []int{0, n}, words, kept, counts, Options{Window: 1, Seed: 3})
	seen := make([]int, words)
	for _, w := range s.ids[1 : len(s.ids)-1] {
		seen[w]++
	}
	share := frequent / float64(words) / 0.5
	assert.InEpsilon(t, n/2*(math.Sqrt(share)+share), seen[0], 0.02)
	for w := 1; w < words; w++ {
		assert.EqualValues(t, counts[w], seen[w])
	}
}

// Words weigh by the fourth root of their counts in a large corpus alone.
func TestWeights(t *testing.T) {
	counts := []int64{16, 1, 81}
	assert.Equal(t, []float64{1, 1, 1}, weights(counts, largeCorpus-1))
	assert.Equal(t, []float64{2, 1, 3}, weights(counts, largeCorpus))
}

// rowsOf returns m as dense rows.
func rowsOf(m *matrix) [][]float64 {
	var rows [][]float64
	for _, b := range m.blocks {
		for r := range len(b.start) - 1 {
			row := make([]float64, m.n)
			for e := b.start[r]; e < b.start[r+1]; e++ {
				row[b.cols[e]] = float64(b.vals[e])
			}
			rows = append(rows, row)
		}
	}
	return rows
}

// M against its formula, with counts from all pairs of a stream.
func TestPairs(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		const words = 70 // two blocks
		window := rapid.IntRange(1, 4).Draw(t, "window")
		texts := rapid.SliceOfN(rapid.SliceOfN(rapid.Int32Range(0, words-1), 0, 30), 1, 6).Draw(t, "texts")
		var ids []int32
		offsets := []int{0}
		var c [words][words]float64
		for _, text := range texts {
			ids = append(ids, text...)
			offsets = append(offsets, len(ids))
			for i, w := range text {
				for j, x := range text {
					if d := max(i-j, j-i); d > 0 && d <= window {
						c[w][x] += float64(window - d + 1)
					}
				}
			}
		}
		var of [words]int32
		var often [words]int64
		for w := range of {
			of[w], often[w] = int32(w), 1 // rare enough not to be thinned out
		}
		o := Options{Window: window, Workers: 2, MaxPairs: MaxPairs}
		s := subsample(ids, offsets, words, of[:], often[:], o)
		var g [words]float64
		for w := range g {
			g[w] = float64(w%3 + 1)
		}
		m := must.Get(pairs(context.Background(), s, g[:], o))(t)
		var n, smooth [words]float64
		var sum float64
		for w := range words {
			for _, x := range c[w] {
				n[w] += x
			}
			require.EqualValues(t, n[w], s.total[w])
			smooth[w] = math.Pow(n[w], 0.75)
			sum += smooth[w]
		}
		for w, row := range rowsOf(m) {
			for x, got := range row {
				want := 0.0
				if c[w][x] > 0 {
					pmi := func(a, b int) float64 { return math.Log(c[a][b] * sum / (n[a] * smooth[b])) }
					want = g[w] * g[x] * max(0, (pmi(w, x)+pmi(x, w))/2)
				}
				require.InDelta(t, want, got, 1e-5)
			}
		}
	})
}

// U·diag(λ)·Uᵀ gives back a matrix whose rank does not exceed dim.
func TestEigenOfLowRank(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 90).Draw(t, "n")
		rank := rapid.IntRange(1, 5).Draw(t, "rank")
		f := rapid.SliceOfN(rapid.Float64Range(-2, 2), n*rank, n*rank).Draw(t, "factors")
		m := newMatrix(n)
		size := 1.0
		for i := range n {
			b := &m.blocks[i/blockRows]
			if i%blockRows == 0 {
				b.start = []int{0}
			}
			for j := range n {
				v := 0.0
				for k := range rank {
					sign := float64(1 - 2*(k&1))
					v += sign * f[i*rank+k] * f[j*rank+k]
				}
				b.cols, b.vals = append(b.cols, int32(j)), append(b.vals, float32(v))
				size = max(size, math.Abs(v))
			}
			b.start = append(b.start, len(b.cols))
		}
		const dim = 6
		u, lambda := must.Get2(eigen(context.Background(), m, Options{Dim: dim, Workers: 2}))(t)
		for k := 1; k < dim; k++ {
			require.LessOrEqual(t, math.Abs(lambda[k]), math.Abs(lambda[k-1]))
		}
		for i, row := range rowsOf(m) {
			for j, want := range row {
				v := 0.0
				for k := range dim {
					v += float64(u[i*dim+k]) * lambda[k] * float64(u[j*dim+k])
				}
				require.InDelta(t, want, v, 1e-6*size*float64(n))
			}
		}
	})
}

// QᵀQ is the identity, but for columns that others make up: those are zero.
func TestOrthonormalise(t *testing.T) {
	const n, k = 200, 7
	q := make([]float32, n*k)
	for i := range n {
		for j := range k {
			q[i*k+j] = float32((i*i*(j+3) + 7*i*j) % 101)
		}
		q[i*k+4] = q[i*k] - 2*q[i*k+2]
		q[i*k+5] = 0
	}
	for range 2 {
		require.NoError(t, orthonormalise(context.Background(), q, k, 3))
	}
	g := must.Get(gram(context.Background(), q, q, k, 2))(t)
	for i := range k {
		for j := range k {
			want := 0.0
			if i == j && i != 4 && i != 5 {
				want = 1
			}
			assert.InDelta(t, want, g[i*k+j], 1e-6, "%d %d", i, j)
		}
	}
}
