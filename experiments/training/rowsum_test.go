package training

import (
	"maps"
	"slices"
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/simd"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

// rowSums adds up the gradients of equal words as the definition has it.
func rowSums(ids []int32, words ops.Mat, skip int32) (rows []int32, grads []float32) {
	sum := map[int32][]float32{}
	for i, id := range ids {
		switch {
		case id == skip:
		case sum[id] == nil:
			sum[id] = slices.Clone(words.Row(i))
		default:
			for j, v := range words.Row(i) {
				sum[id][j] += v
			}
		}
	}
	rows = slices.Sorted(maps.Keys(sum))
	for _, id := range rows {
		grads = append(grads, sum[id]...)
	}
	return rows, grads
}

// Batch after batch, for any number of workers and on every level of the kernels,
// the sums are those of the definition, bit by bit.
func TestRowSum(t *testing.T) {
	defer simd.Use(simd.Best())
	pools := []*ops.Pool{ops.NewPool(1), ops.NewPool(4)}
	for _, p := range pools {
		defer p.Close()
	}
	rapid.Check(t, func(t *rapid.T) {
		rows, dim := rapid.IntRange(1, 300).Draw(t, "rows"), rapid.IntRange(1, 70).Draw(t, "dim")
		var all []*rowSum
		for range pools {
			all = append(all, newRowSum(rows, dim))
		}
		skip := rapid.Int32Range(-1, min(1, int32(rows)-1)).Draw(t, "skip")
		for range 3 {
			// Low rows are frequent, as frequent words are; long batches are cut into parts.
			n := rapid.OneOf(rapid.IntRange(1, 20), rapid.IntRange(1000, 5000)).Draw(t, "words")
			key := rapid.Uint64().Draw(t, "batch")
			ids, words := make([]int32, n), ops.Mat{Rows: n, Cols: dim, Data: make([]float32, n*dim)}
			simd.Normal(words.Data, key, 0, 1)
			for i := range ids {
				r := simd.Float64(key, uint64(i))
				ids[i] = min(int32(r*r*r*float64(rows)), int32(rows-1))
			}
			wantRows, wantGrads := rowSums(ids, words, skip)
			for _, level := range simd.Levels() {
				require.NoError(t, simd.Use(level))
				for i, s := range all {
					s.sort(ids, skip)
					gotRows, gotGrads, err := s.sum(pools[i], words)
					require.NoError(t, err)
					require.True(t, slices.Equal(wantRows, gotRows), "%v", level)
					require.True(t, slices.Equal(wantGrads, gotGrads), "%v", level)
				}
			}
		}
	})
}

// What a batch costs in garbage has nothing to do with its words.
func TestRowSumGarbage(t *testing.T) {
	pool := ops.NewPool(1)
	defer pool.Close()
	s := newRowSum(1000, 50)
	ids := make([]int32, 5000)
	for i := range ids {
		ids[i] = int32(i * i % 997)
	}
	words := ops.Mat{Rows: len(ids), Cols: 50, Data: make([]float32, len(ids)*50)}
	require.LessOrEqual(t, testing.AllocsPerRun(10, func() {
		s.sort(ids, -1)
		if _, _, err := s.sum(pool, words); err != nil {
			t.Error(err)
		}
	}), 5.0)
}
