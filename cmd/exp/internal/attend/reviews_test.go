package attend

import (
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/runs"
)

func TestSmallest(t *testing.T) {
	row := func(id string, label, predicted int, p ...float32) runs.Prediction {
		return runs.Prediction{Review: id, Label: label, Predicted: predicted, P: p}
	}
	rows := []runs.Prediction{
		row("right", 0, 0, 0.9, 0.1), row("sure", 1, 1, 1e-9, 1), row("surer", 1, 1, 1e-12, 1), row("wrong", 0, 1, 0.2, 0.8),
		row("unlabelled", -1, 0, 1, 0), row("sure and wrong", 1, 0, 0.99, 0.01),
	}
	names := func(n int, holds func(runs.Prediction) bool, by func(runs.Prediction) float64) (out []string) {
		for _, r := range smallest(rows, n, holds, by) {
			out = append(out, r.Review)
		}
		return out
	}
	right := func(r runs.Prediction) bool { return r.Predicted == r.Label }
	require.Equal(t, []string{"surer", "sure", "right"}, names(9, right, doubt), "1 − 1e-9 and 1 − 1e-12 are the same float32")
	require.Equal(t, []string{"surer"}, names(1, right, doubt))
	all := func(runs.Prediction) bool { return true }
	require.Equal(t, []string{"sure and wrong", "wrong"}, names(2, all, func(r runs.Prediction) float64 { return float64(r.P[r.Label]) }))
	require.Empty(t, names(0, right, doubt))
}
