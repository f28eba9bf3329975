package stats

import (
	"cmp"
	"math"
	"slices"
)

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
	_, _, all := c.Sums()
	sum := 0.0
	for i := range c {
		for j := range c {
			sum += math.Abs(values[i]-values[j]) * float64(c[i][j])
		}
	}
	return sum / float64(all)
}

// AveragePrecision returns the area under precision over recall as reviews are added by falling
// probability p of a class: Σ (Rₙ − Rₙ₋₁)·Pₙ, equal probabilities together, as in scikit-learn. is
// says which reviews are of the class. It is NaN if none is.
func AveragePrecision(is []bool, p []float32) float64 {
	order := make([]int, len(p))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(p[b], p[a]) })
	hits, area, before := 0, 0.0, 0
	for n, i := range order {
		if is[i] {
			hits++
		}
		if n+1 < len(order) && p[order[n+1]] == p[i] {
			continue
		}
		area += float64(hits-before) * float64(hits) / float64(n+1)
		before = hits
	}
	return area / float64(hits)
}
