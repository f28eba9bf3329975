package battery

import (
	"fmt"
	"math"
	"slices"

	"imdbexp/report/stats"
)

// mean adds a mean with its interval.
func (r *Result) mean(statistic, of, part string, m Mean, n int) {
	r.Values = append(r.Values, Value{Statistic: statistic, Of: of, Part: part, N: n, Value: Number(m.Mean), Low: Number(m.Mean - m.Half), High: Number(m.Mean + m.Half)})
}

// meanOf adds the mean of numbers, one a review, of which those that are NaN do not
// count.
func (r *Result) meanOf(statistic, of, part string, list []float64) {
	var m moments
	for _, x := range list {
		if x == x {
			m.add(x)
		}
	}
	if m.n > 0 {
		r.mean(statistic, of, part, m.mean(), m.n)
	}
}

// medianOf adds the median of numbers with the interval between those of their order that
// are 1.96 √n/2 places from it (Conover 1999, section 3.2).
func (r *Result) medianOf(statistic, of, part string, list []float64) {
	n := len(list)
	sorted := slices.Sorted(slices.Values(list))
	v := Value{Statistic: statistic, Of: of, Part: part, N: n, Value: Number(stats.Median(list))}
	away := 1.959963984540054 * math.Sqrt(float64(n)) / 2
	low, high := int(math.Floor(float64(n)/2-away)), int(math.Ceil(float64(n)/2+away))
	v.Low, v.High = Number(sorted[max(low-1, 0)]), Number(sorted[min(high, n-1)])
	r.Values = append(r.Values, v)
}

// share adds the share of reviews of which something holds, with Wilson's interval.
func (r *Result) share(statistic, of, part string, hits, n int) {
	v := Value{Statistic: statistic, Of: of, Part: part, N: n, Value: Number(float64(hits) / float64(n)), Low: Number(math.NaN()), High: Number(math.NaN())}
	if i, err := stats.Wilson(float64(hits), float64(n)); err == nil {
		v.Low, v.High = Number(i.Low), Number(i.High)
	}
	r.Values = append(r.Values, v)
}

// shareOf adds the share of those of a list of 0 and 1 that are 1, with Wilson's interval; what
// is NaN does not count.
func (r *Result) shareOf(statistic, of, part string, list []float64) {
	hits, n := 0, 0
	for _, x := range list {
		if x == x {
			hits, n = hits+int(x), n+1
		}
	}
	if n > 0 {
		r.share(statistic, of, part, hits, n)
	}
}

// scores returns the titles of the scores that the result is about, in order.
func (r *Result) scores() (out []string) {
	for _, v := range r.Values {
		if v.Of != "" && !slices.Contains(out, v.Of) {
			out = append(out, v.Of)
		}
	}
	return out
}

// parts are the reviews that statistics are broken down by: by predicted class and by
// length.
type part struct {
	name  string
	holds func(i int) bool
}

// lengths are the limits of the parts by length, in words.
var lengths = []int{100, 200, 400}

func (s *Subject) parts() []part {
	var out []part
	if len(s.Model.Classes) <= 5 {
		for c, name := range s.Model.Classes {
			out = append(out, part{"predicted " + name, func(i int) bool { return s.Texts[i].Class == c }})
		}
	}
	low := 0
	for k := range len(lengths) + 1 {
		from, to, name := low, math.MaxInt, fmt.Sprintf("over %d words", low)
		if k < len(lengths) {
			to = lengths[k]
			name = fmt.Sprintf("%d–%d words", from+1, to)
		}
		out = append(out, part{name, func(i int) bool { n := len(s.Texts[i].Rows); return n > from && n <= to }})
		low = to
	}
	return out
}

// among returns the numbers of a part's reviews.
func (p part) among(list []float64) (out []float64) {
	for i, x := range list {
		if p.holds(i) {
			out = append(out, x)
		}
	}
	return out
}
