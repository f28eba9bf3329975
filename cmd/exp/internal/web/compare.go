package web

import (
	"fmt"
	"net/http"
	"slices"
	"strings"

	"imdbexp/report"
	"imdbexp/runs"
)

// Comparison sets chosen runs side by side.
type Comparison struct {
	Runs     []string `json:"runs"`     // keys
	Heads    []string `json:"heads"`    // what stands above each run
	Results  []Line   `json:"results"`  // of the epoch that counts
	Settings []Line   `json:"settings"` // those in which the runs differ; of a single run those not at their default
	Lacking  []Line   `json:"lacking"`  // settings that only some of the runs have
	Notes    []string `json:"notes"`    // a run's name and what has to be known of it
}

// Line is a line of a comparison, a value for each run.
type Line struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

func (s *Server) comparison(w http.ResponseWriter, r *http.Request) error {
	return reply(w, s.compare(parseView(r.URL.Query()).entries(s.catalog.fresh())))
}

// compare reads the chosen runs as reports do, so that intervals, and what may
// stand beside a published number, are the same here and there.
func (s *Server) compare(list []*entry) Comparison {
	list = slices.DeleteFunc(slices.Clone(list), func(e *entry) bool { return e.run == nil || ordinary(e.path) != nil })
	c := Comparison{Runs: []string{}, Heads: []string{}, Results: []Line{}, Settings: []Line{}, Lacking: []Line{}, Notes: []string{}}
	results := make([]*report.Result, len(list))
	for i, e := range list {
		r := e.result()
		c.Runs, c.Heads, results[i] = append(c.Runs, e.key), append(c.Heads, name(&e.run.Config)), r
		for _, n := range slices.Concat(r.Notes, r.Incomparable) {
			c.Notes = append(c.Notes, c.Heads[i]+": "+s.catalog.public(n.String()))
		}
	}
	for _, l := range resultLines {
		line := Line{Name: l.name}
		some := false
		for _, r := range results {
			v := l.of(r)
			some = some || v != ""
			line.Values = append(line.Values, v)
		}
		if some {
			c.Results = append(c.Results, line)
		}
	}
	c.Settings, c.Lacking = differing(list)
	return c
}

// resultLines are the results that are compared; one that no run has is left out.
var resultLines = []struct {
	name string
	of   func(*report.Result) string
}{
	{"test accuracy (%)", accuracyOf(runs.Reviews)},
	{"exact match (%)", func(r *report.Result) string { return number(&r.Chosen.TestExact, 2).known() }},
	{"95 % Wilson interval", func(r *report.Result) string {
		if r.Wilson.Low != r.Wilson.Low { // NaN
			return ""
		}
		return fmt.Sprintf("%.1f–%.1f", r.Wilson.Low, r.Wilson.High)
	}},
	{"BLEU", func(r *report.Result) string { return number(&r.Chosen.TestBLEU, 2).known() }},
	{runs.Pairs.Accuracy + " (%)", accuracyOf(runs.Pairs)},
	{"published (%)", func(r *report.Result) string {
		if !r.Comparable() || r.Config.Published == nil || r.Config.Published.TestAcc == 0 {
			return ""
		}
		return number(&r.Config.Published.TestAcc, 2).known()
	}},
	{"macro-F1 (%)", func(r *report.Result) string { return number(&r.MacroF1, 2).known() }},
	{"train accuracy (%)", func(r *report.Result) string { return number(&r.Chosen.TrainAcc, 2).known() }},
	{"validation accuracy (%)", func(r *report.Result) string { return number(&r.Chosen.ValidAcc, 2).known() }},
	{"test loss (nats)", func(r *report.Result) string { return number(&r.Chosen.TestLoss, 4).known() }},
	{"train loss (nats)", func(r *report.Result) string { return number(&r.Chosen.TrainLoss, 4).known() }},
	{"test entropy (nats)", func(r *report.Result) string { return number(&r.Chosen.TestEntropy, 3).known() }},
	{"epoch that counts", func(r *report.Result) string {
		if r.Chosen.Epoch == 0 {
			return ""
		}
		return fmt.Sprintf("%d of %d", r.Chosen.Epoch, r.Config.Epochs())
	}},
}

// accuracyOf returns what the accuracy on test of runs of one task is.
func accuracyOf(t *runs.Task) func(*report.Result) string {
	return func(r *report.Result) string {
		if r.Config.Task() != t {
			return ""
		}
		return number(&r.Chosen.TestAcc, 2).known()
	}
}

// known returns the text of a number, "" where there is none.
func (c Cell) known() string {
	if c.By == nil {
		return ""
	}
	return c.Text
}

// differing returns the settings in which the runs differ, with what else tells
// them apart, and those that only some of them have; of a single run the settings
// that are not at their default.
func differing(list []*entry) (differ, lacking []Line) {
	differ, lacking = []Line{}, []Line{}
	if len(list) == 1 {
		c := &list[0].run.Config
		for _, v := range c.Settings {
			if from := c.From[v.Key]; from != "" {
				differ = append(differ, Line{v.Key, []string{v.Value + " (" + from + ")"}})
			}
		}
		return differ, lacking
	}
	add := func(name string, of func(*runs.Config) (string, bool)) {
		line, all := Line{Name: name}, true
		for _, e := range list {
			v, ok := of(&e.run.Config)
			if !ok {
				v, all = "–", false
			}
			line.Values = append(line.Values, v)
		}
		switch {
		case !all:
			lacking = append(lacking, line)
		case slices.ContainsFunc(line.Values, func(v string) bool { return v != line.Values[0] }):
			differ = append(differ, line)
		}
	}
	fact := func(name string, of func(*runs.Config) string) {
		add(name, func(c *runs.Config) (string, bool) { return of(c), true })
	}
	fact("experiment", func(c *runs.Config) string { return c.Name })
	fact("model", func(c *runs.Config) string { return c.Model })
	seen := map[string]bool{}
	for _, e := range list {
		for _, v := range e.run.Config.Settings {
			if !seen[v.Key] {
				seen[v.Key] = true
				add(v.Key, func(c *runs.Config) (string, bool) { return c.Settings.Get(v.Key) })
			}
		}
	}
	fact("test reviews", func(c *runs.Config) string { return fmt.Sprint(c.Data.Test.Reviews) })
	fact("data digest", func(c *runs.Config) string { return cut(c.Digests["data"], 12) })
	fact("classes", func(c *runs.Config) string { return strings.Join(c.Classes, ", ") })
	return differ, lacking
}
