package training

import (
	"context"
	"maps"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/dataset"
	"imdbexp/dataset/embedding"
	"imdbexp/experiments/task"
	"imdbexp/internal/ops"
	"imdbexp/internal/ragged"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/internal/testkit/must"
	"imdbexp/models"
	"imdbexp/runs"
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
	th := newWordDrop(0.3, 1)
	kept := make([]float64, words)
	first := []int32(nil)
	for step := range 20 {
		got := th.drop(&b, uint64(step))
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
		again := append([]int32(nil), newWordDrop(0.3, 1).drop(&b, uint64(step)).IDs...)
		require.Equal(t, first, again, "by seed, step, review and place")
	}
	all := 0.0
	for _, n := range kept {
		all += n
		require.InDelta(t, 0.7, n/(20*reviews), 0.07)
	}
	require.InDelta(t, 0.7, all/(20*reviews*words), 0.005)
}

// drawSums draws what some steps may have given.
func drawSums(t *rapid.T) *sums {
	n := rapid.IntRange(1, 40).Draw(t, "reviews")
	positions := n
	if rapid.Bool().Draw(t, "translates") {
		positions = rapid.IntRange(2*n, 9*n).Draw(t, "positions")
	}
	sum := &sums{
		loss: rapid.Float64().Draw(t, "loss"), norm: rapid.Float64().Draw(t, "norm"), seconds: rapid.Float64().Draw(t, "seconds"),
		reviews: n, positions: positions, right: rapid.IntRange(0, positions).Draw(t, "right"), words: rapid.IntRange(0, 9999).Draw(t, "words"),
		steps: rapid.IntRange(1, n).Draw(t, "steps"),
	}
	if rapid.Bool().Draw(t, "attends") {
		sum.entropies = rapid.SliceOfN(rapid.Float32(), n, n).Draw(t, "entropies")
	}
	heads := rapid.IntRange(1, 3).Draw(t, "heads")
	for range rapid.IntRange(0, 3).Draw(t, "layers") {
		var layer []headSums
		for range heads {
			h := newHeadSums()
			for range rapid.IntRange(0, 5).Draw(t, "values") {
				h.add(rapid.Float64Range(0, 10).Draw(t, "entropy"), 9)
			}
			layer = append(layer, h)
		}
		sum.heads = append(sum.heads, layer)
	}
	return sum
}

func TestSumsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		want := drawSums(t)
		var c runs.Checkpoint
		want.save(&c)
		require.Equal(t, want.steps, c.Step)
		got := must.Get(keptSums(&c, want.reviews))(t)
		if len(got.entropies) == 0 {
			got.entropies = nil
		}
		require.Equal(t, want, got)
	})
}

// What does not fit is an error, never a panic.
func TestSumsThatDoesNotFit(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		sum := drawSums(t)
		var c runs.Checkpoint
		sum.save(&c)
		require.ErrorContains(t, must.Fail(keptSums(&c, sum.reviews+1)), "reviews seen in")
		i := rapid.IntRange(0, len(c.Sums)-1).Draw(t, "tensor")
		x := &c.Sums[i]
		switch d := x.Data.(type) {
		case []float32:
			return
		case []float64:
			x.Data = d[1:]
		case []int64:
			x.Data = rapid.SampledFrom([]any{d[1:], append(slices.Clone(d), 1), []float64{1}}).Draw(t, "data")
		}
		require.Error(t, must.Fail(keptSums(&c, sum.reviews)), x.Name)
	})
}

// A clock that stands still, or is set back, gives no speed.
func TestTiming(t *testing.T) {
	for seconds, want := range map[float64]runs.Timing{
		2:  {Epoch: 3, Seconds: 2, Words: 50},
		0:  {Epoch: 3},
		-9: {Epoch: 3},
	} {
		require.Equal(t, want, (&sums{words: 100, seconds: seconds}).timing(3))
	}
}

// The score of a training review comes from a fit that has not seen its label: another label changes
// the scores of other folds, but not those of its own fold.
func TestWideScoresOfTrainAreOfOthers(t *testing.T) {
	pool := ops.NewPool(1)
	defer pool.Close()
	scores := func(exchanged bool) (own []float32, w *ngramInput) {
		train := &dataset.Encoded{Offsets: []int{0}}
		for b := range 24 {
			y := int32(b % 2)
			words := []int32{1 + y, 3 + int32(b%5), 1 + int32(b/2%2), 8 + int32(b%3)}
			train.IDs = append(train.IDs, words...)
			train.Offsets = append(train.Offsets, len(train.IDs))
			if exchanged && b >= 22 {
				y = 1 - y
			}
			train.Labels = append(train.Labels, y)
		}
		d := &task.Data{Train: train, Classes: []string{"neg", "pos"}, Table: embedding.NewTable([]string{"", "bad", "good", "a", "b", "c", "d", "e", "f", "g", "h"}, make([]float32, 11), 1, embedding.OOVMean)}
		w = newNgramInput(&models.LSTM{Wide: models.Wide{Counter: "nbsvm", Folds: 3}}, new(settings.Run), d, pool)
		var told []Fit
		require.NoError(t, w.ready(context.Background(), func(f Fit) { told = append(told, f) }))
		require.Equal(t, Fit{What: "finding n-grams", Total: 5}, told[0])
		require.Equal(t, Fit{What: "fitting n-grams without part 3 of 3", Done: 3, Total: 5}, told[3])
		require.Equal(t, Fit{What: "n-grams fitted", Done: 5, Total: 5, Weights: w.scorer.Features.Len()}, told[5])
		require.NoError(t, w.ready(context.Background(), func(Fit) { t.Error("fitted again") }))
		own = must.Get(w.score(train))(t)
		require.Len(t, own, 2*train.Len())
		again := must.Get(w.scorer.Matrix(pool, worded{train}, d.Table.Words))(t)
		all := must.Get(w.scorer.Scores(pool, again))(t)
		require.NotEqual(t, all, own, "the fit on all is for other reviews")
		return own, w
	}
	before, _ := scores(false)
	// The last review of each class gets the other's label, so all reviews keep their folds.
	after, _ := scores(true)
	other := 0
	for b := range 24 {
		if b >= 16 {
			require.Equal(t, before[2*b:2*b+2], after[2*b:2*b+2], "review %d is in the last fold, and scored by fits without it", b)
		} else if before[2*b] != after[2*b] {
			other++
		}
	}
	require.Positive(t, other)
}

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
			simd.Uniform(words.Data, key, -1, 1)
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
