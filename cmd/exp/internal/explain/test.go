package explain

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"

	"imdbexp/internal/fsx"
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
	Method  string // what the test does, and what its numbers mean
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

// Result is the result of a test on one run.
type Result struct {
	Test    string   `json:"test"`
	Lacks   string   `json:"lacks,omitempty"` // why it does not apply to the run; then the rest is empty
	Reviews int      `json:"reviews,omitempty"`
	Values  []Value  `json:"values,omitempty"`
	Series  []Series `json:"series,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// Value is one number with its 95 % interval.
type Value struct {
	Statistic string `json:"statistic"`
	Of        string `json:"of,omitempty"`   // title of the score
	Part      string `json:"part,omitempty"` // subset of the reviews or of their words; "" for all
	N         int    `json:"n"`              // number of reviews
	Value     Number `json:"value"`
	Low       Number `json:"low"` // NaN without an interval
	High      Number `json:"high"`
}

// Series holds points to draw, such as one for each review.
type Series struct {
	Name string   `json:"name"`
	Of   string   `json:"of,omitempty"`
	Part string   `json:"part,omitempty"`
	X    []Number `json:"x"`
	Y    []Number `json:"y"`
}

// Number is a float64 that JSON encodes as null if it is not finite.
type Number float64

// MarshalJSON implements json.Marshaler.
func (n Number) MarshalJSON() ([]byte, error) {
	if f := float64(n); math.IsNaN(f) || math.IsInf(f, 0) {
		return []byte("null"), nil
	}
	return json.Marshal(float64(n))
}

// UnmarshalJSON implements json.Unmarshaler.
func (n *Number) UnmarshalJSON(b []byte) error {
	if string(b) == "null" {
		*n = Number(math.NaN())
		return nil
	}
	return json.Unmarshal(b, (*float64)(n))
}

// saved is a file of exp explain --out: the result of one test of one run.
type saved struct {
	About  about   `json:"about"`
	Result *Result `json:"result"`
}

// about is everything that a result depends on.
type about struct {
	Run     string   `json:"run"` // ID
	Epoch   int      `json:"epoch"`
	Data    string   `json:"data"` // digest
	Reviews int      `json:"reviews"`
	Seed    uint64   `json:"seed"`
	Scores  []string `json:"scores"`
	Test    string   `json:"test"`
	Version int      `json:"version"`
	Peers   []string `json:"peers,omitempty"`  // IDs of other runs
	Epochs  int      `json:"epochs,omitempty"` // roar: of each training
	Seeds   int      `json:"seeds,omitempty"`  // roar: trainings for each number
	Removed []string `json:"taken,omitempty"`  // roar: scores whose words are removed
}

// ErrNone means that a folder has no results.
var ErrNone = errors.New("no results of exp explain; give the folder of its --out")

const (
	savedFolder  = "results" // in the folder of --out
	maxSavedSize = 1 << 28
)

func (a about) path(dir string) string {
	return filepath.Join(dir, savedFolder, fmt.Sprintf("%s-%s.json", a.Run, a.Test))
}

func readSaved(path string) (*saved, error) {
	b, err := fsx.ReadFile(path, maxSavedSize)
	if err != nil {
		return nil, err
	}
	var k saved
	if err := json.Unmarshal(b, &k); err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	if k.Result == nil {
		return nil, fmt.Errorf("%s: no results of exp explain", path)
	}
	k.Result.clip() // earlier versions did not
	return &k, nil
}

func (k saved) write(dir string) error {
	b, err := json.Marshal(k)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(dir, savedFolder), 0o777); err != nil {
		return fmt.Errorf("%w; --out must name a folder", err)
	}
	return fsx.WriteBytes(k.About.path(dir), append(b, '\n'))
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
