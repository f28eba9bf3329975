// Package battery answers: does attention, or another score of words, explain what a
// model says? The tests of a debate that Jain and Wallace 2019 and Wiegreffe and Pinter
// 2019 began, one a file, on any model that attends.
package battery

import (
	"context"
	"encoding/json"
	"fmt"
	"math"
	"strings"

	"imdbexp/cmd/exp/internal/infer"
	"imdbexp/internal/settings"
	"imdbexp/report/canvas"
	"imdbexp/report/stats"
)

// Test is one test of a run's scores on reviews.
type Test struct {
	Name    string // on command lines and in file names
	Title   string
	Source  string // paper and section
	Says    string // what it is and what it can say
	Cannot  string // and what it cannot
	Peers   bool   // it is about other runs, too
	Slow    string // why it is left out unless it is asked for; "" for others
	Version int    // rises when it would come to other numbers, so that old ones are not taken over

	// What its statistics can be, of those that are not 0 to 1.
	ranges map[string]stats.Interval

	lacks func(m *infer.Model) string // why it has no meaning for a model; "" where it has, nil: for all
	run   func(ctx context.Context, s *Subject) (*Result, error)
	draw  func(r *Result, head Head) ([]canvas.Figure, error) // may be nil
}

// Head is what the figures of a result say above and below.
type Head struct{ Name, About string }

// all are the tests in the order in which people see them.
var all = []*Test{&agreement, &permutation, &adversarial, &erasure, &plausibility, &retrained, &sanity, &roar}

// All returns the tests in the order in which people see them.
func All() []*Test { return all }

// Names returns their names.
func Names() []string {
	var out []string
	for _, t := range all {
		out = append(out, t.Name)
	}
	return out
}

// Usual returns the names of those that do not take too long.
func Usual() (out []string) {
	for _, t := range all {
		if t.Slow == "" {
			out = append(out, t.Name)
		}
	}
	return out
}

// Lookup returns the test of that name.
func Lookup(name string) (*Test, error) {
	for _, t := range all {
		if t.Name == name {
			return t, nil
		}
	}
	return nil, fmt.Errorf("unknown test %q%s: use %s", name, settings.Nearest(name, Names()), strings.Join(Names(), ", "))
}

// Lacks says why the test has no meaning for a model, "" where it has.
func (t *Test) Lacks(m *infer.Model) string {
	if t.lacks == nil {
		return ""
	}
	return t.lacks(m)
}

// Run carries the test out.
func (t *Test) Run(ctx context.Context, s *Subject) (*Result, error) {
	if why := t.Lacks(s.Model); why != "" {
		return &Result{Test: t.Name, Lacks: why}, nil
	}
	r, err := t.run(ctx, s)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", t.Title, err)
	}
	r.Test, r.Reviews = t.Name, len(s.Texts)
	r.Clip()
	return r, nil
}

// Draw returns the figures of a result, which may be none.
func (t *Test) Draw(r *Result, head Head) ([]canvas.Figure, error) {
	if t.draw == nil || r.Lacks != "" {
		return nil, nil
	}
	return t.draw(r, head)
}

// Result is what a test has come to on one run.
type Result struct {
	Test    string   `json:"test"`
	Lacks   string   `json:"lacks,omitempty"` // why it has no meaning for the run; then the rest is empty
	Reviews int      `json:"reviews,omitempty"`
	Values  []Value  `json:"values,omitempty"`
	Series  []Series `json:"series,omitempty"`
	Notes   []string `json:"notes,omitempty"`
}

// Value is one number with its 95 % interval.
type Value struct {
	Statistic string `json:"statistic"`
	Of        string `json:"of,omitempty"`   // title of the score that it is about
	Part      string `json:"part,omitempty"` // of the reviews, or of their words; "" for all
	N         int    `json:"n"`              // reviews behind it
	Value     Number `json:"value"`
	Low       Number `json:"low"` // NaN: none
	High      Number `json:"high"`
}

// Series is numbers that are drawn, such as one a review.
type Series struct {
	Name string   `json:"name"`
	Of   string   `json:"of,omitempty"`
	Part string   `json:"part,omitempty"`
	X    []Number `json:"x"`
	Y    []Number `json:"y"`
}

// Number is a float64 that JSON has as null where it is not finite.
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
