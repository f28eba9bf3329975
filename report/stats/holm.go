package stats

import (
	"cmp"
	"fmt"
	"slices"
)

// Holm returns the p values adjusted for all of them being looked at: whoever
// calls those below 0.05 significant is wrong about any with a probability of at
// most 5 %, whatever hangs together among them. In ascending order the i-th of m
// is multiplied by m − i + 1, and none is less than the one before it. Holm 1979,
// "A simple sequentially rejective multiple test procedure". A p that is not from 0
// to 1 is an error.
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
	least := 0.0
	for rank, i := range order {
		least = max(least, min(1, float64(len(p)-rank)*p[i]))
		out[i] = least
	}
	return out, nil
}
