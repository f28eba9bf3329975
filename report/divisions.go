package report

import (
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"

	"imdbexp/report/stats"
	"imdbexp/runs"
)

// Ratio returns the number of test reviews divided by the number of training reviews. Validation
// reviews count as training reviews.
func Ratio(c *runs.Config) float64 {
	return float64(c.Data.Test.Reviews) / float64(max(1, c.Data.Train.Reviews+c.Data.Valid.Reviews))
}

// Divided returns the interval of the mean score of runs of one setting over divisions of their data
// into train and test (data.test_seed), in percent, NaN if unknown, and a note on it. With
// fewer than two divisions ok is false: the caller uses the interval of a single test set.
func Divided(list []*Result) (interval stats.Interval, note Note, ok bool) {
	scores := map[uint64][]float64{}
	for _, r := range list {
		d := r.Config.General().TestSeed
		scores[d] = append(scores[d], r.Score)
	}
	if len(scores) < 2 {
		return interval, note, false
	}
	divisions := slices.Sorted(maps.Keys(scores))
	var means []float64
	for _, d := range divisions {
		means = append(means, stats.Summarise(scores[d]).Mean)
	}
	note = Note{Overlapping, fmt.Sprintf("± and interval are over %d divisions of the same reviews (data.test_seed=%s), not over independent test sets",
		len(divisions), spanned(divisions))}
	e, err := stats.Resampled(means, Ratio(&list[0].Config))
	if err != nil {
		note.Text += "; no interval: " + err.Error()
		return stats.Interval{Low: math.NaN(), High: math.NaN()}, note, true
	}
	note.Text += "; interval: " + stats.ResampledMethod
	return e.Interval.Within(stats.Interval{High: 100}), note, true
}

// spanned writes rising numbers as settings are written: 1..10, or 1,2,5.
func spanned(list []uint64) string {
	if first, last := list[0], list[len(list)-1]; last-first == uint64(len(list)-1) {
		return fmt.Sprintf("%d..%d", first, last)
	}
	return strings.ReplaceAll(strings.Trim(fmt.Sprint(list), "[]"), " ", ",")
}
