package optim_test

import (
	"math"
	"testing"

	"imdbexp/internal/optim"

	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"
)

func TestSchedule(t *testing.T) {
	for _, c := range []struct {
		name string
		s    optim.Schedule
		at   map[float64]float64
	}{
		{"constant", optim.Schedule{Kind: "constant"}, map[float64]float64{0: 1, 3.5: 1, 1000: 1}},
		{"constant, warm-up", optim.Schedule{Kind: "constant", Warmup: 2, Steps: 4}, map[float64]float64{0: 0.125, 0.25: 0.25, 1.5: 0.875, 1.75: 1, 2: 1, 9: 1}},
		{"step", optim.Schedule{Kind: "step", Every: 10, Factor: 0.1}, map[float64]float64{0: 1, 9.999: 1, 10: 0.1, 19.5: 0.1, 20: 0.01}},
		{"step, warm-up", optim.Schedule{Kind: "step", Every: 1, Factor: 0.5, Warmup: 4, Steps: 2}, map[float64]float64{0: 0.125, 1: 0.1875, 2: 5. / 32, 4: 1. / 16, 5: 1. / 32}},
		{"cosine", optim.Schedule{Kind: "cosine", Epochs: 8}, map[float64]float64{0: 1, 2: (1 + math.Sqrt2/2) / 2, 4: 0.5, 6: (1 - math.Sqrt2/2) / 2, 8: 0}},
		{"cosine, warm-up", optim.Schedule{Kind: "cosine", Epochs: 10, Warmup: 2, Steps: 10}, map[float64]float64{0: 0.05, 0.9: 0.5, 2: 1, 6: 0.5, 10: 0}},
		{"cosine past its end", optim.Schedule{Kind: "cosine", Epochs: 4}, map[float64]float64{5: 0, 100: 0}},
		{"a warm-up longer than the run", optim.Schedule{Kind: "cosine", Epochs: 3, Warmup: 6, Steps: 10}, map[float64]float64{0: 1. / 60, 0.9: 1. / 6, 2.3: 0.4, 2.9: 0.5}},
		{"a warm-up as long as the run", optim.Schedule{Kind: "cosine", Epochs: 3, Warmup: 3, Steps: 2}, map[float64]float64{0: 1. / 6, 1: 0.5, 2.5: 1, 3: 1}},
	} {
		t.Run(c.name, func(t *testing.T) {
			for epoch, want := range c.at {
				require.InDelta(t, want, c.s.At(epoch), 1e-12, "after %v epochs", epoch)
			}
		})
	}
}

// Whatever the settings, the factor is a number from 0 to 1.
func TestScheduleRange(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := optim.Schedule{
			Kind:   rapid.SampledFrom([]string{"constant", "step", "cosine"}).Draw(t, "kind"),
			Every:  rapid.IntRange(1, 20).Draw(t, "every"),
			Factor: rapid.Float64Range(0, 1).Draw(t, "factor"),
			Warmup: rapid.Float64Range(0, 20).Draw(t, "warmup"),
			Epochs: rapid.IntRange(1, 20).Draw(t, "epochs"),
			Steps:  rapid.IntRange(1, 20).Draw(t, "steps"),
		}
		f := s.At(rapid.Float64Range(0, 25).Draw(t, "epoch"))
		require.GreaterOrEqual(t, f, 0.0)
		require.LessOrEqual(t, f, 1.0)
	})
}
