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

// sameReviews are settings that were evaluated on the same reviews.
type sameReviews struct {
	reviews report.Reviews
	groups  [][]*runs.Run // finished runs, one group for each setting
	first   []*runs.Run   // the runs of --against
}

// against compares each setting of the list with the setting of --against, on the reviews that both
// have predicted: one table for each data set. It reports what it omits, and returns columns for
// CSV.
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
		return nil, nil, fmt.Errorf("--against %s: no other setting was evaluated on its reviews", o.against)
	}
	for _, err := range failed {
		omitted(a, o.against, err)
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

func omitted(a *cli.App, ref string, why error) {
	a.IO.Complain(fmt.Sprintf("exp: omitted from --against %s: %v", ref, why))
}

// withFirst groups the finished settings of a list by their reviews, each group with the runs of
// --against on them. It reports groups without such runs; if none has any, it returns an error.
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
	known, _ := runs.Match(a.Runs, ref) // on all data; the report names runs that cannot be read
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
		return nil, cmp.Or(err, fmt.Errorf("--against %s: no other setting was evaluated on its reviews", ref))
	}
	for _, why := range missing {
		omitted(a, ref, why)
	}
	return out, nil
}

// testedSettings returns the finished, evaluated runs of each setting, in the order of the catalogue.
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

// named returns the runs of --against on these reviews: the runs that it names, or the setting of
// that experiment on these reviews, of several the one with default settings. The error says why
// there are none.
func (s *sameReviews) named(ref string, named, all []*runs.Run) ([]*runs.Run, error) {
	if len(named) > 0 && report.ReviewsOf(&named[0].Config) == s.reviews {
		return named, nil
	}
	on := report.DataTitle(&s.groups[0][0].Config)
	none := fmt.Errorf("the runs on %s: it was not trained on them", on)
	var own []*runs.Run
	seen := map[string]bool{} // the list may contain runs of the folder
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
			return nil, fmt.Errorf("the runs on %s: it has %d settings there; name one", on, len(groups))
		}
		groups = plain
	}
	if len(groups) == 0 {
		return nil, none
	}
	return groups[0], nil
}

// compare compares the settings with the first, and returns the runs of each comparison. It reports
// settings that cannot be compared.
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
	var of [][]*runs.Run // the runs of each side
	for i, name := range report.Names(groups) {
		if i == 0 && several {
			name += " (" + report.DataTitle(&s.first[0].Config) + ")"
		}
		side, kept, err := readable(a, ref, name, groups[i])
		if err != nil && i == 0 {
			return nil, nil, err
		}
		if err != nil {
			omitted(a, ref, err)
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
	var fit []compare.Side // sides that can be compared
	var behind [][]*runs.Run
	for i, side := range sides[1:] {
		if _, bad := compare.Against(sides[0], side); bad != nil {
			omitted(a, ref, bad)
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

// readable reads the predictions of a setting, and returns the runs that have some. It reports the
// others; if none has any, it returns the error of the last.
func readable(a *cli.App, ref, name string, group []*runs.Run) (compare.Side, []*runs.Run, error) {
	for {
		side, err := compare.ReadSide(name, group)
		none, ok := errors.AsType[*compare.NoPredictionsError](err)
		if !ok || len(group) == 1 {
			return side, group, err
		}
		omitted(a, ref, err)
		group = slices.DeleteFunc(slices.Clone(group), func(r *runs.Run) bool { return r == none.Run })
	}
}
