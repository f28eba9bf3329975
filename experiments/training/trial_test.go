package training_test

import (
	"context"
	"testing"

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
