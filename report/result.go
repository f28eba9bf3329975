package report

import (
	"cmp"
	"math"

	"imdbexp/report/stats"
	"imdbexp/runs"
)

// Result is one run as tables see it.
type Result struct {
	Path   string // of the run folder
	Config runs.Config

	Finished bool
	Done     int            // epochs trained
	Chosen   Numbers        // of the epoch that counts: the last, or the best on the validation split
	Oracle   Numbers        // of the best epoch on test
	Wilson   stats.Interval // around Chosen.TestAcc, of translations Chosen.TestExact, in percent; NaN without one
	MacroF1  float64        // on test, in percent; NaN but for finished runs on own data

	Chance     *Chance     // nil but for finished runs that are at chance
	Translated *Translated // nil but for finished runs that translate

	Incomparable []Note // why the published numbers do not compare with the run; nil if they do
	Notes        []Note // further remarks on its numbers

	Run  *runs.Run
	Rank int // place of its experiment in tables and figures, those of one by name; see ReadAll
}

// Optimizer returns "adam", "sgd", ….
func (r *Result) Optimizer() string { return r.Config.Optimizer() }

// Best reports whether the epoch that counts was chosen by a score.
func (r *Result) Best() bool { return r.Config.General().Select == "best" }

// Comparable reports whether the published numbers compare with this run.
func (r *Result) Comparable() bool { return len(r.Incomparable) == 0 }

// Counted returns how many test reviews the accuracy counts.
func (r *Result) Counted() int {
	return r.Config.General().Evaluated(r.Config.Data.Test.Reviews)
}

// Numbers are those of one of the run's epochs.
func (r *Result) Numbers(m *runs.Metrics) Numbers {
	n := NumbersOf(m)
	if m != nil {
		n.Score = OrNaN(r.Config.Task().Score.Of(m))
	}
	return n
}

// Judged reports whether the run is judged by the measure of a key.
func (r *Result) Judged(key string) bool { return r.Config.Task().Score.Key == key }

// Published returns the published numbers that compare with the run, NaN if none do.
func (r *Result) Published() Numbers {
	if !r.Comparable() {
		return Numbers{TestAcc: math.NaN()}
	}
	return PublishedNumbers(r.Config.Published)
}

// Trial reports whether the run is never evaluated on the test set.
func (r *Result) Trial() bool {
	return math.IsNaN(r.Oracle.TestAcc) && r.Config.Untested()
}

// ChoosesByTest reports whether the epoch was chosen by its score on the test set.
func (r *Result) ChoosesByTest() bool {
	return r.Best() && r.Config.General().ChooseOnTest
}

// Variant returns "default", "original", ….
func (r *Result) Variant() string { return cmp.Or(r.Config.Variant, "default") }
