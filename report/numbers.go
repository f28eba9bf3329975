package report

import (
	"math"

	"imdbexp/runs"
)

// Numbers are the metrics of one epoch: accuracies in percent, losses and entropies in nats, NaN if
// missing.
type Numbers struct {
	Epoch                     int // 0 before the first
	TrainLoss, TrainAcc       float64
	ValidLoss, ValidAcc       float64
	TestLoss, TestAcc         float64
	TestExact, TestBLEU       float64 // of translations: exact match in percent, and BLEU
	TrainEntropy, TestEntropy float64
	Score                     float64 // the test score of the run's task; only Result.Numbers sets it

	all *runs.Metrics // see Metric
}

// Metric returns any metric of the epoch.
func (n Numbers) Metric(m runs.Metric) float64 {
	if n.all == nil {
		return math.NaN()
	}
	return OrNaN(m.Of(n.all))
}

// NumbersOf takes the metrics of one epoch; nil gives NaNs.
func NumbersOf(m *runs.Metrics) Numbers {
	if m == nil {
		m = &runs.Metrics{}
	}
	return Numbers{
		Epoch:     m.Epoch,
		TrainLoss: OrNaN(m.TrainLoss), TrainAcc: OrNaN(m.TrainAcc),
		ValidLoss: OrNaN(m.ValidLoss), ValidAcc: OrNaN(m.ValidAcc),
		TestLoss: OrNaN(m.TestLoss), TestAcc: OrNaN(m.TestAcc),
		TestExact: OrNaN(m.TestExact), TestBLEU: OrNaN(m.TestBLEU),
		TrainEntropy: OrNaN(m.TrainEntropy), TestEntropy: OrNaN(m.TestEntropy),
		Score: math.NaN(), all: m,
	}
}

// PublishedNumbers takes the numbers of a published row, where zero means none.
func PublishedNumbers(p *runs.Published) Numbers {
	number := func(v float64) *float64 {
		if v == 0 {
			return nil
		}
		return &v
	}
	return NumbersOf(&runs.Metrics{
		Epoch:     p.Epochs,
		TrainLoss: number(p.TrainLoss), TestLoss: number(p.TestLoss),
		TrainAcc: number(p.TrainAcc), TestAcc: number(p.TestAcc),
	})
}

// OrNaN returns a metric, or NaN if it is missing.
func OrNaN(p *float64) float64 {
	if p == nil {
		return math.NaN()
	}
	return *p
}

// TestAcc picks the test accuracy.
func TestAcc(n Numbers) float64 { return n.TestAcc }

// ValidAcc picks the accuracy on the validation split.
func ValidAcc(n Numbers) float64 { return n.ValidAcc }

// Score picks the test score of the run's task.
func Score(n Numbers) float64 { return n.Score }
