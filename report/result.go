// Package report reads the results of runs and decides which numbers can be compared. It
// groups runs that differ only in the seed, finds the reviews that they were tested on, and
// gives the reasons that published numbers do not compare with them. Remarks on a number are
// attached to it as Notes.
//
// The packages below present the results: tables, figures (drawn by canvas and chart),
// compare, claims and page; stats has the statistics. None of them trains or opens a data
// set.
package report

import (
	"cmp"
	"math"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// Result holds the numbers of one run for tables and figures.
type Result struct {
	Path   string // of the run folder
	Config runs.Config

	Finished bool
	Done     int            // epochs trained
	Chosen   *runs.Metrics  // of the chosen epoch: the last, or the best on the validation split; no numbers before the first
	Oracle   *runs.Metrics  // of the best epoch on test; without numbers if unknown
	Score    float64        // of Chosen, by which runs of its task are compared on the test set; NaN if unknown
	Wilson   stats.Interval // around Score, in percent; NaN without one
	MacroF1  float64        // on test, in percent; only for finished runs on own data, otherwise NaN
	Largest  float64        // percentage of the largest class on test; known where MacroF1 is, otherwise NaN
	Shares   []float64      // of the classes on test; equal where they are not known

	Chance     *Chance     // only for finished runs at chance level, otherwise nil
	Translated *Translated // only for finished runs that translate, otherwise nil

	Incomparable []Note // reasons that the published numbers do not compare with the run; nil if they do
	Notes        []Note // further remarks on its numbers
	Remarks      runs.Remarks

	Run  *runs.Run
	Rank int // position of its experiment in tables and figures; see ReadAll
}

// Optimizer returns "adam", "sgd", ….
func (r *Result) Optimizer() string { return r.Config.Optimizer() }

// Damaged reports whether part of the run could not be read.
func (r *Result) Damaged() bool {
	return slices.ContainsFunc(r.Notes, func(n Note) bool { return n.Kind == Damaged })
}

// Best reports whether the epoch was chosen by a score.
func (r *Result) Best() bool { return r.Config.General().Select == "best" }

// Comparable reports whether the published numbers compare with this run.
func (r *Result) Comparable() bool { return len(r.Incomparable) == 0 }

// Counted returns the number of test reviews behind the accuracy; 0 for texts, whose words are guessed: they
// do not say how independent these guesses are.
func (r *Result) Counted() int {
	if r.Config.Task() == runs.Texts {
		return 0
	}
	return r.Config.General().Evaluated(r.Config.Data.Test.Reviews)
}

// Judged reports whether the score of the run's task is the metric with this key.
func (r *Result) Judged(key string) bool { return r.Config.Task().Score.Key == key }

// Published returns the published numbers that compare with the run; none if they do not.
func (r *Result) Published() *runs.Metrics {
	if !r.Comparable() {
		return new(runs.Metrics)
	}
	return PublishedMetrics(r.Config.Published)
}

// PublishedMetrics returns the numbers of a published row, where zero means none.
func PublishedMetrics(p *runs.Published) *runs.Metrics {
	number := func(v float64) *float64 {
		if v == 0 {
			return nil
		}
		return &v
	}
	return &runs.Metrics{
		Epoch:     p.Epochs,
		TrainLoss: number(p.TrainLoss), TestLoss: number(p.TestLoss),
		TrainAcc: number(p.TrainAcc), TestAcc: number(p.TestAcc),
	}
}

// Trial reports whether the run is never evaluated on the test set.
func (r *Result) Trial() bool {
	return math.IsNaN(r.Oracle.Get("test_acc")) && r.Config.Untested()
}

// ChoosesByTest reports whether the epoch was chosen by its score on the test set.
func (r *Result) ChoosesByTest() bool {
	return r.Best() && r.Config.General().ChooseOnTest
}

// Variant returns "default", "original", ….
func (r *Result) Variant() string { return cmp.Or(r.Config.Variant, "default") }

// IDs returns the short IDs of runs.
func IDs(list []*Result) string {
	return strings.Join(Each(list, func(r *Result) string { return format.Short(r.Config.ID) }), " ")
}

// Citations returns how to cite the finished runs of a list. A run that cannot be read has a note.
func Citations(list []*Result) string {
	var out []string
	for _, r := range list {
		if c, err := r.Run.Citation(); err == nil {
			out = append(out, c.String())
		}
	}
	return strings.Join(out, " ")
}
