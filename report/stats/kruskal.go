package stats

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
)

// Kruskal tests whether groups of values differ in their level. share is the part of the variance of the ranks that
// lies between the groups, less what chance puts there: η² = (H − k + 1)/(n − k), at least 0. p is the part of
// regroups random regroupings, this grouping among them, with at least the same H; so it holds for few values, too.
// Kruskal and Wallis 1952, "Use of ranks in one-criterion variance analysis".
func Kruskal(groups [][]float64) (share, p float64, err error) {
	const regroups = 10_000
	all := slices.Concat(groups...)
	n, k := len(all), len(groups)
	if k < 2 || n <= k || slices.ContainsFunc(groups, func(g []float64) bool { return len(g) == 0 }) {
		return 0, 0, fmt.Errorf("kruskal: %d values in %d groups: want at least two groups, none empty, and more values than groups", n, k)
	}
	order := ordered(n, func(a, b int) int { return cmp.Compare(all[a], all[b]) })
	ranks, squares := make([]int, n), 0 // twice the rank less n + 1, so that their sum is 0
	for from := 0; from < n; {
		to := from + 1
		for to < n && all[order[to]] == all[order[from]] {
			to++
		}
		for _, i := range order[from:to] { // equal values share their mean rank
			ranks[i] = from + to - n
			squares += ranks[i] * ranks[i]
		}
		from = to
	}
	if squares == 0 {
		return 0, 1, nil
	}
	between := func() (sum float64) {
		at := 0
		for _, g := range groups {
			of := 0
			for _, r := range ranks[at : at+len(g)] {
				of += r
			}
			at, sum = at+len(g), sum+float64(of*of)/float64(len(g))
		}
		return sum
	}
	own := between()
	h := float64(n-1) * own / float64(squares)
	random, as := rand.New(rand.NewPCG(1, 2)), 1
	for range regroups - 1 {
		random.Shuffle(n, func(i, j int) { ranks[i], ranks[j] = ranks[j], ranks[i] })
		if between() >= own*(1-1e-9) {
			as++
		}
	}
	return max(0, (h-float64(k-1))/float64(n-k)), float64(as) / regroups, nil
}
