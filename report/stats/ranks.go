package stats

import (
	"cmp"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
)

// KendallB returns Kendall's τ_b of paired numbers, between −1 (opposite orders) and 1
// (the same), and the two-sided p of τ_b = 0 by the normal approximation, both with
// ties taken into account (Kendall 1945, "The treatment of ties in ranking problems",
// Biometrika 33; Kendall and Gibbons 1990, section 4.14). Pairs out of order are
// counted by merging (Knight 1966). KendallB returns an error unless there are at least two
// pairs, none of them NaN. τ_b is NaN if all numbers of a side are the same.
func KendallB(x, y []float32) (tau, p float64, err error) {
	n := len(x)
	if n < 2 || len(y) != n {
		return 0, 0, fmt.Errorf("kendall: %d and %d numbers: want as many of both, two or more", n, len(y))
	}
	for i := range x {
		if x[i] != x[i] || y[i] != y[i] {
			return 0, 0, fmt.Errorf("kendall: pair %d is (%v, %v)", i, x[i], y[i])
		}
	}
	order := Order(n, func(i, j int) int { return cmp.Or(cmp.Compare(x[i], x[j]), cmp.Compare(y[i], y[j])) })
	tied := func(i, j int) bool { return x[order[i]] == x[order[j]] }
	both := countTies(n, func(i, j int) bool { return tied(i, j) && y[order[i]] == y[order[j]] })
	left := countTies(n, tied)
	list := make([]float32, n)
	for i, at := range order {
		list[i] = y[at]
	}
	swaps := exchanges(list, make([]float32, n)) // leaves list in order
	right := countTies(n, func(i, j int) bool { return list[i] == list[j] })

	pairs := float64(n * (n - 1) / 2)
	surplus := pairs - left.pairs - right.pairs + both.pairs - 2*float64(swaps)
	tau = surplus / math.Sqrt(pairs-left.pairs) / math.Sqrt(pairs-right.pairs)
	if tau != tau || left.pairs == pairs || right.pairs == pairs {
		return math.NaN(), 1, nil
	}
	m := float64(n * (n - 1))
	variance := (float64(m*float64(2*n+5))-left.fives-right.fives)/18 + float64(2*left.pairs*right.pairs)/m
	if n > 2 {
		variance += float64(left.triples*right.triples) / float64(9*m*float64(n-2))
	}
	return min(1, max(-1, tau)), math.Erfc(math.Abs(surplus) / math.Sqrt(2*variance)), nil
}

// ties are sums over groups of t equal numbers.
type ties struct{ pairs, triples, fives float64 } // t(t−1)/2, t(t−1)(t−2), t(t−1)(2t+5)

// countTies returns the sums over the groups of equal numbers among n sorted ones.
func countTies(n int, same func(i, j int) bool) (out ties) {
	for i := 0; i < n; {
		j := i + 1
		for j < n && same(i, j) {
			j++
		}
		t := float64(j - i)
		out.pairs += float64(t*(t-1)) / 2
		out.triples += float64(t * (t - 1) * (t - 2))
		out.fives += float64(t * (t - 1) * (float64(2*t) + 5))
		i = j
	}
	return out
}

// exchanges sorts a list and returns the number of pairs that were in the wrong order.
func exchanges(list, room []float32) int {
	n := len(list)
	if n < 2 {
		return 0
	}
	h := n / 2
	count := exchanges(list[:h], room[:h]) + exchanges(list[h:], room[h:])
	copy(room, list)
	for i, a, b := 0, 0, h; i < n; i++ {
		if b == n || a < h && room[a] <= room[b] {
			list[i] = room[a]
			a++
		} else {
			list[i] = room[b]
			count += h - a
			b++
		}
	}
	return count
}

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
	order := Order(n, func(a, b int) int { return cmp.Compare(all[a], all[b]) })
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
