package stats

import (
	"errors"
	"math"
	"slices"
)

// AUC returns the probability that a number in first is larger than one in second, with
// ties counted by half, and its 95 % interval. This is the area under the ROC curve, or
// Mann and Whitney's U divided by the number of pairs. The variance follows Hanley and
// McNeil 1982, "The meaning and use of the area under a receiver operating characteristic
// (ROC) curve". AUC returns an error if either is empty or holds a NaN.
func AUC(first, second []float64) (area float64, interval Interval, err error) {
	if len(first) == 0 || len(second) == 0 {
		return 0, Interval{}, errors.New("auc: want numbers of both kinds")
	}
	if slices.ContainsFunc(first, math.IsNaN) || slices.ContainsFunc(second, math.IsNaN) {
		return 0, Interval{}, errors.New("auc: a number is NaN")
	}
	sorted := slices.Clone(second)
	slices.Sort(sorted)
	for _, x := range first {
		below, _ := slices.BinarySearch(sorted, x)
		upTo, _ := slices.BinarySearchFunc(sorted, x, func(y, x float64) int {
			if y <= x {
				return -1
			}
			return 1
		})
		area += float64(below+upTo) / 2
	}
	n1, n2 := float64(len(first)), float64(len(second))
	area /= n1 * n2
	square := area * area
	q1, q2 := area/(2-area), 2*square/(1+area)
	variance := (area*(1-area) + (n1-1)*(q1-square) + (n2-1)*(q2-square)) / (n1 * n2)
	half := z95 * math.Sqrt(max(0, variance))
	return area, Interval{max(0, area-half), min(1, area+half)}, nil
}
