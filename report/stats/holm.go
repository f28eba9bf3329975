package stats

import (
	"cmp"
	"fmt"
	"slices"
)

// Holm returns the p values adjusted for multiple tests. Calling those below 0.05
// significant has a family-wise error rate of at most 5 %, whatever the dependence between
// the tests. In ascending order the i-th of m is multiplied by m − i + 1, and none is less
// than the one before it. Holm 1979, "A simple sequentially rejective multiple test
// procedure". Holm returns an error for a p outside [0, 1].
func Holm(p []float64) ([]float64, error) {
	order := make([]int, len(p))
	for i, v := range p {
		if !(v >= 0) || v > 1 {
			return nil, fmt.Errorf("holm: p value %d is %g: want 0 to 1", i+1, v)
		}
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Or(cmp.Compare(p[a], p[b]), a-b) })
	out := make([]float64, len(p))
	adjusted := 0.0
	for rank, i := range order {
		adjusted = max(adjusted, min(1, float64(len(p)-rank)*p[i]))
		out[i] = adjusted
	}
	return out, nil
}
