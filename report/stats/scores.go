package stats

import (
	"cmp"
	"math"
)

// ECEBins is the number of equal bins of [0, 1] that ECE sorts confidences into.
const ECEBins = 15

// Scores adds up how well predictions fit known labels, one review at a time, in
// constant memory.
type Scores struct {
	Confusion
	brier float64
	bins  [ECEBins]struct {
		right      int
		confidence float64
	}
}

// NewScores starts with no reviews and the given number of classes.
func NewScores(classes int) *Scores {
	return &Scores{Confusion: NewConfusion(classes)}
}

// Add counts a review with its label, the class predicted and the probability of each class.
func (s *Scores) Add(label, predicted int, p []float32) {
	s.Confusion[label][predicted]++
	for c, v := range p {
		d := float64(v)
		if c == label {
			d--
		}
		s.brier += float64(d * d)
	}
	confidence := float64(p[predicted])
	b := &s.bins[min(max(int(math.Ceil(confidence*ECEBins))-1, 0), ECEBins-1)]
	b.confidence += confidence
	if label == predicted {
		b.right++
	}
}

// ECE returns the expected calibration error: reviews are sorted by the probability
// of their predicted class into 15 bins of equal width, (b/15, (b+1)/15], and
//
//	ECE = Σ_b n_b/n · |accuracy_b − mean confidence_b|
//
// (Naeini et al. 2015; Guo et al. 2017, eq. 3). 0 is perfect.
func (s *Scores) ECE() float64 {
	sum := 0.0
	for _, b := range s.bins {
		sum += math.Abs(float64(b.right) - b.confidence)
	}
	return sum / float64(s.N())
}

// Brier returns the mean over the reviews of Σ_c (p_c − y_c)², with y_c = 1 for the
// label and 0 for other classes (Brier 1950): from 0, sure and right, to 2.
func (s *Scores) Brier() float64 { return s.brier / float64(s.N()) }

// Confusion counts reviews by label and predicted class: Confusion[label][predicted].
type Confusion [][]int

// NewConfusion returns a table of n classes without reviews.
func NewConfusion(n int) Confusion {
	c := make(Confusion, n)
	for i := range c {
		c[i] = make([]int, n)
	}
	return c
}

// Sums returns the number of reviews with each label, of predictions of each class, and of all.
func (c Confusion) Sums() (labels, predicted []int, all int) {
	labels, predicted = make([]int, len(c)), make([]int, len(c))
	for i, row := range c {
		for j, n := range row {
			labels[i] += n
			predicted[j] += n
			all += n
		}
	}
	return labels, predicted, all
}

// N returns the number of reviews.
func (c Confusion) N() int {
	_, _, n := c.Sums()
	return n
}

// Right returns the number of reviews whose label was predicted.
func (c Confusion) Right() (right int) {
	for i := range c {
		right += c[i][i]
	}
	return right
}

// Accuracy returns the share of reviews whose label was predicted; NaN without reviews.
func (c Confusion) Accuracy() float64 { return float64(c.Right()) / float64(c.N()) }

// Of returns precision, recall and F1 of a class. They are NaN without predictions of the class,
// without reviews of it, or without either.
func (c Confusion) Of(class int) (precision, recall, f1 float64) {
	labels, predicted, _ := c.Sums()
	hits := float64(c[class][class])
	return hits / float64(predicted[class]), hits / float64(labels[class]), 2 * hits / float64(predicted[class]+labels[class])
}

// Kappa returns Cohen's κ with quadratic weights (Cohen 1968), of classes whose values are given:
//
//	κ = 1 − Σ O(i, j)·(vᵢ − vⱼ)² / Σ E(i, j)·(vᵢ − vⱼ)²
//
// O are the shares of the table and E those of independent labels and predictions. It is NaN if all
// labels and predictions are of one class.
func (c Confusion) Kappa(values []float64) float64 {
	labels, predicted, all := c.Sums()
	observed, expected := 0.0, 0.0
	for i := range c {
		for j := range c {
			d := values[i] - values[j]
			observed += float64(d*d) * float64(c[i][j])
			expected += float64(d*d) * float64(labels[i]) * float64(predicted[j]) / float64(all)
		}
	}
	return 1 - observed/expected
}

// MAE returns the mean absolute error of the values of the predicted classes.
func (c Confusion) MAE(values []float64) float64 {
	sum := 0.0
	for i := range c {
		for j := range c {
			sum += math.Abs(values[i]-values[j]) * float64(c[i][j])
		}
	}
	return sum / float64(c.N())
}

// Overlap compares the chosen words with the marked ones. It returns F1, the harmonic mean
// of precision (the share of chosen words that are marked) and recall (the share of marked
// words that are chosen), and intersection over union. Both are 0 if nothing is chosen or
// marked.
func Overlap(chosen, marked []bool) (f1, iou float64) {
	both, one := 0, 0
	for i, c := range chosen {
		switch {
		case c && marked[i]:
			both++
		case c || marked[i]:
			one++
		}
	}
	if both == 0 {
		return 0, 0
	}
	return 2 * float64(both) / float64(2*both+one), float64(both) / float64(both+one)
}

// AUPRC is the area under the curve of precision over recall as words or reviews are chosen by
// falling scores, those with equal scores at once (DeYoung et al. 2020, section 4.1), as
// average precision in scikit-learn: Σ (Rₖ − Rₖ₋₁) Pₖ. The straight lines between points that the
// code of DeYoung et al. draws would give scores that are all equal more than a half. It is 0 where
// nothing is marked.
func AUPRC[T float32 | float64](marked []bool, scores []T) (area float64) {
	order := Order(len(scores), func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	all, hits, fresh := 0, 0, 0 // fresh: since the last point
	for _, m := range marked {
		if m {
			all++
		}
	}
	for k, i := range order {
		if marked[i] {
			fresh++
		}
		if all == 0 || k+1 < len(order) && scores[order[k+1]] == scores[i] {
			continue
		}
		hits += fresh
		area += float64(float64(fresh) / float64(all) * float64(hits) / float64(k+1))
		fresh = 0
	}
	return area
}

// MeanOverlap returns the expected results of Overlap if marked of n words are marked and
// chosen of them are chosen uniformly at random. The number of chosen words that are marked
// has a hypergeometric distribution.
func MeanOverlap(n, chosen, marked int) (f1, iou float64) {
	sum := chosen + marked
	if sum == 0 {
		return 0, 0
	}
	// Sum outwards from the most likely number, in units of its probability.
	likeliest := (chosen + 1) * (marked + 1) / (n + 2)
	total, weighted := 0.0, 0.0
	add := func(both int, share float64) {
		total += share
		weighted += float64(share * float64(both) / float64(sum-both))
	}
	more := func(both int) float64 { // the probability of both + 1 divided by that of both
		return float64((chosen-both)*(marked-both)) / float64((both+1)*(n-sum+both+1))
	}
	share := 1.0
	add(likeliest, share)
	for both := likeliest; both < min(chosen, marked); both++ {
		share *= more(both)
		add(both+1, share)
	}
	share = 1
	for both := likeliest; both > max(0, sum-n); both-- {
		share /= more(both - 1)
		add(both-1, share)
	}
	return 2 * float64(chosen) / float64(n) * float64(marked) / float64(sum), weighted / total
}
