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
	Version int    // rises when its numbers change, so that stored results are not used

	ranges map[string]stats.Interval   // of statistics that are not between 0 and 1
	lacks  func(m *infer.Model) string // why it does not apply to a model; nil: applies to all
	run    func(ctx context.Context, s *Subject) (*Result, error)
	draw   func(r *Result) canvas.Figure // without the run's name; no panels: nothing to draw; may be nil
}

// tests lists the tests in display order.
var tests = []*Test{&agreement, &permutation, &adversarial, &erasure, &plausibility, &retrained, &sanity, &roar}

func names() (out []string) {
	for _, t := range tests {
		out = append(out, t.Name)
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

// Claims returns the results in a folder of --out, for checking claims.
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
			errs = append(errs, fmt.Errorf("%s: from another version of exp; run exp explain again", f))
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

// normal95 is half the width of a 95 % interval in standard errors.
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

// maxClasses limits the classes for statistics by predicted class.
const maxClasses = 5

// byClass adds the mean of list over the reviews of each predicted class.
func (s *Subject) byClass(r *Result, statistic, of string, list []float64) {
	if len(s.Model.Classes) > maxClasses {
		return
	}
	for c, class := range s.Model.Classes {
		var some []float64
		for i, x := range list {
			if s.Texts[i].Class == c {
				some = append(some, x)
			}
		}
		r.meanOf(statistic, of, "predicted "+class, some)
	}
}
