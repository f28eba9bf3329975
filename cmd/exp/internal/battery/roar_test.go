package battery_test

import (
	"context"
	"math"
	"slices"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/battery"
	"imdbexp/cmd/exp/internal/scores"
	"imdbexp/dataset"
	"imdbexp/internal/testkit/testmodel"
)

// part makes of a subject's reviews what a run trains on.
func part(s *battery.Subject) *dataset.Encoded {
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
	run, pool := testmodel.Train(t, "tme9-simple", "lr=0.1")
	s := subject(t, run, pool)
	test, err := battery.Lookup("roar")
	require.NoError(t, err)
	r, err := test.Run(t.Context(), s)
	require.NoError(t, err)
	require.NotEmpty(t, r.Lacks)
	whole := part(s)
	given, closed := map[string][]*dataset.Encoded{}, false
	s.Retrain = func(context.Context) (*battery.Retraining, string, error) {
		return &battery.Retraining{
			Parts: []*dataset.Encoded{whole, whole}, Epochs: 3, Scores: []string{scores.Gradient, scores.Random},
			Seeds: 2, Train: func(_ context.Context, what string, seed int, parts []*dataset.Encoded, heard func(int)) (int, int, error) {
				heard(3)
				given[what] = parts
				return len(given) + 2*seed, 20, nil
			},
			Close: func() error { closed = true; return nil },
		}, "", nil
	}
	r, err = test.Run(t.Context(), s)
	require.NoError(t, err)
	require.True(t, closed)
	require.Len(t, given, 7)
	require.Equal(t, []*dataset.Encoded{whole, whole}, given["whole"])
	require.InDelta(t, 0.1, float64(value(t, r, "accuracy with all words", "gradient × input").Value), 1e-12)
	require.InDelta(t, 0.2, float64(value(t, r, "without 30 %", "gradient × input").Value), 1e-12)
	last := value(t, r, "without 50 %", "random")
	require.InDelta(t, 0.4, float64(last.Value), 1e-12)
	require.InDelta(t, 1, float64(last.High), 1e-12, "Student's interval over two seeds, 0.35 and 0.45, is long")

	gradient, err := scores.Lookup(scores.Gradient)
	require.NoError(t, err)
	list, err := s.Compute(t.Context(), gradient)
	require.NoError(t, err)
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
	figures, err := test.Draw(r, battery.Head{Name: "x"})
	require.NoError(t, err)
	_, err = figures[0].Inline()
	require.NoError(t, err)
}
