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
	Warmup float64 // epochs over which the rate rises in a line, from that of the first step
	Epochs int     // cosine: where it reaches 0
	Steps  int     // of an epoch
}

// At returns the factor of the learning rate for the step after a (fractional) number of epochs.
// The t-th of W steps of a warm-up has t/W of the rate, so the first step moves, too (Vaswani et
// al. 2017, equation 3).
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
	if end := epoch + 1/float64(max(s.Steps, 1)); end < s.Warmup {
		f *= end / s.Warmup
	}
	return f
}
