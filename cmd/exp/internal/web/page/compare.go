// Package beside sets runs side by side, as exp serve does and the page of exp export --page:
// their results, the settings in which they differ, their curves and entropies.
package beside

import (
	"fmt"
	"math"
	"slices"
	"strconv"
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
	Notes    []string `json:"notes"`    // names of runs and what has to be known of them
}

// Line is a line of a comparison, a value for each run.
type Line struct {
	Name   string   `json:"name"`
	Values []string `json:"values"`
}

// Run is one of the runs that are compared.
type Run struct {
	Key    string
	Config *runs.Config
	Result *report.Result // as reports have it, so that intervals, and what may stand beside a published number, are the same
}

// Name returns a run's name with as much of its ID as names it on the command line.
func Name(c *runs.Config) string { return c.Name + " " + c.ShortID() }

// Number returns a number for people, "" where there is none.
func Number(v *float64, decimals int) string {
	if v == nil || math.IsNaN(*v) || math.IsInf(*v, 0) {
		return ""
	}
	return strings.Replace(strconv.FormatFloat(*v, 'f', decimals, 64), "-", "−", 1)
}

// Compare compares runs; public takes out of a note what is nobody's business.
func Compare(list []Run, public func(string) string) Comparison {
	c := Comparison{Runs: []string{}, Heads: []string{}, Results: []Line{}, Settings: []Line{}, Lacking: []Line{}, Notes: []string{}}
	who := map[string][]string{} // a note and the runs that it is about
	var notes []string
	for i, r := range list {
		c.Runs, c.Heads = append(c.Runs, r.Key), append(c.Heads, Name(r.Config))
		for _, n := range slices.Concat(r.Result.Notes, r.Result.Incomparable) {
			note := public(n.String())
			if who[note] == nil {
				notes = append(notes, note)
			}
			who[note] = append(who[note], c.Heads[i])
		}
	}
	for _, note := range notes {
		c.Notes = append(c.Notes, strings.Join(who[note], ", ")+": "+note)
	}
	for _, l := range resultLines {
		line := Line{Name: l.name}
		some := false
		for _, r := range list {
			v := l.of(r.Result)
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
	{"test accuracy (%)", accuracyOf(runs.Reviews, report.TestAcc)},
	{"exact match (%)", func(r *report.Result) string { return Number(&r.Chosen.TestExact, 2) }},
	{"95 % Wilson interval", func(r *report.Result) string {
		if r.Wilson.Low != r.Wilson.Low { // NaN
			return ""
		}
		return fmt.Sprintf("%.1f–%.1f", r.Wilson.Low, r.Wilson.High)
	}},
	{"BLEU", func(r *report.Result) string { return Number(&r.Chosen.TestBLEU, 2) }},
	{runs.Pairs.Accuracy + " (%)", accuracyOf(runs.Pairs, report.TestAcc)},
	{"published (%)", func(r *report.Result) string {
		if !r.Comparable() || r.Config.Published == nil || r.Config.Published.TestAcc == 0 {
			return ""
		}
		return Number(&r.Config.Published.TestAcc, 2)
	}},
	{"macro-F1 (%)", func(r *report.Result) string { return Number(&r.MacroF1, 2) }},
	{"train accuracy (%)", accuracyOf(runs.Reviews, trainAcc)},
	{"validation accuracy (%)", accuracyOf(runs.Reviews, validAcc)},
	{"train " + runs.Pairs.Accuracy + " (%)", accuracyOf(runs.Pairs, trainAcc)},
	{"validation " + runs.Pairs.Accuracy + " (%)", accuracyOf(runs.Pairs, validAcc)},
	{"test loss (nats)", func(r *report.Result) string { return Number(&r.Chosen.TestLoss, 4) }},
	{"train loss (nats)", func(r *report.Result) string { return Number(&r.Chosen.TrainLoss, 4) }},
	{"test entropy (nats)", func(r *report.Result) string { return Number(&r.Chosen.TestEntropy, 3) }},
	{"epoch that counts", func(r *report.Result) string {
		if r.Chosen.Epoch == 0 {
			return ""
		}
		return fmt.Sprintf("%d of %d", r.Chosen.Epoch, r.Config.Epochs())
	}},
	{"citation", func(r *report.Result) string {
		c, err := r.Run.Citation()
		if err != nil { // it has not finished, or a note says what is wrong with it
			return ""
		}
		return c.String()
	}},
}

// accuracyOf returns what the accuracy on test of runs of one task is.
func accuracyOf(t *runs.Task, of func(report.Numbers) float64) func(*report.Result) string {
	return func(r *report.Result) string {
		if r.Config.Task() != t {
			return ""
		}
		x := of(r.Chosen)
		return Number(&x, 2)
	}
}

func trainAcc(n report.Numbers) float64 { return n.TrainAcc }
func validAcc(n report.Numbers) float64 { return n.ValidAcc }

// differing returns the settings in which the runs differ, with what else tells
// them apart, and those that only some of them have; of a single run the settings
// that are not at their default.
func differing(list []Run) (differ, lacking []Line) {
	differ, lacking = []Line{}, []Line{}
	if len(list) == 1 {
		c := list[0].Config
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
			v, ok := of(e.Config)
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
		for _, v := range e.Config.Settings {
			if !seen[v.Key] {
				seen[v.Key] = true
				add(v.Key, func(c *runs.Config) (string, bool) { return c.Settings.Get(v.Key) })
			}
		}
	}
	fact("test reviews", func(c *runs.Config) string { return fmt.Sprint(c.Data.Test.Reviews) })
	fact("data digest", func(c *runs.Config) string { return c.Digests["data"][:min(12, len(c.Digests["data"]))] })
	fact("classes", func(c *runs.Config) string { return strings.Join(c.Classes, ", ") })
	return differ, lacking
}
