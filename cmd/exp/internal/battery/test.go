// Package battery tests whether attention, or another score of words, explains a model's
// predictions. Each file holds one test of the debate that Jain and Wallace 2019 and
// Wiegreffe and Pinter 2019 began.
package battery

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"imdbexp/internal/infer"
	"imdbexp/internal/settings"
	"imdbexp/report/canvas"
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
	draw   func(r *Result, head Head) ([]canvas.Figure, error) // may be nil
}

// Head has the name of a figure's file and its caption.
type Head struct{ Name, About string }

// all lists the tests in display order.
var all = []*Test{&agreement, &permutation, &adversarial, &erasure, &plausibility, &retrained, &sanity, &roar}

// All returns the tests in display order.
func All() []*Test { return all }

// Names returns the names of all tests.
func Names() []string {
	var out []string
	for _, t := range all {
		out = append(out, t.Name)
	}
	return out
}

// Usual returns the names of the tests that run by default.
func Usual() (out []string) {
	for _, t := range all {
		if t.Slow == "" {
			out = append(out, t.Name)
		}
	}
	return out
}

// Named returns the test with the given name; nil for none.
func Named(name string) *Test {
	for _, t := range all {
		if t.Name == name {
			return t
		}
	}
	return nil
}

// Lookup is Named for a name that a user has typed.
func Lookup(name string) (*Test, error) {
	if t := Named(name); t != nil {
		return t, nil
	}
	return nil, fmt.Errorf("unknown test %q%s: use %s", name, settings.Nearest(name, Names()), strings.Join(Names(), ", "))
}

// Lacks returns why the test does not apply to a model; "" if it does.
func (t *Test) Lacks(m *infer.Model) string {
	if t.lacks == nil {
		return ""
	}
	return t.lacks(m)
}

// Run runs the test.
func (t *Test) Run(ctx context.Context, s *Subject) (*Result, error) {
	if why := t.Lacks(s.Model); why != "" {
		return &Result{Test: t.Name, Lacks: why}, nil
	}
	r, err := t.run(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Title, err)
	}
	r.Test, r.Reviews = t.Name, len(s.Texts)
	r.Notes = append(r.Notes, s.estimates(r)...)
	r.Clip()
	return r, nil
}

// Draw returns the figures of a result. There may be none.
func (t *Test) Draw(r *Result, head Head) ([]canvas.Figure, error) {
	if t.draw == nil || r.Lacks != "" {
		return nil, nil
	}
	return t.draw(r, head)
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
