package beside

import (
	"strings"

	"imdbexp/report"
	"imdbexp/runs"
)

// Point is one epoch on the curves: losses and entropies in nats, accuracies in
// percent, null where there is none.
type Point struct {
	Epoch        int      `json:"epoch"`
	TrainLoss    *float64 `json:"train_loss"`
	ValidLoss    *float64 `json:"valid_loss"`
	TestLoss     *float64 `json:"test_loss"`
	TrainAcc     *float64 `json:"train_acc"`
	ValidAcc     *float64 `json:"valid_acc"`
	TestAcc      *float64 `json:"test_acc"`
	TestExact    *float64 `json:"test_exact"` // of translations, whose accuracies are of the next words
	TrainEntropy *float64 `json:"train_entropy"`
	TestEntropy  *float64 `json:"test_entropy"`
}

// PointOf returns that of metrics.
func PointOf(m runs.Metrics) Point {
	return Point{m.Epoch, m.TrainLoss, m.ValidLoss, m.TestLoss, m.TrainAcc, m.ValidAcc, m.TestAcc, m.TestExact, m.TrainEntropy, m.TestEntropy}
}

// Entropies are histograms of the entropy of the attention at one place of the
// model.
type Entropies struct {
	Share      bool             `json:"share"`   // of log n, instead of nats
	Uniform    float64          `json:"uniform"` // entropy of uniform attention; 0: not marked, padding takes part
	At         string           `json:"at"`      // the length of a review it is of, see report.Uniform
	Histograms []runs.Histogram `json:"histograms"`
}

// EntropiesAt returns those of one place of the model; uniform is asked only where it is marked.
func EntropiesAt(all []runs.Histogram, where string, uniform func() report.Uniform) Entropies {
	out := Entropies{Share: strings.HasSuffix(where, ofLogN), Uniform: 1, Histograms: []runs.Histogram{}}
	if !out.Share { // of as many words as there were
		u := uniform()
		out.Uniform, out.At = u.Nats, u.At
	}
	for _, h := range all {
		if h.Where == where && len(h.Counts) > 0 {
			out.Histograms = append(out.Histograms, h)
		}
	}
	return out
}

// ofLogN ends the name of a place whose entropies are given as a share of log n.
const ofLogN = "of log n"

// Wheres returns the places of which there are histograms, in their order.
func Wheres(list []runs.Histogram) []string {
	out, seen := []string{}, map[string]bool{}
	for _, h := range list {
		if !seen[h.Where] {
			seen[h.Where] = true
			out = append(out, h.Where)
		}
	}
	return out
}
