package training

import (
	"testing"

	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/models"

	"github.com/stretchr/testify/require"
)

// The running mean is that of all steps at first, then it forgets; swapped twice it is
// where it was.
func TestAverage(t *testing.T) {
	pool := ops.NewPool(1)
	defer pool.Close()
	n := averaged + 3 // more than a worker takes at a time
	w := []*models.Weight{{Name: "w", Rows: 1, Cols: n, Data: make([]float32, n)}}
	a := newAverage(0.75, w, pool)
	want, sum := 0.0, 0.0
	for step := 1; step <= 8; step++ {
		x := float64(step * step)
		for i := range w[0].Data {
			w[0].Data[i] = float32(x)
		}
		require.NoError(t, a.add(w, int64(step)))
		if sum += x; step <= 4 {
			want = sum / float64(step)
		} else {
			want += 0.25 * (x - want)
		}
		require.InDelta(t, want, a.mean[0][0], 1e-4)
		require.Equal(t, a.mean[0][0], a.mean[0][n-1])
	}
	a.swap(w)
	require.InDelta(t, want, w[0].Data[n-1], 1e-4)
	require.EqualValues(t, 64, a.mean[0][0])
	a.swap(w)
	require.EqualValues(t, 64, w[0].Data[0])
}

// Words go one by one, each as likely, others at each step; what is left keeps its order,
// longer reviews stand first, and none is without a word.
func TestThinner(t *testing.T) {
	var b ragged.Batch
	b.Reset(false)
	const words, reviews = 200, 50
	ids := make([]int32, words)
	for i := range ids {
		ids[i] = int32(i + 1)
	}
	for r := range reviews {
		b.Add(int32(100+r), int32(r%2), ids)
	}
	b.Add(7, 1, ids[:1])
	th := newThinner(0.3, 1)
	kept := make([]float64, words)
	first := []int32(nil)
	for step := range 20 {
		got := th.thin(&b, uint64(step))
		require.Equal(t, b.Len(), got.Len())
		require.NotEqual(t, first, got.IDs, "other words at each step")
		first = append(first[:0], got.IDs...)
		for i, r := range got.Reviews {
			own := got.IDs[got.Offsets[i]:got.Offsets[i+1]]
			require.NotEmpty(t, own)
			require.IsIncreasing(t, append([]int32{0}, own...))
			if i > 0 {
				require.LessOrEqual(t, len(own), got.Offsets[i]-got.Offsets[i-1])
			}
			if r == 7 {
				require.Equal(t, ids[:1], own, "the one word stays")
				continue
			}
			require.EqualValues(t, r%2, got.Labels[i], "with its label")
			for _, id := range own {
				kept[id-1]++
			}
		}
		again := append([]int32(nil), newThinner(0.3, 1).thin(&b, uint64(step)).IDs...)
		require.Equal(t, first, again, "by seed, step, review and place")
	}
	all := 0.0
	for _, n := range kept {
		all += n
		require.InDelta(t, 0.7, n/(20*reviews), 0.07)
	}
	require.InDelta(t, 0.7, all/(20*reviews*words), 0.005)
}
