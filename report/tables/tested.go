package tables

import (
	"fmt"

	"imdbexp/internal/format"
	"imdbexp/report"
)

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
