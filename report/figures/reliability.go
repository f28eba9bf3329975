package figures

import (
	"cmp"
	"slices"

	"imdbexp/report/stats"
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
		if rated(r) {
			all = append(all, review{confidence: float64(r.P[r.Predicted]), right: r.Label == r.Predicted})
		}
	}
	slices.SortFunc(all, func(a, b review) int { return cmp.Compare(a.confidence, b.confidence) })
	var out []ReliabilityBin
	stats.EqualParts(len(all), bins, func(i, j int) bool { return all[i].confidence == all[j].confidence }, func(from, to int) {
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

// CalibrationError returns the expected calibration error of the reviews of known
// label, 0 … 1, over bins of equal width: that of exp predict, see stats.Scores. It is
// NaN without such reviews.
func CalibrationError(p *runs.Predictions) float64 {
	s := stats.NewScores(len(p.Classes))
	for _, r := range p.Rows {
		if rated(r) {
			s.Add(r.Label, r.Predicted, r.P)
		}
	}
	return s.ECE()
}

// rated reports whether a prediction has a confidence that can be right or wrong.
func rated(r runs.Prediction) bool { return r.Label >= 0 && r.P[r.Predicted] >= 0 } // not NaN
