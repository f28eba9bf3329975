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

// comparing are the settings of a report by data set, compared with that of --against, if there is one.
type comparing struct {
	*cli.App
	ref     string // of --against
	sets    []dataSet
	omitted []error // all that could not be compared
}

// dataSet has the settings that were evaluated on the same reviews, that of --against first.
type dataSet struct {
	sides  []compare.Side
	groups [][]*runs.Run
}

// read reads the predictions of the evaluated settings of a list.
func (c *comparing) read(list []*runs.Run) error {
	var named, known []*runs.Run
	var err error
	if c.ref != "" {
		named, err = c.RunsOf(c.ref)
		known, _ = runs.Match(c.Runs, c.ref) // on all data; the report names runs that cannot be read
	}
	sets := sameReviews(testedSettings(list))
	for _, groups := range sets {
		if c.ref != "" {
			first, why := firstOn(groups, c.ref, named, slices.Concat(list, known))
			if why != nil {
				c.omitted = append(c.omitted, why)
				continue
			}
			others := slices.DeleteFunc(slices.Clone(groups), func(g []*runs.Run) bool {
				return slices.ContainsFunc(g, func(r *runs.Run) bool { return r.Path == first[0].Path })
			})
			groups = append([][]*runs.Run{first}, others...)
		}
		names := report.Names(groups)
		if c.ref != "" && len(sets) > 1 {
			names[0] += " (" + report.DataTitle(&groups[0][0].Config) + ")"
		}
		var d dataSet
		for i, name := range names {
			s, g, why := c.side(name, groups[i])
			if why == nil && c.ref != "" && i > 0 {
				_, why = compare.Against(d.sides[0], s)
			}
			if why == nil {
				d.sides, d.groups = append(d.sides, s), append(d.groups, g)
				continue
			}
			if c.omitted = append(c.omitted, why); c.ref != "" && i == 0 {
				break
			}
		}
		if len(d.sides) > min(len(c.ref), 1) { // with --against, the first and another
			c.sets = append(c.sets, d)
		}
	}
	if len(c.sets) == 0 {
		return cmp.Or(err, errors.Join(c.omitted...), errors.New("no setting was evaluated on these reviews, or no other one than that of --against"))
	}
	return nil
}

// complain names what was omitted.
func (c *comparing) complain(from string) {
	for _, why := range c.omitted {
		c.Complain(fmt.Sprintf("exp: omitted from %s: %v", from, why))
	}
}

// side reads the predictions of a setting, and returns the runs that have some.
func (c *comparing) side(name string, group []*runs.Run) (compare.Side, []*runs.Run, error) {
	s, err := compare.ReadSide(name, group)
	if none, ok := errors.AsType[*compare.NoPredictionsError](err); ok && len(group) > 1 {
		c.omitted = append(c.omitted, err)
		return c.side(name, slices.DeleteFunc(slices.Clone(group), func(r *runs.Run) bool { return r == none.Run }))
	}
	return s, group, err
}

// against compares each setting of the list with the setting of --against, on the reviews that both
// have predicted: one table for each data set. It returns also columns for CSV.
func against(a *cli.App, list []*runs.Run, ref string) (out []compare.Table, columns []tables.Column, err error) {
	c := &comparing{App: a, ref: ref}
	if err := c.read(list); err != nil {
		return nil, nil, err
	}
	c.complain("--against " + ref)
	byRun := map[string]*compare.Comparison{} // by the folder of the run
	for _, d := range c.sets {
		table, err := compare.Against(d.sides[0], d.sides[1:]...)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, table)
		for i, x := range table {
			for _, r := range d.groups[i+1] {
				byRun[r.Path] = x
			}
		}
	}
	for _, name := range []string{"first", "difference_points", "low", "high", "p", "p_holm", "within_noise"} {
		columns = append(columns, tables.Column{Name: "against_" + name, Of: func(path string) string {
			if found := byRun[path]; found != nil {
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
// setting of that experiment on these reviews, if several, that with default settings.
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
			return slices.ContainsFunc(g[0].Config.Given(), func(v runs.Value) bool { return !slices.Contains(report.ColumnKeys, v.Key) })
		})
		if len(own) != 1 {
			return nil, fmt.Errorf("the runs on %s: %s has %d settings there; name one", report.DataTitle(of), ref, n)
		}
	}
	if len(own) == 0 {
		return nil, fmt.Errorf("the runs on %s: it was not trained on them", report.DataTitle(of))
	}
	return own[0], nil
}
