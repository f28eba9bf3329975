package tables

import (
	"cmp"
	"fmt"
	"maps"
	"slices"

	"imdbexp/internal/format"
	"imdbexp/report"
)

// Blocks groups the runs by their reviews: the full IMDB first, then parts of it, other data from
// the largest on, and the sample last.
func Blocks(results []*report.Result) (out []Block) {
	of := func(r *report.Result) report.Reviews { return report.ReviewsOf(&r.Config) }
	groups := report.GroupBy(results, of)
	rank := func(g []*report.Result) int {
		switch {
		case slices.ContainsFunc(g, full):
			return 0
		case of(g[0]).Name == "imdb":
			return 1
		case of(g[0]).Name == "sample":
			return 3
		}
		return 2
	}
	slices.SortFunc(groups, func(x, y []*report.Result) int {
		a, b := of(x[0]), of(y[0])
		return cmp.Or(rank(x)-rank(y), size(y)-size(x), cmp.Compare(a.Name, b.Name), cmp.Compare(a.Limit, b.Limit), cmp.Compare(a.Digest, b.Digest))
	})
	titles := map[string]int{}
	for _, list := range groups {
		titles[title(list)]++
	}
	for _, list := range groups {
		trial := func(r *report.Result) bool { return r.Trial() }
		tested := slices.DeleteFunc(slices.Clone(list), trial)
		untested := slices.DeleteFunc(slices.Clone(list), func(r *report.Result) bool { return !trial(r) })
		b := Block{Title: title(list), Rows: rows(tested), Trials: trials(untested)}
		b.compared = slices.ContainsFunc(tested, full) && slices.ContainsFunc(tested, func(r *report.Result) bool { return r.Config.Published != nil })
		addEvaluations(b.Rows)
		b.Variants = variantsOf(tested, b.compared)
		if titles[b.Title] > 1 { // the same title for different reviews
			b.Title += ", data digest " + format.Short(of(list[0]).Digest)
		}
		out = append(out, b)
	}
	return out
}

// title names the reviews of a block by the run with the most training reviews; data.train gives
// other runs fewer.
func title(list []*report.Result) string {
	trained := func(r *report.Result) int { return r.Config.Data.Train.Reviews + r.Config.Data.Valid.Reviews }
	return report.ReviewsTitle(&slices.MaxFunc(list, func(a, b *report.Result) int { return trained(a) - trained(b) }).Config)
}

// size returns the largest number of reviews that one of the runs reads.
func size(list []*report.Result) int {
	n := 0
	for _, r := range list {
		d := r.Config.Data
		n = max(n, d.Train.Reviews+d.Valid.Reviews+d.Test.Reviews)
	}
	return n
}

func full(r *report.Result) bool { return report.FullIMDB(&r.Config) }

// variantsOf returns the variants of the runs; all adds the missing ones of the published table.
func variantsOf(list []*report.Result, all bool) (out []string) {
	found := map[string]bool{}
	for _, r := range list {
		found[r.Variant()] = true
	}
	for _, v := range report.Variants {
		if all || found[v] {
			out = append(out, v)
		}
		delete(found, v)
	}
	return append(out, slices.Sorted(maps.Keys(found))...)
}

// addEvaluations notes in the rows of a block what may have been chosen on the test set: the epoch
// of a run, as the published code does, or one of several settings. Each evaluation is one more
// chance to look good by luck. Seeds are no choice: they are averaged.
func addEvaluations(rows []Row) {
	type count struct{ evaluations, runs, settings int }
	all := map[columnGroup]count{}
	last := map[columnGroup]string{} // label; rows of one label stand together
	for _, row := range rows {
		for _, c := range row.Cells {
			if n, tested := c.evaluations(); n > 0 {
				k := columnGroupOf(c.Runs[0])
				t := all[k]
				if row.Label() != last[k] {
					t.settings++
				}
				all[k], last[k] = count{t.evaluations + n, t.runs + tested, t.settings}, row.Label()
			}
		}
	}
	for _, row := range rows {
		for v, c := range row.Cells {
			n, tested := c.evaluations()
			if t := all[columnGroupOf(c.Runs[0])]; n > 0 && t.settings > 1 {
				c.addNotes([]report.Note{{Kind: report.Looked, Text: fmt.Sprintf("%s in %s of %d settings of %s %s %s; to take the best setting is to choose on the test set",
					format.Counted(t.evaluations, "time"), format.Counted(t.runs, "run"), t.settings, row.Name, row.Optimizer, v)}})
			}
			if n > 0 && c.Runs[0].ChoosesByTest() {
				c.addNotes([]report.Note{{Kind: report.Looked, Text: fmt.Sprintf("%s in %s, to choose the epoch", format.Counted(n, "time"), format.Counted(tested, "run"))}})
			}
		}
	}
}

// evaluations returns how often the cell's runs were evaluated on the test set, and how many were.
func (c *Cell) evaluations() (times, tested int) {
	for _, r := range c.Runs {
		if n := r.Run.TestEvaluations(); n > 0 {
			times, tested = times+n, tested+1
		}
	}
	return times, tested
}
