package report

import (
	"cmp"
	"math"
	"slices"

	"imdbexp/runs"
)

// CalibrationBins is how many bins the reliability of predictions is shown in.
const CalibrationBins = 12

// ReliabilityBin is a part of the reviews, of like confidence.
type ReliabilityBin struct {
	Reviews    int
	Confidence float64 // mean probability of the predicted class, 0 … 1
	Accuracy   float64 // share of the predictions that are right, 0 … 1
}

// Reliability parts the reviews of known label into at most so many bins of equal
// number, by rising confidence: the probability of the predicted class. Reviews of
// the same confidence stay in one bin, so that the order of the file has no say.
// See Guo et al. 2017; for bins of equal number, Nguyen and O'Connor 2015.
func Reliability(p *runs.Predictions, bins int) []ReliabilityBin {
	type review struct {
		confidence float64
		right      bool
	}
	var all []review
	for _, r := range p.Rows {
		if r.Label >= 0 && r.P[r.Predicted] >= 0 { // not NaN
			all = append(all, review{float64(r.P[r.Predicted]), r.Label == r.Predicted})
		}
	}
	slices.SortFunc(all, func(a, b review) int { return cmp.Compare(a.confidence, b.confidence) })
	var out []ReliabilityBin
	equalParts(len(all), bins, func(i, j int) bool { return all[i].confidence == all[j].confidence }, func(from, to int) {
		b := ReliabilityBin{Reviews: to - from}
		for _, r := range all[from:to] {
			b.Confidence += r.confidence
			if r.right {
				b.Accuracy++
			}
		}
		b.Confidence, b.Accuracy = b.Confidence/float64(b.Reviews), b.Accuracy/float64(b.Reviews)
		out = append(out, b)
	})
	return out
}

// CalibrationError returns the expected calibration error of the bins: the mean
// over the reviews of |accuracy − confidence| of their bin, 0 … 1 (Naeini et al.
// 2015; Guo et al. 2017, eq. 3). Bins of equal number give another value than those of
// equal width do: say which. It is NaN without reviews.
func CalibrationError(bins []ReliabilityBin) float64 {
	sum, reviews := 0.0, 0
	for _, b := range bins {
		sum += float64(float64(b.Reviews) * math.Abs(b.Accuracy-b.Confidence))
		reviews += b.Reviews
	}
	if reviews == 0 {
		return math.NaN()
	}
	return sum / float64(reviews)
}

// equalParts calls part with at most so many ranges that cover 0 … n−1 in order,
// each of n/parts items or, where same(i, j) holds across its end, as many more.
func equalParts(n, parts int, same func(i, j int) bool, part func(from, to int)) {
	from := 0
	for i := range parts {
		to := (i + 1) * n / parts
		if to <= from {
			continue // the part before took these, or there are fewer items than parts
		}
		for to < n && same(to-1, to) {
			to++
		}
		part(from, to)
		from = to
	}
}
