// Package search searches for settings that are best on a validation split: it samples settings, decides
// how long each trial trains, and ranks them. It trains nothing.
package search

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"imdbexp/experiments/plan"
	"imdbexp/internal/settings"
	"imdbexp/internal/simd"
	"imdbexp/runs"
)

// Search is a random search (Bergstra and Bengio 2012) for the settings of one
// experiment that are best on a validation split, with successive halving
// (Jamieson and Talwalkar 2016) where Halving is above 1. The test set is not used.
type Search struct {
	Names  []string         // the experiment, or a file
	Fixed  []string         // key=value
	Ranges []settings.Range // the sampled settings
	Trials int
	// Halving keeps one in Halving trials of a rung for the next one, which trains Halving times as
	// long; 0 trains all trials to the end.
	Halving int

	// Adapter chooses the settings that depend on the amount of data; without a folder none
	// does. Adapted is its choice for the first trial, in words.
	Adapter plan.Adapter
	Adapted []string

	auto string
}

// Trial is one point of a search.
type Trial struct {
	N           int // from 1
	Assignments []string
}

// forced are the settings of every trial: epochs are chosen on the validation split,
// and test waits until all choosing is over.
var forced = []string{"select=best", "test=never"}

// New parses the words of a command line: an experiment or a file, settings, and ranges to sample from
// (see settings.ParseRange). auto is the data set of data=auto.
func New(words []string, auto string) (*Search, error) {
	s := &Search{auto: auto}
	for _, w := range words {
		if !strings.Contains(w, "=") || plan.IsFile(w) {
			s.Names = append(s.Names, w)
			continue
		}
		r, err := settings.ParseRange(w)
		if err != nil {
			return nil, err
		}
		if err := searchable(r); err != nil {
			return nil, err
		}
		if r.Fixed() {
			s.Fixed = append(s.Fixed, w)
		} else {
			s.Ranges = append(s.Ranges, r)
		}
	}
	if len(s.Ranges) == 0 {
		return nil, errors.New("nothing to search: give at least one setting several values or an interval, such as lr=log:1e-4..1e-1")
	}
	if len(s.Names) != 1 {
		return nil, fmt.Errorf("a search takes one experiment; given: %s", strings.Join(s.Names, " "))
	}
	bases, err := plan.Bases(s.Names[0], s.Fixed)
	if err != nil {
		return nil, err
	}
	info, err := bases[0].Experiment.Info()
	if err != nil {
		return nil, err
	}
	set, err := settings.New(&settings.Run{}, info.New())
	if err != nil {
		return nil, err
	}
	for i, r := range s.Ranges { // in the types of the experiment's settings; Check reports unknown ones
		if known, ok := set.Get(r.Key); ok {
			if s.Ranges[i], err = r.Of(known); err != nil {
				return nil, err
			}
		}
	}
	return s, nil
}

// reviewsOf are the settings that decide the reviews of trials.
var reviewsOf = []string{"data", "data.limit", "data.train", "data.train_seed", "data.test_seed", "data.valid", "data.held", "data.split_seed"}

// searchable refuses settings with which a search would choose on the test set, or by chance.
func searchable(r settings.Range) error {
	first := ""
	if r.Fixed() {
		first = r.Values[0]
	}
	switch {
	case r.Key == "test" && first != "never":
		return errors.New("test=…: a search never evaluates on the test set; evaluate its result at the end: exp run NAME … select=best test=last")
	case r.Key == "select" && first != "best":
		return errors.New("select=…: a search ranks by the best epoch on the validation split (select=best)")
	case r.Key == "slip.choose_on_test" && first != "false":
		return errors.New("slip.choose_on_test: a search chooses on the validation split only")
	case !r.Fixed() && slices.Contains(reviewsOf, r.Key):
		return fmt.Errorf("%s=…: trials would be ranked by scores on different validation reviews; give it one value", r.Key)
	case r.Key == "seed" && !r.Fixed():
		return errors.New("seed=…: the best seed is chance; repeat the best settings with several seeds instead")
	}
	return nil
}

// Check samples one trial and returns an error for a search that cannot work.
func (s *Search) Check(ctx context.Context) error {
	p, err := s.plan(ctx, s.sample(1, 0), 0, nil)
	if err != nil {
		return err
	}
	mayBe := func(key, value, drawn string) bool {
		i := slices.IndexFunc(s.Ranges, func(r settings.Range) bool { return r.Key == key })
		return drawn == value || i >= 0 && slices.Contains(s.Ranges[i].Values, value)
	}
	switch r := p.Run; {
	case r.ChooseOnTest:
		return errors.New("slip.choose_on_test is set (by variant=original?): a search chooses on the validation split only; add slip.choose_on_test=false")
	case s.Halving == 0:
		return nil
	case s.Halving < 2 || s.Halving > 10:
		return fmt.Errorf("halving by %d: want 2 to 10", s.Halving)
	case slices.ContainsFunc(s.Ranges, func(r settings.Range) bool { return r.Key == "epochs" }):
		return errors.New("epochs=…: halving decides how long a trial trains; epochs=N is the longest")
	case mayBe("schedule", "cosine", r.Schedule):
		return errors.New("schedule=cosine with halving: the schedule depends on the number of epochs, so no trial could continue; use constant or step")
	}
	return nil
}

// All samples the trials, all different: fewer than requested if there are not enough. A trial depends
// only on its number, so a larger search begins with the same trials.
func (s *Search) All() []Trial {
	const attempts = 100
	var out []Trial
	seen := map[string]bool{}
	for n := 1; n <= s.Trials; n++ {
		for a := range attempts {
			t := s.sample(n, uint64(a))
			if key := strings.Join(t.Assignments, " "); !seen[key] {
				seen[key] = true
				out = append(out, t)
				break
			}
		}
	}
	return out
}

// sample samples trial n.
func (s *Search) sample(n int, attempt uint64) Trial {
	t := Trial{N: n}
	for _, r := range s.Ranges {
		key := simd.Hash1(simd.Key(1, "search/"+r.Key), uint64(n))
		t.Assignments = append(t.Assignments, r.Key+"="+pick(r, simd.Float64(key, attempt)))
	}
	return t
}

// pick returns the value of a range at u of [0, 1).
func pick(r settings.Range, u float64) string {
	switch {
	case r.Values != nil:
		return r.Values[int(u*float64(len(r.Values)))]
	case r.Log:
		lo, hi := simd.Log64(r.Lo), simd.Log64(r.Hi)
		return r.Text(simd.Exp64(lo + float64(u*(hi-lo))))
	case r.Whole:
		return r.Text(math.Floor(r.Lo + float64(u*(r.Hi-r.Lo+1))))
	}
	return r.Text(r.Lo + float64(u*(r.Hi-r.Lo)))
}

// Plan returns the plan of a trial; epochs > 0 overrides its epochs.
func (s *Search) Plan(ctx context.Context, t Trial, epochs int) (*plan.Plan, error) {
	return s.plan(ctx, t, epochs, forced)
}

func (s *Search) plan(ctx context.Context, t Trial, epochs int, forced []string) (*plan.Plan, error) {
	words := slices.Concat(s.Names, s.Fixed, t.Assignments, forced)
	if epochs > 0 {
		words = append(slices.DeleteFunc(words, func(w string) bool { return strings.HasPrefix(w, "epochs=") }), fmt.Sprintf("epochs=%d", epochs))
	}
	plans, err := plan.Resolve(ctx, words, s.auto)
	if err == nil && s.Adapter.Dir != "" {
		var notes []string
		if notes, err = s.Adapter.Adapt(ctx, plans); t.N == 1 {
			s.Adapted = notes
		}
	}
	if err != nil {
		return nil, err
	}
	if len(plans) != 1 {
		return nil, fmt.Errorf("a search takes one experiment; %s means %d runs", s.Names[0], len(plans))
	}
	return plans[0], nil
}

// Rung is a round of a search: the number of its trials and their epochs; 0 means the epochs of their
// own settings.
type Rung struct{ Trials, Epochs int }

// Rungs divides the search into rounds, the last one with all epochs. Without halving there is one.
func (s *Search) Rungs(trials, epochs int) (out []Rung) {
	if s.Halving < 2 {
		return []Rung{{Trials: trials}}
	}
	share := 1 // of the epochs in the first round
	for n, e := trials/s.Halving, epochs/s.Halving; n >= 1 && e >= 1; n, e = n/s.Halving, e/s.Halving {
		share *= s.Halving
	}
	for n := trials; share >= 1; n, share = n/s.Halving, share/s.Halving {
		out = append(out, Rung{n, epochs / share})
	}
	return out
}

// Standing is the result of a trial.
type Standing struct {
	Trial  Trial
	Rung   int       // the last one of the trial, from 1
	Epochs int       // of its run there
	Run    *runs.Run // nil if it failed
	Chosen runs.Metrics
	Err    error
}

// score returns the validation score of the trial; nil without one.
func (s *Standing) score() *float64 {
	if s.Run == nil {
		return s.Chosen.ValidAcc
	}
	return s.Run.Config.ValidScore(&s.Chosen)
}

// Rank sorts standings, the best first: by rung, the score on the validation split by which their
// epochs are chosen, validation loss, and number. Failed ones come last.
func Rank(list []Standing) {
	of := func(x *float64, none float64) float64 {
		if x == nil {
			return none
		}
		return *x
	}
	failed := func(s Standing) int {
		if s.Err != nil {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(list, func(a, b Standing) int {
		return cmp.Or(failed(a)-failed(b), cmp.Compare(b.Rung, a.Rung),
			cmp.Compare(of(b.score(), -math.MaxFloat64), of(a.score(), -math.MaxFloat64)),
			cmp.Compare(of(a.Chosen.ValidLoss, math.MaxFloat64), of(b.Chosen.ValidLoss, math.MaxFloat64)),
			cmp.Compare(a.Trial.N, b.Trial.N))
	})
}
