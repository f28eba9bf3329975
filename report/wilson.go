package report

import "imdbexp/report/stats"

// Interval is a confidence interval, in the unit of what it surrounds.
type Interval = stats.Interval

// wilsonPercent is stats.Wilson for an accuracy in percent over n reviews, in
// percent.
func wilsonPercent(accuracy float64, n int) (Interval, error) {
	i, err := stats.Wilson(float64(accuracy*float64(n))/100, float64(n))
	return i.Times(100), err
}
