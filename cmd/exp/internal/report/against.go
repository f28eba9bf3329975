package report

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"slices"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/experiments/task"
	"imdbexp/report"
	"imdbexp/report/compare"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// against compares each setting of the list with the one that --against names, on the reviews
// that both have answered. Of a report's CSV it returns the columns, by each run's setting.
func against(a *cli.App, list []*runs.Run, o options) (compare.Table, []tables.Column, error) {
	byPath := map[string]*runs.Run{}
	for _, r := range list {
		byPath[r.Path] = r
	}
	all := report.Grouped(report.ReadAll(list, experiments.InOrder()...))
	slices.SortStableFunc(all, func(x, y []*report.Result) int { return cmp.Compare(x[0].Rank, y[0].Rank) })
	finished := func(g []*report.Result) (out []*runs.Run) {
		for _, r := range g {
			if r.Finished && !r.Config.Untested() {
				out = append(out, byPath[r.Path])
			}
		}
		return out
	}
	named, err := a.RunsOf(o.against)
	if err != nil { // where the report has it with one setting alone, that is meant
		i := slices.IndexFunc(all, func(g []*report.Result) bool { return g[0].Config.Name == o.against && len(finished(g)) > 0 })
		if i < 0 || slices.ContainsFunc(all[i+1:], func(g []*report.Result) bool { return g[0].Config.Name == o.against && len(finished(g)) > 0 }) {
			return nil, nil, err
		}
		named = finished(all[i])
	}
	reviews, key := report.ReviewsOf(&named[0].Config), report.SettingKey(report.ReadAll(named)[0])
	groups := [][]*runs.Run{named}
	for _, g := range all {
		if report.ReviewsOf(&g[0].Config) != reviews || report.SettingKey(g[0]) == key {
			continue
		}
		if group := finished(g); len(group) > 0 {
			groups = append(groups, group)
		}
	}
	var sides []compare.Side
	var of [][]*runs.Run // behind each side
	for i, name := range report.Names(groups) {
		s, err := compare.ReadSide(name, groups[i])
		switch {
		case err == nil:
			s.Means = task.OfRun(s.Config).Means
			sides, of = append(sides, s), append(of, groups[i])
		case i == 0 || !errors.Is(err, fs.ErrNotExist):
			return nil, nil, err
		}
	}
	if len(sides) < 2 {
		return nil, nil, fmt.Errorf("--against %s: there is no other setting on its reviews", o.against)
	}
	compared, err := compare.Against(sides[0], sides[1:]...)
	if err != nil {
		return nil, nil, err
	}
	byRun := map[string]*compare.Comparison{}
	for i, c := range compared {
		for _, r := range of[i+1] {
			byRun[r.Path] = c
		}
	}
	var columns []tables.Column
	for _, name := range []string{"first", "difference_points", "low", "high", "p", "p_holm", "within_noise"} {
		columns = append(columns, tables.Column{Name: "against_" + name, Of: func(path string) string {
			if c := byRun[path]; c != nil {
				return c.Field(name)
			}
			return ""
		}})
	}
	return compared, columns, nil
}
