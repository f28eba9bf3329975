package explain

import (
	"cmp"
	"context"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset"
	"imdbexp/dataset/sample"
	"imdbexp/internal/infer"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testmodel"
)

// first returns the places of the largest weights of a text, in its order.
func first(weights []float32, share float64) []int {
	order := make([]int, len(weights))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(weights[b], weights[a]) })
	order = order[:int(math.Ceil(share*float64(len(weights))))]
	slices.Sort(order)
	return order
}

// erase runs the test of erasure with attention, gradient × input and random scores.
func erase(t *testing.T, s *Subject) *Result {
	t.Helper()
	s.only(scores.Attention, scores.Gradient, scores.Random)
	return must.Get(Named("erasure").Run(t.Context(), s))(t)
}

// erased returns the values of a statistic and a score, a share of words each.
func erased(r *Result, statistic, of string) (out []Value) {
	for _, v := range r.Values {
		if v.Statistic == statistic && v.Of == of {
			out = append(out, v)
		}
	}
	return out
}

// The numbers are those of texts that are written again without the words, and of
// the words alone.
func TestEraseAgainstTexts(t *testing.T) {
	run, _ := testmodel.Train(t, "tme9-simple", "lr=0.1")
	s := subject(t, run, 1, 20)
	r, m := erase(t, s), s.Model
	_, test := sample.Reviews()
	texts := map[string]string{}
	for _, r := range test {
		texts[r.ID] = r.Text
	}
	ask := func(words []string) *infer.View {
		return must.Get(m.View(strings.Join(words, " "), infer.Selection{}))(t)
	}
	for k, share := range []float64{0.01, 0.02, 0.05, 0.10, 0.20, 0.30, 0.40, 0.50} {
		var comprehensiveness, sufficiency float64
		for _, name := range s.Reviews.Names {
			words := strings.Fields(texts[name])
			whole := ask(words)
			chosen := first(whole.Weights, share)
			var without, alone []string
			for j, w := range words {
				if slices.Contains(chosen, j) {
					alone = append(alone, w)
				} else {
					without = append(without, w)
				}
			}
			comprehensiveness += float64(whole.P[whole.Class]-ask(without).P[whole.Class]) / 20
			sufficiency += float64(whole.P[whole.Class]-ask(alone).P[whole.Class]) / 20
		}
		v := erased(r, "comprehensiveness", "attention")[k]
		require.Equal(t, 20, v.N)
		require.InDelta(t, comprehensiveness, float64(v.Value), 1e-6)
		require.InDelta(t, sufficiency, float64(erased(r, "sufficiency", "attention")[k].Value), 1e-6)
		require.Greater(t, v.High, v.Value)
	}
}

// Without attention there are two scores; all words may go.
func TestEraseWithoutAttention(t *testing.T) {
	run, _ := testmodel.Train(t, "tme9-mean", "data.max_len=1")
	s := subject(t, run, 1, 4)
	r := erase(t, s)
	require.Empty(t, erased(r, "comprehensiveness", "attention"))
	gradient, random := erased(r, "comprehensiveness", "gradient × input"), erased(r, "comprehensiveness", "random")
	for k := range gradient {
		require.Equal(t, gradient[k].Value, random[k].Value, "the only word of a review")
	}
	require.Zero(t, erased(r, "ERASER sufficiency", "random")[0].Value)
	s.Texts, s.Reviews = nil, &infer.Split{}
	require.ErrorContains(t, s.answer(t.Context()), "no reviews")
}

// partOf makes of a subject's reviews what a run trains on.
func partOf(s *Subject) *dataset.Encoded {
	e := &dataset.Encoded{Offsets: []int{0}, Labels: s.Reviews.Labels, Names: s.Reviews.Names}
	for _, t := range s.Texts {
		e.IDs = append(e.IDs, t.Rows...)
		e.Offsets = append(e.Offsets, len(e.IDs))
	}
	return e
}

// What is trained on is every part's reviews without the words that come first by the
// score's size, in their order; and the numbers are shares of what comes out right.
func TestROAR(t *testing.T) {
	run, _ := testmodel.Train(t, "tme9-simple", "lr=0.1")
	s := subject(t, run, 1, 6)
	s.o.removed = []string{scores.Gradient, scores.Random}
	test := Named("roar")
	whole := partOf(s)
	given, closed := map[string][]*dataset.Encoded{}, false
	s.retrain = func(context.Context) (*retraining, string, error) {
		return &retraining{
			parts: []*dataset.Encoded{whole, whole},
			train: func(_ context.Context, what string, seed int, parts []*dataset.Encoded, heard func(int)) (int, int, error) {
				heard(3)
				given[what] = parts
				return len(given) + 2*seed, 20, nil
			},
			close: func() error { closed = true; return nil },
		}, "", nil
	}
	r := must.Get(test.Run(t.Context(), s))(t)
	require.True(t, closed)
	require.Len(t, given, 7)
	require.Equal(t, []*dataset.Encoded{whole, whole}, given["whole"])
	require.InDelta(t, 0.15, float64(value(t, r, "accuracy with all words", "gradient × input").Value), 1e-12)
	require.InDelta(t, 0.25, float64(value(t, r, "without 30 %", "gradient × input").Value), 1e-12)
	last := value(t, r, "without 50 %", "random")
	require.InDelta(t, 0.45, float64(last.Value), 1e-12)
	require.Greater(t, float64(last.High), 0.45+4.3*0.1/math.Sqrt(3), "Student's interval over three seeds, 0.35, 0.45 and 0.55")

	gradient := must.Get(scores.Lookup(scores.Gradient))(t)
	list := must.Get(s.Compute(t.Context(), gradient))(t)
	for i, of := range list {
		words, size := s.Texts[i].Rows, make([]float32, len(of))
		for k, v := range of {
			size[k] = float32(math.Abs(float64(v)))
		}
		taken := first(size, 0.3)
		var left []int32
		for k, row := range words {
			if !slices.Contains(taken, k) {
				left = append(left, row)
			}
		}
		for _, p := range given["gradient/1/0.3"] {
			require.Equal(t, left, p.Words(i))
			require.Equal(t, whole.Names, p.Names)
			require.Equal(t, whole.Labels, p.Labels)
		}
	}
	chance := given["random/1/0.5"]
	require.NotEqual(t, chance[0].IDs, chance[1].IDs, "train and test are drawn apart")
}
