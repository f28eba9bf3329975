package training_test

import (
	"context"
	"fmt"
	"math"
	"strings"
	"testing"

	"imdbexp/experiments/training"
	"imdbexp/internal/testkit/testrun"

	"github.com/stretchr/testify/require"
)

func TestOverfit(t *testing.T) {
	r := testrun.Runner(t, t.TempDir(), 1)
	p := testrun.Plan(t, "tme9-lstm", append([]string{"dropout=0.5"}, testrun.Few...)...)
	o, err := r.Overfit(context.Background(), p, 0.01)
	require.NoError(t, err)
	require.True(t, o.Reached)
	require.Less(t, o.Last, 0.01)
	require.Greater(t, o.First, 0.5)
	require.Equal(t, 16, o.Reviews)
	require.Empty(t, o.Dead())
	require.NotEmpty(t, o.Gradients)
}

// A ReLU that holds both logits at zero leaves no gradient, and the weights are named.
func TestOverfitNamesDeadWeights(t *testing.T) {
	r := testrun.Runner(t, t.TempDir(), 1)
	for seed := range 40 {
		p := testrun.Plan(t, "tme9-values", append([]string{"slip.relu_logits=true", "seed=" + string(rune('0'+seed%10)) + string(rune('0'+seed/10))}, testrun.Few...)...)
		o, err := r.Overfit(context.Background(), p, 10) // one step tells
		require.NoError(t, err)
		if len(o.Dead()) == len(o.Gradients) {
			require.Contains(t, o.Dead(), "out.W")
			return
		}
	}
	t.Fatal("no seed of forty has two dead logits")
}

func TestFindLR(t *testing.T) {
	r := testrun.Runner(t, t.TempDir(), 1)
	p := testrun.Plan(t, "tme9-mean", "data=sample", "data.limit=200", "batch=16")
	steps := 0
	s, err := r.FindLR(context.Background(), p, func(done, total int) { steps = done })
	require.NoError(t, err)
	require.Equal(t, steps, len(s.LR))
	require.Len(t, s.Loss, len(s.LR))
	require.IsIncreasing(t, s.LR)
	require.Equal(t, 0.01, p.Run.LR, "the plan is left as it was")
	lr, ok := s.Suggested()
	least, _ := s.Minimum()
	require.True(t, ok)
	require.InDelta(t, least/2, lr, 1e-12)
	require.Greater(t, lr, 1e-4)

	_, fell := (&training.LRSweep{}).Minimum()
	require.False(t, fell)
	flat := &training.LRSweep{}
	for i := range 400 {
		flat.LR, flat.Loss = append(flat.LR, 1e-5*math.Pow(10, float64(i)/70)), append(flat.Loss, 0.69+0.001*float64(i%3))
	}
	_, fell = flat.Minimum()
	require.False(t, fell, "noise is no fall")
}

// A model learns at the rate that is suggested for it.
func TestSuggestedRateLearns(t *testing.T) {
	r := testrun.Runner(t, t.TempDir(), 2)
	try := map[string]float64{"tme9-mean": 57, "tme9-simple": 63, "tme9-values": 71, "tme9-simple optimizer=sgd": 60}
	if testrun.Long() {
		for words, acc := range map[string]float64{
			"tme9-lstm": 85, "luong": 85, "additive": 85, "transformer": 70, "tme10-self": 72, "multihead": 70, "tme9-lstm optimizer=sgd": 65,
		} {
			try[words] = acc
		}
	}
	for words, acc := range try {
		w := append(strings.Fields(words), "data=sample")
		s, err := r.FindLR(t.Context(), testrun.Plan(t, w[0], w[1:]...), func(int, int) {})
		require.NoError(t, err)
		lr, ok := s.Suggested()
		require.True(t, ok, words)
		m, err := testrun.Train(t, r, testrun.Plan(t, w[0], append(w[1:], fmt.Sprintf("lr=%.2g", lr))...)).Chosen()
		require.NoError(t, err)
		t.Logf("%s: lr=%.2g, %.1f %%", words, lr, *m.TestAcc)
		require.Greater(t, *m.TestAcc, acc, "%s lr=%.2g", words, lr)
	}
}
