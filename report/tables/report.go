// Package tables answers: how do runs compare in numbers?
//
// Build sorts runs into blocks (one a set of reviews: numbers on different reviews
// never stand together), rows (one a setting) and cells (the seeds of that setting).
// Text, Markdown, LaTeX, CSV and HTML are views of the same Report; a new format is a
// new view. A Pivot sorts the same runs by any of their settings and has the same views.
package tables

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"imdbexp/report"
	"imdbexp/runs"
)

// Options say how a report is made.
type Options struct {
	Dir string // the runs folder, for the message when there is nothing to report

	Asked []string // the names whose runs these are, for the same message; none: all of the folder

	Cite bool // how to cite the runs behind each row, beside it

	Smooth float64 // weight of the smoothed ends of the curves, in a table of their own; 0: none

	Order []string // of the experiments' rows; others follow by name

	Unreadable []*runs.UnreadableError // folders that would be shown, too

	Columns []Column // more of the CSV
}

// Column is one of the CSV that whoever asks for it fills.
type Column struct {
	Name string
	Of   func(path string) string // of the run in that folder
}

// Report is a set of runs sorted for comparison.
type Report struct {
	Blocks  []Block // one a set of reviews
	dir     string
	asked   []string
	smooth  float64       // see Options.Smooth
	columns []Column      // see Options.Columns
	LeftOut []report.Note // on runs of which nothing can be shown
}

// Block holds runs on the same reviews. Its rows may be compared, and so may its trials.
type Block struct {
	Title    string
	Variants []string // columns: original, default, then any others by name
	Rows     []Row
	Trials   []Trials // what never looks at test, apart

	compared bool    // the published numbers speak of these reviews
	cited    bool    // see Options.Cite
	smooth   float64 // see Options.Smooth
}

// Row is one experiment with one optimizer and, where such runs differ in more
// than the seed, those settings.
type Row struct {
	Name      string // experiment
	Optimizer string
	Settings  []string // key=value that tell the row from its neighbours

	Published *runs.Published  // nil where it must not be shown
	Cells     map[string]*Cell // by variant
	Notes     []report.Note    // why there is no published number
}

// Cell is what one variant of a row came to: the runs of one setting, which
// differ by nothing but the seed.
type Cell struct {
	Variant    string
	Runs       []*report.Result // by seed; at least one
	Difference float64          // mean test accuracy less the published, points; NaN where not comparable
	Notes      []report.Note
}

// Build sorts the runs into a report. A run whose folder is damaged or empty is
// shown with what can be read and a note; it is no error.
func Build(list []*runs.Run, o Options) *Report {
	rep := &Report{dir: o.Dir, asked: o.Asked, smooth: o.Smooth, columns: o.Columns, LeftOut: unreadNotes(o.Unreadable)}
	rep.Blocks = Blocks(report.ReadAll(list, o.Order...))
	for i := range rep.Blocks {
		rep.Blocks[i].cited, rep.Blocks[i].smooth = o.Cite, o.Smooth
	}
	return rep
}

// unreadNotes are those on folders without a configuration that could be read: there is
// no row for them.
func unreadNotes(list []*runs.UnreadableError) []report.Note {
	var out []report.Note
	for _, e := range list {
		text, more, cut := strings.Cut(e.Error(), "\n")
		if cut {
			text += fmt.Sprintf(" (and %d more)", 1+strings.Count(more, "\n"))
		}
		kind := report.Damaged
		if errors.Is(e, fs.ErrPermission) {
			kind = report.Denied
		}
		out = append(out, report.Note{Kind: kind, Text: text})
	}
	return out
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
	of, try := "", "tme9-simple"
	if len(r.asked) > 0 {
		try = strings.Join(r.asked, " ")
		of = " of " + try
	}
	return fmt.Sprintf("no finished runs%s in %s; try: exp run %s", of, dir, try)
}

// Results returns every run of the report in the order of its tables.
func (r *Report) Results() []*report.Result {
	var out []*report.Result
	for _, b := range r.Blocks {
		out = append(out, b.results()...)
	}
	return out
}
