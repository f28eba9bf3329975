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
	"fmt"
	"math"
	"path/filepath"
	"slices"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report/stats"
	"imdbexp/runs"
	"imdbexp/runs/published"
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
	return strings.Join(Map(list, func(r *Result) string { return format.Short(r.Config.ID) }), " ")
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

// read reads the numbers of a run folder that tables show.
func read(run *runs.Run) *Result {
	r := brief(run)
	r.Config.Published = published.Correct(&run.Config)
	ends, err := run.Ends()
	if err != nil && err.Error() != run.Status.Message { // progress adds a note on the message
		r.Notes = append(r.Notes, Note{Damaged, err.Error()})
	}
	if ends.Last != nil {
		r.Done = ends.Last.Epoch
	}
	chosen := ends.Chosen
	switch damaged := err != nil || run.Status.State == runs.Damaged; {
	case damaged: // the best test epoch may be among the unreadable ones
		ends.Oracle = nil
	case chosen == nil:
		chosen = ends.Last // so far
	}
	r.Chosen, r.Oracle = cmp.Or(chosen, new(runs.Metrics)), cmp.Or(ends.Oracle, new(runs.Metrics))
	r.Score = r.Chosen.Get(r.Config.Task().Score.Key)
	r.Wilson = stats.WilsonPercent(r.Score, r.Counted())
	damaged := func(err error) {
		if err != nil {
			r.Notes = append(r.Notes, Note{Damaged, err.Error()})
		}
	}
	own, err := ownPredictions(run)
	damaged(err)
	r.MacroF1, r.Shares = math.NaN(), shares(len(r.Config.Classes), own)
	if own != nil {
		r.MacroF1 = MacroF1(Confusion(own))
		labels, predicted, n := Confusion(own).Sums()
		if only := slices.Index(predicted, n); only >= 0 && n > 0 {
			r.Notes = append(r.Notes, Note{OneClass, fmt.Sprintf("predicts %q for every review; %.2f %% of them are", own.Classes[only], 100*float64(labels[only])/float64(n))})
		}
	}
	r.Translated, err = translated(run)
	damaged(err)
	if r.Finished && chosen != nil {
		r.Chance = chance(&run.Config, chosen, own)
	}
	var remarks []Note
	r.Remarks, remarks = RemarksOf(run)
	r.Notes = slices.Concat(r.Notes, progress(r, run.Present()), abridged(r), remarks)
	r.Incomparable = incomparable(r, run.Status.State)
	return r
}

// RemarksOf returns what the user says about a run, and the same as notes.
func RemarksOf(run *runs.Run) (r runs.Remarks, notes []Note) {
	r, err := run.Remarks()
	if err != nil {
		notes = append(notes, Note{Noted, err.Error()})
	}
	if r.Note != "" {
		notes = append(notes, Note{Noted, r.Note})
	}
	if len(r.Tags) > 0 {
		notes = append(notes, Note{Tagged, strings.Join(r.Tags, ", ")})
	}
	return r, notes
}

// ReadAll reads the runs, each folder once. order names the experiments as tables and
// figures have them; others follow by name.
func ReadAll(list []*runs.Run, order ...string) (out []*Result) {
	seen := map[string]bool{}
	for _, run := range list {
		if path := filepath.Clean(run.Path); !seen[path] {
			seen[path] = true
			r := read(run)
			if r.Rank = slices.Index(order, run.Config.Name); r.Rank < 0 {
				r.Rank = len(order)
			}
			out = append(out, r)
		}
	}
	return out
}

// OlderNote returns a note on the result version of a run. older reports whether it is older
// than the version that the same settings give now.
func OlderNote(c *runs.Config) (n Note, older bool) {
	return Note{Older, fmt.Sprintf("version %d, the present one is %d", c.Result, runs.PresentVersion(c.Setting))}, c.Behind() > 0
}

// CommonEpochs reads the epochs of each run and keeps those that all of them have.
func CommonEpochs(list []*runs.Run) [][]runs.Metrics {
	all, in := make([][]runs.Metrics, len(list)), map[int]int{}
	for i, r := range list {
		all[i], _ = r.Metrics() // a damaged rest is noted already
		for _, m := range all[i] {
			in[m.Epoch]++
		}
	}
	for i := range all {
		all[i] = slices.DeleteFunc(all[i], func(m runs.Metrics) bool { return in[m.Epoch] < len(list) })
	}
	return all
}

// LastEpochs is the number of epochs that Ends averages.
const LastEpochs = 5

// Ends is the ends of a run's curve. Smoothed is the last value of the smoothed curve (see Smooth), NaN if the missing
// epochs and those before them have a weight of a thousandth or more in it. Last is the mean of the last epochs, NaN if one of
// them is missing, as in a run that is tested every fourth epoch.
type Ends struct{ Smoothed, Last float64 }

// Ends returns the ends of a metric's curve, up to the last epoch that can be read.
func (r *Result) Ends(key string, weight float64) Ends {
	const negligible = 1e-3      // weight of missing epochs in a smoothed end
	epochs, _ := r.Run.Metrics() // the run has a note on an error
	e, n, missing := Ends{math.NaN(), math.NaN()}, len(epochs), -1
	values := make([]float64, n)
	for i := range epochs {
		if values[i] = epochs[i].Get(key); math.IsNaN(values[i]) {
			missing = i // the last one
		}
	}
	if n > 0 && (missing < 0 || math.Pow(weight, float64(n-1-missing)) < negligible) {
		e.Smoothed = Smooth(values, weight)[n-1]
	}
	if last := values[max(0, n-LastEpochs):]; n >= LastEpochs && missing < n-LastEpochs {
		e.Last = stats.Summarise(last).Mean
	}
	return e
}

// Smooth returns TensorBoard's exponential mean of a curve, begun at zero and corrected
// for it:
//
//	mₜ = w·mₜ₋₁ + (1−w)·xₜ,  x̂ₜ = mₜ/(1−wᵗ)
//
// NaNs stay NaN. A value after d−1 NaNs counts for all d epochs: wᵈ takes the place of w,
// which stays the weight from epoch to epoch.
func Smooth(values []float64, weight float64) []float64 {
	out := make([]float64, len(values))
	m, rest, before := 0.0, 1.0, -1 // rest is wᵗ
	for i, v := range values {
		if math.IsNaN(v) {
			out[i] = v
			continue
		}
		w := math.Pow(weight, float64(i-before))
		m, rest, before = w*m+(1-w)*v, w*rest, i
		out[i] = m / (1 - rest)
	}
	return out
}
