package report

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"

	"imdbexp/report/stats"
	"imdbexp/runs"
)

// LengthBin is a group of reviews of similar length.
type LengthBin struct {
	Reviews         int
	Shortest, Words int // words of the shortest review and of the median one
	Longest         int
	Right           int // reviews predicted right
}

// Accuracy returns the share of the bin's reviews that are predicted right, 0 … 1.
func (b LengthBin) Accuracy() float64 { return float64(b.Right) / float64(b.Reviews) }

// Range names the bin by its words: 3–7.
func (b LengthBin) Range() string {
	if b.Shortest == b.Longest {
		return strconv.Itoa(b.Shortest)
	}
	return fmt.Sprintf("%d–%d", b.Shortest, b.Longest)
}

// ByLength sorts the reviews with a known label into at most that many bins of equal size, by rising
// number of words. Reviews of the same length stay in one bin.
func ByLength(p *runs.Predictions, bins int) []LengthBin {
	var all []lengthened
	for _, r := range p.Rows {
		if r.Label >= 0 {
			all = append(all, lengthened{r.Words, r.Label == r.Predicted})
		}
	}
	return lengthBins(all, bins)
}

// lengthened is a review, or a sentence to be translated, and whether the model got
// it right.
type lengthened struct {
	words int
	right bool
}

// lengthBins sorts the items by length and splits them into bins.
func lengthBins(all []lengthened, bins int) []LengthBin {
	slices.SortFunc(all, func(a, b lengthened) int { return cmp.Compare(a.words, b.words) })
	var out []LengthBin
	stats.EqualParts(len(all), bins, func(i, j int) bool { return all[i].words == all[j].words }, func(from, to int) {
		b := LengthBin{Reviews: to - from, Shortest: all[from].words, Words: all[(from+to-1)/2].words, Longest: all[to-1].words}
		for _, r := range all[from:to] {
			if r.right {
				b.Right++
			}
		}
		out = append(out, b)
	})
	return out
}
