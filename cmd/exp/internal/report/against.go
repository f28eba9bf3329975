package report

import (
	"cmp"
	"errors"
	"fmt"
	"slices"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/experiments"
	"imdbexp/report"
	"imdbexp/report/compare"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// comparing compares settings with that of --against. It names everything that it omits.
type comparing struct {
	*cli.App
	ref     string
	byRun   map[string]*compare.Comparison // by the folder of the run
	omitted []error
}

// against compares each setting of the list with the setting of --against, on the reviews that both
// have predicted: one table for each data set. It returns also columns for CSV.
func against(a *cli.App, list []*runs.Run, ref string) (out []compare.Table, columns []tables.Column, err error) {
	c := &comparing{App: a, ref: ref, byRun: map[string]*compare.Comparison{}}
	named, err := a.RunsOf(ref)
	known, _ := runs.Match(a.Runs, ref) // on all data; the report names runs that cannot be read
	sets := sameReviews(testedSettings(list))
	for _, groups := range sets {
		first, why := firstOn(groups, ref, named, slices.Concat(list, known))
		if why != nil {
			c.omitted = append(c.omitted, why)
			continue
		}
		if table := c.table(first, groups, len(sets) > 1); len(table) > 0 {
			out = append(out, table)
		}
	}
	if len(out) == 0 {
		none := fmt.Errorf("--against %s: no other setting was evaluated on its reviews", ref)
		return nil, nil, cmp.Or(err, errors.Join(c.omitted...), none)
	}
	for _, why := range c.omitted {
		a.IO.Complain(fmt.Sprintf("exp: omitted from --against %s: %v", ref, why))
	}
	for _, name := range []string{"first", "difference_points", "low", "high", "p", "p_holm", "within_noise"} {
		columns = append(columns, tables.Column{Name: "against_" + name, Of: func(path string) string {
			if found := c.byRun[path]; found != nil {
				return found.Field(name)
			}
			return ""
		}})
	}
	return out, columns, nil
}

// testedSettings returns the finished, evaluated runs of each setting, in the order of the catalogue.
func testedSettings(list []*runs.Run) [][]*runs.Run {
	tested := slices.DeleteFunc(slices.Clone(list), func(r *runs.Run) bool { return r.Status.State != runs.Finished || r.Config.Untested() })
	order := experiments.InOrder()
	slices.SortStableFunc(tested, func(a, b *runs.Run) int {
		return cmp.Compare(slices.Index(order, a.Config.Name), slices.Index(order, b.Config.Name))
	})
	return report.BySetting(tested)
}

// sameReviews groups settings that were evaluated on the same reviews.
func sameReviews(settings [][]*runs.Run) (out [][][]*runs.Run) {
	at := map[report.Reviews]int{}
	for _, g := range settings {
		reviews := report.ReviewsOf(&g[0].Config)
		i, known := at[reviews]
		if !known {
			i, at[reviews] = len(out), len(out)
			out = append(out, nil)
		}
		out[i] = append(out[i], g)
	}
	return out
}

// firstOn returns the runs of --against on the reviews of the groups: the runs that it names, or the
// setting of that experiment on these reviews, of several the one with default settings.
func firstOn(groups [][]*runs.Run, ref string, named, all []*runs.Run) ([]*runs.Run, error) {
	of := &groups[0][0].Config
	elsewhere := func(r *runs.Run) bool { return report.ReviewsOf(&r.Config) != report.ReviewsOf(of) }
	if len(named) > 0 && !elsewhere(named[0]) {
		return named, nil
	}
	seen := map[string]bool{} // the list may contain runs of the folder
	own := testedSettings(slices.DeleteFunc(all, func(r *runs.Run) bool {
		again := seen[r.Label()]
		seen[r.Label()] = true
		return again || r.Config.Name != ref || elsewhere(r)
	}))
	if n := len(own); n > 1 {
		own = slices.DeleteFunc(own, func(g []*runs.Run) bool {
			return slices.ContainsFunc(g[0].Config.Given(), func(v runs.Value) bool { return !slices.Contains(report.Told, v.Key) })
		})
		if len(own) != 1 {
			return nil, fmt.Errorf("the runs on %s: it has %d settings there; name one", report.DataTitle(of), n)
		}
	}
	if len(own) == 0 {
		return nil, fmt.Errorf("the runs on %s: it was not trained on them", report.DataTitle(of))
	}
	return own[0], nil
}

// firstOf puts a setting before the others.
func firstOf(first []*runs.Run, groups [][]*runs.Run) [][]*runs.Run {
	others := slices.DeleteFunc(slices.Clone(groups), func(g []*runs.Run) bool {
		return slices.ContainsFunc(g, func(r *runs.Run) bool { return r.Path == first[0].Path })
	})
	return append([][]*runs.Run{first}, others...)
}

// table compares settings with the first; withData adds the data to its name.
func (c *comparing) table(first []*runs.Run, groups [][]*runs.Run, withData bool) compare.Table {
	groups = firstOf(first, groups)
	names := report.Names(groups)
	if withData {
		names[0] += " (" + report.DataTitle(&first[0].Config) + ")"
	}
	base, _, err := c.read(names[0], first)
	if err != nil {
		c.omitted = append(c.omitted, err)
		return nil
	}
	var fit []compare.Side
	var used [][]*runs.Run
	for i, g := range groups[1:] {
		s, g, err := c.read(names[i+1], g)
		if err == nil {
			_, err = compare.Against(base, s)
		}
		if err != nil {
			c.omitted = append(c.omitted, err)
			continue
		}
		fit, used = append(fit, s), append(used, g)
	}
	table, _ := compare.Against(base, fit...) // each has been compared already
	for i, x := range table {
		for _, r := range used[i] {
			c.byRun[r.Path] = x
		}
	}
	return table
}

// read reads the predictions of a setting, and returns the runs that have some.
func (c *comparing) read(name string, group []*runs.Run) (compare.Side, []*runs.Run, error) {
	s, err := compare.ReadSide(name, group)
	if none, ok := errors.AsType[*compare.NoPredictionsError](err); ok && len(group) > 1 {
		c.omitted = append(c.omitted, err)
		return c.read(name, slices.DeleteFunc(slices.Clone(group), func(r *runs.Run) bool { return r == none.Run }))
	}
	return s, group, err
}
