package optim

import (
	"math"

	"imdbexp/internal/simd"
)

// Schedule is a learning rate schedule.
type Schedule struct {
	Kind   string  // "constant", "step" or "cosine"
	Every  int     // step: epochs between two cuts
	Factor float64 // step: factor of a cut
	Warmup float64 // epochs over which the rate rises from 0 in a line
	Epochs int     // cosine: where it reaches 0
}

// At returns the factor of the learning rate after a (fractional) number of epochs.
func (s Schedule) At(epoch float64) float64 {
	f := 1.0
	switch s.Kind {
	case "step":
		for range int(epoch) / s.Every {
			f *= s.Factor
		}
	case "cosine":
		// From the end of the warm-up to the last epoch (Loshchilov and Hutter 2017).
		if epoch > s.Warmup {
			part := (epoch - s.Warmup) / (max(float64(s.Epochs), epoch) - s.Warmup)
			f = (1 + simd.Cos64(math.Pi*part)) / 2
		}
	}
	if epoch < s.Warmup {
		f *= epoch / s.Warmup
	}
	return f
}
