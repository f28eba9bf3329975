package tables

import (
	"fmt"

	"imdbexp/internal/format"
	"imdbexp/report"
)

// tries is how often the test split was looked at for one experiment, optimizer and
// variant.
type tries struct {
	looks, runs int
	settings    map[string]bool // labels of rows
}

// addLooks notes in the rows of one block what can have been chosen by test: the
// epoch of a run, as the published code does, or one of the settings that were
// tried. Each look at test is one more try to come out well by chance. Seeds are no
// choice: they are averaged.
func addLooks(rows []Row) {
	type kind struct{ name, optimizer, variant string }
	all := map[kind]tries{}
	for _, row := range rows {
		for v, c := range row.Cells {
			looks, n := c.looks()
			if looks == 0 {
				continue
			}
			k := kind{name: row.Name, optimizer: row.Optimizer, variant: v}
			t := all[k]
			if t.settings == nil {
				t.settings = map[string]bool{}
			}
			t.looks, t.runs = t.looks+looks, t.runs+n
			t.settings[row.Label()] = true
			all[k] = t
		}
	}
	for _, row := range rows {
		for v, c := range row.Cells {
			looks, n := c.looks()
			if looks == 0 {
				continue
			}
			if t := all[kind{name: row.Name, optimizer: row.Optimizer, variant: v}]; len(t.settings) > 1 {
				c.addNotes([]report.Note{{Kind: report.Looked, Text: fmt.Sprintf("%s in %s, over %d settings of %s %s %s; to take the best is to choose by test",
					format.Counted(t.looks, "time"), format.Counted(t.runs, "run"), len(t.settings), row.Name, row.Optimizer, v)}})
			}
			if c.Runs[0].ChoosesByTest() {
				c.addNotes([]report.Note{{Kind: report.Looked, Text: fmt.Sprintf("%s in %s, to choose the epoch", format.Counted(looks, "time"), format.Counted(n, "run"))}})
			}
		}
	}
}

// looks returns how often the cell's runs looked at test, and how many of them did.
func (c *Cell) looks() (looks, looked int) {
	for _, r := range c.Runs {
		if n := r.Run.TestLooks(); n > 0 {
			looks, looked = looks+n, looked+1
		}
	}
	return looks, looked
}
