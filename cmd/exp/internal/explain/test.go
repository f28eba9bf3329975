package explain

import (
	"context"
	"errors"
	"fmt"
	"math"
	"path/filepath"
	"slices"

	"imdbexp/internal/infer"
	"imdbexp/report/canvas"
	"imdbexp/report/chart"
	"imdbexp/report/claims"
	"imdbexp/report/stats"
)

// Test is one test of a run's scores on reviews.
type Test struct {
	Name    string // on command lines and in file names
	Title   string
	Source  string // paper and section
	Method  string // how the test works, and the meaning of its numbers
	Limits  string // what cannot be concluded from it
	Peers   bool   // it compares the run with other runs
	Slow    string // why it does not run by default; "" if it does
	Version int    // rises when its numbers change, so that kept results are not used

	ranges map[string]stats.Interval   // of statistics that are not between 0 and 1
	lacks  func(m *infer.Model) string // why it does not apply to a model; nil: applies to all
	run    func(ctx context.Context, s *Subject) (*Result, error)
	draw   func(r *Result) []chart.Lines // figures without what names the run; may be nil
}

// tests lists the tests in display order.
var tests = []*Test{&agreement, &permutation, &adversarial, &erasure, &plausibility, &retrained, &sanity, &roar}

func names() (out []string) {
	for _, t := range tests {
		out = append(out, t.Name)
	}
	return out
}

// usual returns the names of the tests that run by default.
func usual() (out []string) {
	for _, t := range tests {
		if t.Slow == "" {
			out = append(out, t.Name)
		}
	}
	return out
}

// Named returns the test with the given name; nil for none.
func Named(name string) *Test {
	if i := slices.Index(names(), name); i >= 0 {
		return tests[i]
	}
	return nil
}

// Run runs the test.
func (t *Test) Run(ctx context.Context, s *Subject) (*Result, error) {
	if t.lacks != nil {
		if why := t.lacks(s.Model); why != "" {
			return &Result{Test: t.Name, Lacks: why}, nil
		}
	}
	r, err := t.run(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Title, err)
	}
	r.Test, r.Reviews = t.Name, len(s.Texts)
	titles := r.scores()
	for _, score := range s.Scores {
		if s.within[score] != "" && slices.Contains(titles, score.Title) {
			r.Notes = append(r.Notes, s.within[score])
		}
	}
	r.clip()
	return r, nil
}

// Draw returns the figures of a result: none if it is a mean over seeds that lacks their points, or has
// more classes than can be distinguished. about describes the run.
func (t *Test) Draw(r *Result, name, about string) (out []canvas.Figure, err error) {
	if t.draw == nil || r.Lacks != "" {
		return nil, nil
	}
	for _, l := range t.draw(r) {
		if n := len(l.Panels); n == 0 || n > chart.MaxNames {
			continue
		}
		l.Name, l.Caption = name+"-"+l.Name, about+l.Caption
		f, err := l.Figure()
		if err != nil {
			return nil, err
		}
		out = append(out, f)
	}
	return out, nil
}

// Claims returns the results in a folder of --out in the form that claims are checked by.
// Results of older versions of a test are skipped, because their numbers may differ. The
// error lists skipped and unreadable files; the results returned with it are valid.
func Claims(dir string) (out []claims.Explained, err error) {
	files, err := filepath.Glob(filepath.Join(dir, savedFolder, "*.json"))
	if err != nil {
		return nil, err
	}
	if len(files) == 0 {
		return nil, fmt.Errorf("%s: %w", dir, ErrNone)
	}
	var errs []error
	for _, f := range files {
		k, err := readSaved(f)
		if err != nil {
			errs = append(errs, err)
			continue
		}
		test := Named(k.About.Test)
		if test == nil || test.Version != k.About.Version {
			errs = append(errs, fmt.Errorf("%s: of another version of exp; run exp explain again", f))
			continue
		}
		e := claims.Explained{Run: k.About.Run, Test: k.About.Test}
		for _, v := range k.Result.Values {
			e.Values = append(e.Values, claims.ExplainedValue{Statistic: v.Statistic, Of: v.Of, Part: v.Part, Reviews: v.N,
				Value: float64(v.Value), Low: float64(v.Low), High: float64(v.High), Within: rangeOf(test.Name, v.Statistic)})
		}
		out = append(out, e)
	}
	return out, errors.Join(errs...)
}

// normal95 is how many standard errors a 95 % interval reaches to either side.
const normal95 = 1.959963984540054

// Ranges of statistics that are not shares or probabilities, see Test.ranges.
var (
	correlation = stats.Interval{Low: -1, High: 1} // also the fall of a probability
	divergence  = stats.Interval{Low: 0, High: math.Ln2}
)

// rangeOf returns the values that a statistic of a test can have. Its intervals end there.
func rangeOf(test, statistic string) stats.Interval {
	t := Named(test)
	if t == nil {
		return stats.Interval{Low: math.Inf(-1), High: math.Inf(1)}
	}
	if r, ok := t.ranges[statistic]; ok {
		return r
	}
	return stats.Interval{Low: 0, High: 1}
}

// sums returns the count, the sum and the sum of squares of the numbers that are not NaN.
func sums(list []float64) (n, sum, squares float64) {
	for _, x := range list {
		if x == x {
			n++
			sum += x
			squares += float64(x * x)
		}
	}
	return n, sum, squares
}

func average(list []float64) float64 {
	n, sum, _ := sums(list)
	return sum / n
}

// atLeast returns for each number 1 if it reaches the bound, else 0.
func atLeast(list []float64, bound float64) (out []float64) {
	for _, x := range list {
		out = append(out, truth(x >= bound))
	}
	return out
}

// part is a group of reviews that statistics are broken down by.
type part struct {
	name  string
	holds func(i int) bool
}

func (p part) among(list []float64) (out []float64) {
	for i, x := range list {
		if p.holds(i) {
			out = append(out, x)
		}
	}
	return out
}

// Limits of the parts by length in words, and by the largest weight of a review.
var (
	lengths      = []int{100, 200, 400}
	weightLimits = []float64{0.25, 0.5, 0.75, 1}
)

// maxClasses is up to how many classes reviews are broken down by predicted class.
const maxClasses = 5

// parts returns the reviews by predicted class and by length.
func (s *Subject) parts() []part {
	var out []part
	if len(s.Model.Classes) <= maxClasses {
		for c, name := range s.Model.Classes {
			out = append(out, part{"predicted " + name, func(i int) bool { return s.Texts[i].Class == c }})
		}
	}
	low := 0
	for _, high := range append(slices.Clone(lengths), math.MaxInt) {
		name := fmt.Sprintf("%d–%d words", low+1, high)
		if high == math.MaxInt {
			name = fmt.Sprintf("over %d words", low)
		}
		from := low
		out = append(out, part{name, func(i int) bool { n := len(s.Texts[i].Rows); return n > from && n <= high }})
		low = high
	}
	return out
}

// partsByWeight returns the reviews by their largest weight, and then as parts.
func (s *Subject) partsByWeight(largest []float64) (out []part) {
	low := 0.0
	for _, high := range weightLimits {
		from := low
		out = append(out, part{fmt.Sprintf("largest weight %g–%g", low, high), func(i int) bool { return largest[i] > from && largest[i] <= high }})
		low = high
	}
	return append(out, s.parts()...)
}

// byClass returns an empty series for each class; a review's point goes to the series of
// its predicted class.
func (s *Subject) byClass(name string) []Series {
	out := make([]Series, len(s.Model.Classes))
	for c, class := range s.Model.Classes {
		out[c] = Series{Name: name, Part: class}
	}
	return out
}
