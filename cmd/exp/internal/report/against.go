package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/experiments/task"
	"imdbexp/report"
	"imdbexp/report/compare"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// sameReviews are the settings that were tested on the same reviews.
type sameReviews struct {
	reviews report.Reviews
	groups  [][]*runs.Run // finished, of a setting each
	first   []*runs.Run   // what they are compared with
}

// against compares each setting of the list with the one that --against names, on the reviews
// that both have answered: one table for each data set, each with its own run of that name.
// What is left out, and why, is said. Of a report's CSV it returns the columns, by each run's
// setting.
func against(a *cli.App, list []*runs.Run, o options) (out []compare.Table, columns []tables.Column, err error) {
	sets, err := withFirst(a, list, o.against)
	if err != nil {
		return nil, nil, err
	}
	byRun := map[string]*compare.Comparison{}
	var failed []error
	for _, s := range sets {
		table, of, err := s.compare(a, o.against, len(sets) > 1)
		if err != nil {
			failed = append(failed, err)
			continue
		}
		for i, c := range table {
			for _, r := range of[i] {
				byRun[r.Path] = c
			}
		}
		if len(table) > 0 {
			out = append(out, table)
		}
	}
	switch {
	case len(out) == 0 && len(failed) > 0:
		return nil, nil, failed[0]
	case len(out) == 0:
		return nil, nil, fmt.Errorf("--against %s: there is no other setting on its reviews", o.against)
	}
	for _, err := range failed {
		leftOut(a, o.against, err)
	}
	for _, name := range []string{"first", "difference_points", "low", "high", "p", "p_holm", "within_noise"} {
		columns = append(columns, tables.Column{Name: "against_" + name, Of: func(path string) string {
			if c := byRun[path]; c != nil {
				return c.Field(name)
			}
			return ""
		}})
	}
	return out, columns, nil
}

func leftOut(a *cli.App, ref string, why error) {
	a.IO.Complain(fmt.Sprintf("exp: left out of --against %s: %v", ref, why))
}

// withFirst parts the finished settings of a list by their reviews, each part with the runs
// that a word means on them. A part without such runs is left out, and named; none at all is
// an error.
func withFirst(a *cli.App, list []*runs.Run, ref string) (out []*sameReviews, err error) {
	var parts []*sameReviews
	for _, g := range testedSettings(list) {
		reviews := report.ReviewsOf(&g[0].Config)
		i := slices.IndexFunc(parts, func(s *sameReviews) bool { return s.reviews == reviews })
		if i < 0 {
			i, parts = len(parts), append(parts, &sameReviews{reviews: reviews})
		}
		parts[i].groups = append(parts[i].groups, g)
	}
	named, err := a.RunsOf(ref)
	known, _ := runs.Match(a.Runs, ref) // of all data; what cannot be read the report has named
	var missing []error
	for _, s := range parts {
		var why error
		s.first, why = s.named(ref, named, slices.Concat(list, known))
		if s.first != nil {
			out = append(out, s)
			continue
		}
		missing = append(missing, why)
	}
	if len(out) == 0 {
		return nil, cmp.Or(err, fmt.Errorf("--against %s: there is no other setting on its reviews", ref))
	}
	for _, why := range missing {
		leftOut(a, ref, why)
	}
	return out, nil
}

// testedSettings returns the finished runs that were tested, of a setting each, in the order of the
// catalogue.
func testedSettings(list []*runs.Run) (out [][]*runs.Run) {
	byPath := map[string]*runs.Run{}
	for _, r := range list {
		byPath[r.Path] = r
	}
	all := report.Grouped(report.ReadAll(slices.Clone(list), experiments.InOrder()...))
	slices.SortStableFunc(all, func(x, y []*report.Result) int { return cmp.Compare(x[0].Rank, y[0].Rank) })
	for _, g := range all {
		var finished []*runs.Run
		for _, r := range g {
			if r.Finished && !r.Config.Untested() {
				finished = append(finished, byPath[r.Path])
			}
		}
		if len(finished) > 0 {
			out = append(out, finished)
		}
	}
	return out
}

// named returns the runs that a word means on these reviews: those that it means anywhere, or
// of an experiment's name the setting that was run on them, of several the one for which
// nobody has set anything. The error says why there are none.
func (s *sameReviews) named(ref string, named, all []*runs.Run) ([]*runs.Run, error) {
	if len(named) > 0 && report.ReviewsOf(&named[0].Config) == s.reviews {
		return named, nil
	}
	on := report.DataTitle(&s.groups[0][0].Config)
	none := fmt.Errorf("the runs on %s, where it was not run", on)
	var own []*runs.Run
	seen := map[string]bool{} // the list may have those of the folder, too
	for _, r := range all {
		if r.Config.Name == ref && report.ReviewsOf(&r.Config) == s.reviews && !seen[r.Label()] {
			own, seen[r.Label()] = append(own, r), true
		}
	}
	groups := testedSettings(own)
	if len(groups) > 1 {
		plain := slices.DeleteFunc(slices.Clone(groups), func(g []*runs.Run) bool {
			return slices.ContainsFunc(g[0].Config.Given(), func(v runs.Value) bool { return !slices.Contains(report.Told, v.Key) })
		})
		if len(plain) != 1 {
			return nil, fmt.Errorf("the runs on %s, where it has %d settings: name one", on, len(groups))
		}
		groups = plain
	}
	if len(groups) == 0 {
		return nil, none
	}
	return groups[0], nil
}

// compare compares the settings with the first, and returns the runs behind each comparison.
// Of several tables each says what it is of. What cannot be compared is left out, and named.
func (s *sameReviews) compare(a *cli.App, ref string, several bool) (compare.Table, [][]*runs.Run, error) {
	key := report.SettingKey(report.ReadAll(s.first)[0])
	groups := [][]*runs.Run{s.first}
	for _, g := range s.groups {
		if report.SettingKey(report.ReadAll(g)[0]) != key {
			groups = append(groups, g)
		}
	}
	if len(groups) == 1 {
		return nil, nil, nil
	}
	var sides []compare.Side
	var of [][]*runs.Run // behind each side
	for i, name := range report.Names(groups) {
		if i == 0 && several {
			name += " (" + report.DataTitle(&s.first[0].Config) + ")"
		}
		side, kept, err := readable(a, ref, name, groups[i])
		if err != nil && i == 0 {
			return nil, nil, err
		}
		if err != nil {
			leftOut(a, ref, err)
			continue
		}
		side.Uses = task.OfRun(side.Config).Uses
		sides, of = append(sides, side), append(of, kept)
	}
	if len(sides) == 1 {
		return nil, nil, nil
	}
	compared, err := compare.Against(sides[0], sides[1:]...)
	if err == nil {
		return compared, of[1:], nil
	}
	var fit []compare.Side // without those that cannot be compared at all
	var behind [][]*runs.Run
	for i, side := range sides[1:] {
		if _, bad := compare.Against(sides[0], side); bad != nil {
			leftOut(a, ref, bad)
			continue
		}
		fit, behind = append(fit, side), append(behind, of[i+1])
	}
	if len(fit) == 0 {
		return nil, nil, err
	}
	compared, err = compare.Against(sides[0], fit...)
	return compared, behind, err
}

// readable reads the predictions of a setting's runs, and returns those that have some. The
// others are named; the error is that of the last where none has.
func readable(a *cli.App, ref, name string, group []*runs.Run) (compare.Side, []*runs.Run, error) {
	for {
		side, err := compare.ReadSide(name, group)
		none, ok := errors.AsType[*compare.NoPredictionsError](err)
		if !ok || len(group) == 1 {
			return side, group, err
		}
		leftOut(a, ref, err)
		group = slices.DeleteFunc(slices.Clone(group), func(r *runs.Run) bool { return r == none.Run })
	}
}
