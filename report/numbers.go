package report

import (
	"math"

	"imdbexp/runs"
)

// Numbers are the metrics of one epoch: accuracies in percent, losses and
// entropies in nats, NaN where there is none.
type Numbers struct {
	Epoch                     int // 0 before the first
	TrainLoss, TrainAcc       float64
	ValidLoss, ValidAcc       float64
	TestLoss, TestAcc         float64
	TestExact, TestBLEU       float64 // of translations: exact match in percent, and BLEU
	TrainEntropy, TestEntropy float64
}

// numbers takes the metrics of one epoch; nil gives NaNs.
func numbers(m *runs.Metrics) Numbers {
	if m == nil {
		m = &runs.Metrics{}
	}
	return Numbers{
		Epoch:     m.Epoch,
		TrainLoss: value(m.TrainLoss), TrainAcc: value(m.TrainAcc),
		ValidLoss: value(m.ValidLoss), ValidAcc: value(m.ValidAcc),
		TestLoss: value(m.TestLoss), TestAcc: value(m.TestAcc),
		TestExact: value(m.TestExact), TestBLEU: value(m.TestBLEU),
		TrainEntropy: value(m.TrainEntropy), TestEntropy: value(m.TestEntropy),
	}
}

// published takes the numbers of a published row, where zero means none.
func published(p *runs.Published) Numbers {
	number := func(v float64) *float64 {
		if v == 0 {
			return nil
		}
		return &v
	}
	return numbers(&runs.Metrics{
		Epoch:     p.Epochs,
		TrainLoss: number(p.TrainLoss), TestLoss: number(p.TestLoss),
		TrainAcc: number(p.TrainAcc), TestAcc: number(p.TestAcc),
	})
}

func value(p *float64) float64 {
	if p == nil {
		return math.NaN()
	}
	return *p
}

// oracle returns the metrics of the first epoch with the best test accuracy;
// nil when no epoch has one.
func oracle(epochs []runs.Metrics) *runs.Metrics {
	var best *runs.Metrics
	for i := range epochs {
		if m := &epochs[i]; m.TestAcc != nil && (best == nil || *m.TestAcc > *best.TestAcc) {
			best = m
		}
	}
	return best
}
