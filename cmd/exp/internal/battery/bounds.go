package battery

import (
	"math"

	"imdbexp/report/stats"
)

// The ranges of statistics that are no shares or probabilities, see Test.ranges.
var (
	correlation = stats.Interval{Low: -1, High: 1} // and the fall of a probability
	divergence  = stats.Interval{Low: 0, High: math.Ln2}
)

// Range returns what a statistic of a test can be: an interval of it ends there, however
// it was made.
func Range(test, statistic string) stats.Interval {
	t, err := Lookup(test)
	if err != nil {
		return stats.Interval{Low: math.Inf(-1), High: math.Inf(1)}
	}
	if r, ok := t.ranges[statistic]; ok {
		return r
	}
	return stats.Interval{Low: 0, High: 1}
}

// Clip ends the intervals where the statistics do: 1.96 standard errors know no bounds.
func (r *Result) Clip() {
	for i, v := range r.Values {
		ends := stats.Interval{Low: float64(v.Low), High: float64(v.High)}.Within(Range(r.Test, v.Statistic))
		r.Values[i].Low, r.Values[i].High = Number(ends.Low), Number(ends.High)
	}
}
