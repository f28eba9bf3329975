// Package tables compares runs in numbers.
//
// Build sorts runs into blocks (one for each set of reviews, because numbers on different reviews are
// not comparable), rows (one for each setting) and cells (the seeds of the setting). A Pivot sorts
// the same runs by any of their settings. Both have the formats of render.View, and CSV.
package tables

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"maps"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/runs"
)

// Options say how a report is made.
type Options struct {
	Dir        string                  // the runs folder, for the message of an empty report
	Asked      []string                // the names given by the user, for the same message; none: all
	Cite       bool                    // add how to cite the runs behind each row
	Smooth     float64                 // add a table of the ends of the curves smoothed with this weight; 0: none
	Order      []string                // experiments in the order of their rows; others follow by name
	Unreadable []*runs.UnreadableError // folders to list as omitted
	Columns    []Column                // further columns of the CSV
}

// Column is a column of the CSV that the caller fills.
type Column struct {
	Name string
	Of   func(path string) string // of the run in that folder
}

// Report is runs sorted for comparison.
type Report struct {
	render.View
	Blocks []Block // one for each set of reviews

	smooth  float64
	columns []Column
}

// Block holds runs on the same reviews. Its rows are comparable, and so are its trials.
type Block struct {
	Title    string
	Variants []string // columns: original, default, then any others by name
	Rows     []Row
	Trials   []Trials // runs that are never evaluated on the test set

	compared bool // the published table has these reviews and one of the experiments
	cited    bool
	smooth   float64
}

// Row is one experiment with one optimizer, and with the settings in which such runs differ
// except for the seed.
type Row struct {
	Name      string // experiment
	Optimizer string
	Settings  []string // key=value that distinguish the row from others

	Published *runs.Published  // nil if no run is comparable
	Cells     map[string]*Cell // by variant
	Notes     []report.Note    // reasons for a missing published number
}

// Cell is one variant of a row: the runs of one setting, which differ in nothing but the seed.
type Cell struct {
	Variant    string
	Runs       []*report.Result // by seed; at least one
	Difference float64          // mean test accuracy minus the published one, points; NaN if not comparable
	Notes      []report.Note
}

// Build sorts the runs into a report. A run whose folder is damaged or empty is shown with its
// readable part and a note.
func Build(list []*runs.Run, o Options) *Report {
	rep := &Report{smooth: o.Smooth, columns: o.Columns, Blocks: Blocks(report.ReadAll(list, o.Order...))}
	rep.LeftOut = unreadable(o.Unreadable)
	if len(rep.Blocks) == 0 {
		rep.Message = nothing(o)
	}
	for i := range rep.Blocks {
		b := &rep.Blocks[i]
		b.cited, b.smooth = o.Cite, o.Smooth
		rep.Sections = append(rep.Sections, b.section())
	}
	return rep
}

// section returns the tables of a block with their footnotes.
func (b *Block) section() render.Section {
	var notes render.Footnotes
	var tables []*term.Table
	if len(b.Rows) > 0 {
		tables = slices.Concat([]*term.Table{b.accuracyTable(&notes), b.detailTable()}, b.translationTables(), b.smoothedTable())
	}
	tables = append(tables, report.Map(b.Trials, func(t Trials) *term.Table { return t.table(b, &notes) })...)
	return render.Section{Title: b.Title, Tables: tables, Keys: b.keys, Notes: notes.List}
}

// unreadable returns notes on folders without a readable configuration: they have no row.
func unreadable(list []*runs.UnreadableError) (out []report.Note) {
	for _, e := range list {
		text, _, _ := strings.Cut(e.Error(), "\n") // of several errors the first
		kind := report.Damaged
		if errors.Is(e, fs.ErrPermission) {
			kind = report.Denied
		}
		out = append(out, report.Note{Kind: kind, Text: text})
	}
	return out
}

// nothing returns the message of an empty report.
func nothing(o Options) string {
	of, try := "", "tme9-simple"
	if len(o.Asked) > 0 {
		try = strings.Join(o.Asked, " ")
		of = " of " + try
	}
	return fmt.Sprintf("no finished runs%s in %s; try: exp run %s", of, cmp.Or(o.Dir, "the runs folder"), try)
}

// Results returns every run of the report in the order of its tables.
func (r *Report) Results() (out []*report.Result) {
	for _, b := range r.Blocks {
		out = append(out, b.results()...)
	}
	return out
}

// results returns the runs of a block in the order of its tables.
func (b *Block) results() (out []*report.Result) {
	for _, c := range b.All() {
		out = append(out, c.Runs...)
	}
	return out
}

// All returns the cells of a block in the order of its tables, each with the label of its row.
func (b *Block) All() iter.Seq2[string, *Cell] {
	return func(yield func(string, *Cell) bool) {
		for _, row := range b.Rows {
			for _, v := range b.Variants {
				if c := row.Cells[v]; c != nil && !yield(row.Label(), c) {
					return
				}
			}
		}
		for _, t := range b.Trials {
			for _, c := range t.Cells {
				if !yield(t.label(c.Runs[0]), c) {
					return
				}
			}
		}
	}
}

// Records returns a record per run: fixed columns, the settings that differ between runs
// ("setting.KEY"), and the notes. Numbers have all their digits; missing ones are empty.
func (r *Report) Records() term.Records {
	keys, none := r.differing(), new(runs.Metrics)
	zero := &report.Result{Chosen: none, Oracle: none, Run: new(runs.Run), Incomparable: make([]report.Note, 1)}
	head, _ := r.record(zero, new(Cell), keys)
	lines := term.Records{head}
	for _, b := range r.Blocks {
		for _, c := range b.All() {
			for _, run := range c.Runs {
				_, line := r.record(run, c, keys)
				lines = append(lines, line)
			}
		}
	}
	return lines
}

// record returns the names of the columns of the CSV and the values of a run. The fixed columns are part of the
// format, so new ones go to the end. Every metric with a title gets a column.
func (rep *Report) record(r *report.Result, cell *Cell, keys []string) (names, values []string) {
	c, whole, number := &r.Config, strconv.Itoa, format.Exact
	metric := func(key string) string { return number(r.Chosen.Get(key)) }
	judged := func(key string, v float64) string {
		if !r.Judged(key) {
			return ""
		}
		return number(v)
	}
	published, d := r.Published().Get("test_acc"), c.Data
	fixed := []string{
		"id", c.ID, "experiment", c.Name, "model", c.Model, "optimizer", r.Optimizer(), "variant", r.Variant(),
		"seed", strconv.FormatUint(c.Seed(), 10), "data", d.Name, "data_digest", c.Digests["data"], "data_limit", whole(c.General().Limit),
		"train_reviews", whole(d.Train.Reviews), "test_reviews_counted", whole(r.Counted()),
		"finished", strconv.FormatBool(r.Finished), "epochs_done", whole(r.Done), "epochs", whole(c.Epochs()), "epoch", whole(r.Chosen.Epoch),
		"test_acc", metric("test_acc"),
		"test_acc_wilson_low", judged("test_acc", r.Wilson.Low), "test_acc_wilson_high", judged("test_acc", r.Wilson.High),
		"published_test_acc", number(published), "difference_points", number(r.Chosen.Get("test_acc") - published),
		"train_acc", metric("train_acc"), "valid_acc", metric("valid_acc"),
		"train_loss", metric("train_loss"), "valid_loss", metric("valid_loss"), "test_loss", metric("test_loss"),
		"train_entropy", metric("train_entropy"), "test_entropy", metric("test_entropy"),
		"oracle_epoch", strings.TrimPrefix(whole(r.Oracle.Epoch), "0"), "oracle_test_acc", number(r.Oracle.Get("test_acc")),
		"result_version", whole(c.Result), "path", r.Path, "test_macro_f1", number(r.MacroF1), "test_looks", whole(r.Run.TestEvaluations()),
		"test_exact_match", metric("test_exact"), "test_bleu", metric("test_bleu"),
		"test_exact_match_wilson_low", judged("test_exact", r.Wilson.Low), "test_exact_match_wilson_high", judged("test_exact", r.Wilson.High),
	}
	for _, m := range runs.AllMetrics() {
		if m.Title != "" && !slices.Contains(fixed, m.Key) && !slices.Contains(fixed, m.Key+"_match") {
			fixed = append(fixed, m.Key, metric(m.Key))
		}
	}
	fixed = append(fixed, "tags", strings.Join(r.Remarks.Tags, " "), "note", r.Remarks.Note, "trial", strconv.FormatBool(r.Trial()))
	if rep.smooth > 0 {
		for _, key := range []string{"train_loss", "test_loss", "train_acc", "test_acc"} {
			fixed = append(fixed, "smoothed_"+key, number(r.Ends(key, rep.smooth).Smoothed))
		}
		fixed = append(fixed, "last_epochs_test_acc", number(r.Ends("test_acc", rep.smooth).Last))
	}
	for _, column := range rep.columns {
		fixed = append(fixed, column.Name, column.Of(r.Path))
	}
	for _, k := range keys {
		fixed = append(fixed, "setting."+k, c.Used(k))
	}
	notes := report.Filter(cell.Notes, func(n report.Note) bool { return n.Kind == report.Repeated || n.Kind == report.Tested })
	if r.Chance != nil {
		notes = append(notes, report.Note{Kind: report.Unlearned})
	}
	notes = slices.DeleteFunc(slices.Concat(notes, r.Notes, r.Incomparable), report.Note.Own) // the user's notes have columns
	return render.Record(append(fixed, "notes", report.JoinNotes(notes))...)
}

// differing returns the sorted settings that differ between any two runs and have no fixed
// column.
func (r *Report) differing() (keys []string) {
	all := r.Results()
	for _, run := range all {
		for _, s := range run.Config.Settings {
			keys = report.Union(keys, s.Key)
		}
	}
	slices.Sort(keys)
	return slices.DeleteFunc(keys, func(k string) bool {
		return slices.Contains([]string{"seed", "variant", "optimizer", "data", "data.limit", "epochs"}, k) || !slices.ContainsFunc(all, func(o *report.Result) bool { return o.Config.Used(k) != all[0].Config.Used(k) })
	})
}

func rows(list []*report.Result) (out []Row) {
	usual := report.Usual{}
	for _, r := range list {
		usual.Add(&r.Config)
	}
	settings := func(r *report.Result) string { return strings.Join(report.GivenTo(&r.Config, usual), " ") }
	groups := report.GroupBy(list, func(r *report.Result) string { return r.Config.Name + " " + r.Optimizer() + " " + settings(r) })
	slices.SortStableFunc(groups, func(x, y []*report.Result) int {
		return cmp.Or(report.ByExperiment(x[0], y[0]), cmp.Compare(settings(x[0]), settings(y[0])))
	})
	for _, same := range groups {
		first := len(out)
		for _, v := range variantsOf(same, false) {
			for i, c := range cells(report.Filter(same, func(r *report.Result) bool { return r.Variant() == v })) {
				if first+i == len(out) {
					out = append(out, Row{Name: same[0].Config.Name, Optimizer: same[0].Optimizer(), Settings: strings.Fields(settings(same[0])), Cells: map[string]*Cell{}})
				}
				out[first+i].Cells[v] = c
			}
		}
		for i := range out[first:] {
			out[first+i].publish()
		}
	}
	return out
}

// fill adds a line to a table for the published numbers of each row and for each of its cells. The
// first line of a row begins with its label; each line has its variant.
func (b *Block) fill(t *term.Table, published func(*runs.Published) []term.Cell, of func(*Cell) []term.Cell) *term.Table {
	for _, row := range b.Rows {
		label := row.Label()
		add := func(variant string, cells []term.Cell) {
			t.AddCells(append([]term.Cell{{Text: label}, {Text: variant}}, cells...)...)
			label = ""
		}
		if row.Published != nil {
			add("published", published(row.Published))
		}
		for _, v := range b.Variants {
			if c := row.Cells[v]; c != nil {
				add(v, of(c))
			}
		}
	}
	return t.Filled()
}

// Label names the row as the user would type it: "tme9-lstm sgd select=best".
func (r Row) Label() string {
	return strings.Join(append([]string{r.Name, r.Optimizer}, r.Settings...), " ")
}

// cells averages the runs of one variant of a row over seeds only. Other runs have their own cells, with a note that says
// why. Finished runs of the newest result version come first.
func cells(row []*report.Result) (out []*Cell) {
	groups := report.Grouped(row)
	for _, g := range groups {
		out = append(out, oneSetting(g, notAveraged("row above", groups[0][0], g[0]))...)
	}
	return out
}

// notAveraged returns the note on a run that is not averaged with the first of its name.
func notAveraged(with string, first, r *report.Result) []report.Note {
	if r == first || len(report.ProgressNotes(r)) > 0 {
		return nil
	}
	return []report.Note{{Kind: report.Repeated, Text: "with " + with + ": " + unlike(first, r)}}
}

// oneSetting averages runs that differ only in the seeds, unless a seed occurs twice.
func oneSetting(g []*report.Result, extra []report.Note) []*Cell {
	n, twice := repeatedSeed(g)
	if !twice {
		return []*Cell{newCell(g, extra)}
	}
	return report.Map(g, func(r *report.Result) *Cell {
		return newCell([]*report.Result{r}, append(slices.Clone(extra), n))
	})
}

// repeatedSeed returns a note on the first seed that occurs twice, if any. g is in order of seeds.
func repeatedSeed(g []*report.Result) (note report.Note, twice bool) {
	seed, twice := report.RepeatedSeed(g)
	return report.Note{Kind: report.Repeated, Text: fmt.Sprintf("seed %d occurs more than once", seed)}, twice
}

// unlike describes how two runs of the same settings differ.
func unlike(a, b *report.Result) string {
	for _, k := range slices.Sorted(maps.Keys(b.Config.Digests)) {
		if a.Config.Digests[k] != b.Config.Digests[k] {
			return "other " + k + ", digest " + format.Short(b.Config.Digests[k])
		}
	}
	if a.Config.Model != b.Config.Model {
		return "other model, " + b.Config.Model
	}
	return "settings that one of them does not have"
}
