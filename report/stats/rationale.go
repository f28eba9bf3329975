package stats

import (
	"cmp"
	"slices"
)

// Overlap compares the chosen words with the marked ones. It returns F1, the harmonic mean
// of precision (the share of chosen words that are marked) and recall (the share of marked
// words that are chosen), and intersection over union. Both are 0 if nothing is chosen or
// marked.
func Overlap(chosen, marked []bool) (f1, iou float64) {
	both, either, sum := 0, 0, 0
	for i, c := range chosen {
		m := marked[i]
		if c {
			sum++
		}
		if m {
			sum++
		}
		if c && m {
			both++
		}
		if c || m {
			either++
		}
	}
	if either == 0 {
		return 0, 0
	}
	return 2 * float64(both) / float64(sum), float64(both) / float64(either)
}

// AUPRC is the area under the curve of precision over recall as words are chosen by
// falling scores, those with equal scores at once (DeYoung et al. 2020, section 4.1), as
// average precision: Σ (Rₖ − Rₖ₋₁) Pₖ. The straight lines between points that their code
// draws would give scores that are all equal more than a half. It is 0 where nothing is
// marked.
func AUPRC(marked []bool, scores []float64) (area float64) {
	order, all := make([]int, len(scores)), 0
	for i := range order {
		order[i] = i
		if marked[i] {
			all++
		}
	}
	if all == 0 {
		return 0
	}
	slices.SortFunc(order, func(i, j int) int { return cmp.Compare(scores[j], scores[i]) })
	hits, fresh := 0, 0 // fresh: since the last point
	for k, i := range order {
		if marked[i] {
			fresh++
		}
		if k+1 < len(order) && scores[order[k+1]] == scores[i] {
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
