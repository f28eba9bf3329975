package report

import (
	"fmt"
	"path/filepath"
	"strings"

	"imdbexp/runs"
)

// Options say how a report is made.
type Options struct {
	Dir  string // the runs folder, for the message when there is nothing to report
	Cite bool   // how to cite the runs behind each row, beside it

	Unreadable []*runs.UnreadableError // folders that would be shown, too
}

// Report is a set of runs sorted for comparison.
type Report struct {
	Blocks  []Block // one a set of reviews
	dir     string
	leftOut []Note
}

// Block holds runs on the same reviews. Its rows may be compared, and so may its trials.
type Block struct {
	Title    string
	Digest   string   // of the data
	Variants []string // columns: original, default, then any others by name
	Rows     []Row
	Trials   []Trials // what never looks at test, apart

	compared bool // the published numbers speak of these reviews
	cited    bool // see Options.Cite
}

// Row is one experiment with one optimizer and, where such runs differ in more
// than the seed, those settings.
type Row struct {
	Name      string // experiment
	Optimizer string
	Settings  []string // key=value that tell the row from its neighbours

	Published *runs.Published  // nil where it must not be shown
	Cells     map[string]*Cell // by variant
	Notes     []Note           // why there is no published number
}

// Cell is what one variant of a row came to: the runs of one setting, which
// differ by nothing but the seed.
type Cell struct {
	Variant    string
	Runs       []*Result // by seed; at least one
	Difference float64   // mean test accuracy less the published, points; NaN where not comparable
	Notes      []Note
}

// Build sorts the runs into a report. A run whose folder is damaged or empty is
// shown with what can be read and a note; it is no error.
func Build(list []*runs.Run, o Options) *Report {
	rep := &Report{dir: o.Dir, leftOut: unreadNotes(o.Unreadable)}
	rep.Blocks = blocks(readAll(list))
	for i := range rep.Blocks {
		rep.Blocks[i].cited = o.Cite
	}
	return rep
}

// unreadNotes are those on folders without a configuration that could be read: there is
// no row for them.
func unreadNotes(list []*runs.UnreadableError) []Note {
	var out []Note
	for _, e := range list {
		text, more, cut := strings.Cut(e.Error(), "\n")
		if cut {
			text += fmt.Sprintf(" (and %d more)", 1+strings.Count(more, "\n"))
		}
		out = append(out, Note{Damaged, text})
	}
	return out
}

// readAll reads the runs, each folder once.
func readAll(list []*runs.Run) []*Result {
	var out []*Result
	seen := map[string]bool{}
	for _, run := range list {
		if path := filepath.Clean(run.Path); !seen[path] {
			seen[path] = true
			out = append(out, read(run))
		}
	}
	return settled(out)
}

// Empty returns what to tell when there is nothing to report, else "".
func (r *Report) Empty() string {
	if len(r.Blocks) > 0 {
		return ""
	}
	dir := r.dir
	if dir == "" {
		dir = "the runs folder"
	}
	return fmt.Sprintf("no finished runs in %s; try: exp run tme9-simple", dir)
}

// Results returns every run of the report in the order of its tables.
func (r *Report) Results() []*Result {
	var out []*Result
	for _, b := range r.Blocks {
		out = append(out, b.results()...)
	}
	return out
}

// Stat sums up one number over the seeds of a cell.
func (c *Cell) Stat(of func(Numbers) float64) Moments {
	values := make([]float64, len(c.Runs))
	for i, r := range c.Runs {
		values[i] = of(r.Chosen)
	}
	return Summarise(values)
}

// Oracle sums up each seed's best accuracy on test.
func (c *Cell) Oracle() Moments {
	values := make([]float64, len(c.Runs))
	for i, r := range c.Runs {
		values[i] = r.Oracle.TestAcc
	}
	return Summarise(values)
}

// TestAcc picks the test accuracy, for Stat.
func TestAcc(n Numbers) float64 { return n.TestAcc }

// Wilson returns the 95 % interval around the cell's mean score on test (see
// Score). Its trials are the reviews or pairs, which all seeds share, so more seeds do not narrow it.
func (c *Cell) Wilson() (Interval, error) {
	return wilsonPercent(c.Stat(c.Score()).Mean, c.Runs[0].Counted())
}
