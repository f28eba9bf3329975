package tables

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/report/stats"
	"imdbexp/runs"
)

// PivotOptions are the options of a pivot table.
type PivotOptions struct {
	Rows  []string // keys, see PivotKeys; none: experiment
	Cols  []string // keys; none: a single column
	Value string   // one of PivotValues; "": the first
}

// Pivot has one number of the runs by any of their settings, in a table for each set of reviews.
// Only seeds are averaged.
type Pivot struct {
	render.View
	rows, cols []string
	value      Number
	tables     []pivotTable
}

type pivotTable struct {
	title       string
	rows, cols  [][]string // the values of the keys
	cells       map[string]*pivotCell
	evaluations int // on the test set, by all runs
}

// pivotCell holds the runs of one row and one column.
type pivotCell struct {
	groups []*Cell // one for each setting; a single one is averaged
	notes  []report.Note
}

// NewPivot sorts the runs by the settings in o. An unknown key is an UnknownKeyError.
func NewPivot(list []*runs.Run, build Options, o PivotOptions) (*Pivot, error) {
	if len(o.Rows) == 0 {
		o.Rows = []string{"experiment"}
	}
	value, err := NumberOf(o.Value)
	if err != nil {
		return nil, err
	}
	rep := Build(list, build)
	p := &Pivot{rows: o.Rows, cols: o.Cols, value: value}
	p.Message, p.LeftOut = rep.Message, rep.LeftOut
	if p.Message != "" {
		return p, nil
	}
	known, keys := PivotKeys(list), slices.Concat(o.Rows, o.Cols)
	for i, k := range keys {
		if !slices.Contains(known, k) {
			return nil, &UnknownKeyError{k, known}
		}
		if slices.Contains(keys[:i], k) {
			return nil, fmt.Errorf("%s is named twice", k)
		}
	}
	for _, b := range rep.Blocks {
		t := p.table(b.Title, b.results())
		p.tables, p.Sections = append(p.tables, t), append(p.Sections, p.section(t))
	}
	return p, nil
}

func (p *Pivot) table(title string, list []*report.Result) pivotTable {
	t := pivotTable{title: title, rows: axis(p.rows, list), cols: axis(p.cols, list), cells: map[string]*pivotCell{}}
	for _, r := range list {
		t.evaluations += r.Run.TestEvaluations()
	}
	at := func(r *report.Result) string { return place(valuesOf(r, p.rows), valuesOf(r, p.cols)) }
	for _, g := range report.GroupBy(list, at) {
		t.cells[at(g[0])] = newPivotCell(g)
	}
	return t
}

// newPivotCell sorts the runs of one cell by their settings. Runs that are unfinished, diverged or
// of an older result version are omitted if there are better ones, with a note.
func newPivotCell(list []*report.Result) *pivotCell {
	c := &pivotCell{}
	groups := report.Grouped(list)
	best := groups[0][0]
	var out []*report.Result
	var kept [][]*report.Result
	for i, g := range groups {
		if i == 0 || best.Finished && g[0].Finished && g[0].Config.Behind() == best.Config.Behind() {
			kept = append(kept, g)
		} else {
			out = append(out, g...)
		}
	}
	for _, g := range kept {
		for _, n := range newCell(g, nil).Notes {
			if n.Kind == report.Unlearned && len(kept) > 1 && len(g) == 1 { // say which run
				n.Text = format.Short(g[0].Config.ID) + ", " + n.Text
			}
			c.notes = report.Union(c.notes, n)
		}
		if n, twice := repeatedSeed(g); twice {
			c.notes = append(c.notes, n)
		}
		c.groups = append(c.groups, oneSetting(g, nil)...)
	}
	if len(kept) > 1 {
		c.notes = append(c.notes, report.Note{Kind: report.Repeated, Text: mixed(kept)})
	}
	if len(out) > 0 {
		kind := report.Older
		if notes := report.ProgressNotes(out[0]); len(notes) > 0 {
			kind = notes[0].Kind
		}
		names := report.Map(out, func(r *report.Result) string { return r.Config.Name + "/" + format.Short(r.Config.ID) })
		c.notes = append(c.notes, report.Note{Kind: kind, Text: report.Few(names, mostNamed) + " omitted"})
	}
	return c
}

// Records returns a record for each setting in each cell, so that nothing is mixed.
func (p *Pivot) Records() term.Records {
	lines := term.Records{slices.Concat([]string{"data"}, p.rows, p.cols, []string{p.value.Key, "sd", "seeds", "runs", "notes"})}
	for _, t := range p.tables {
		for _, r := range t.rows {
			for _, c := range t.cols {
				cell := t.cells[place(r, c)]
				if cell == nil {
					continue
				}
				for _, g := range cell.groups {
					m, damaged := p.value.over(g)
					lines = append(lines, slices.Concat([]string{g.Runs[0].Config.Data.Name}, r, c,
						[]string{format.Exact(m.Mean), format.Exact(m.SD), strconv.Itoa(m.N), report.IDs(g.Runs), report.JoinNotes(slices.Concat(cell.notes, damaged))}))
				}
			}
		}
	}
	return lines
}

// section returns the table of one set of reviews. Columns that do not fit go into a table below.
func (p *Pivot) section(t pivotTable) render.Section {
	var notes render.Footnotes
	seeds, ranges := false, false
	tab := render.NewTable(p.Caption(), term.Column{})
	tab.Columns, tab.Divides = nil, true
	tab.Columns = append(tab.Columns, report.Map(p.rows, func(k string) term.Column { return render.Words(k, 0) })...)
	tab.Columns[0].Wrap = true
	tab.Columns = append(tab.Columns, report.Map(t.cols, func(c []string) term.Column { return render.Numbers(p.head(c), 0) })...)
	for _, r := range t.rows {
		line := report.Map(r, func(v string) term.Cell { return term.Cell{Text: cmp.Or(v, format.None)} })
		for _, c := range t.cols {
			cell := t.cells[place(r, c)]
			if cell == nil {
				line = append(line, term.Cell{})
				continue
			}
			e, several := p.entry(cell, &notes)
			seeds, ranges = seeds || several, ranges || strings.Contains(e.Text, rangeSign)
			line = append(line, e)
		}
		tab.AddCells(line...)
	}
	return render.Section{Title: t.title, Tables: []*term.Table{tab}, Notes: notes.List,
		Keys: func([]string) string { return p.keys(t, seeds, ranges) }}
}

func (p *Pivot) keys(t pivotTable, seeds, ranges bool) string {
	name := p.value.Key
	onTest := !strings.HasPrefix(name, "train_") && !strings.HasPrefix(name, "valid_") && name != "grad_norm"
	unit := ""
	if p.value.Unit != "" { // a share has none
		unit = " in " + p.value.Unit
	}
	return render.Keys([]render.Key{
		{true, p.value.Title + unit},
		{seeds, "±: standard deviation over (n) seeds"},
		{ranges, "low…high: runs that are not averaged"},
		{onTest && t.evaluations > 0 && len(t.cells) > 1, fmt.Sprintf("evaluated on the test set %s: the best is chosen on it", format.Counted(t.evaluations, "time"))},
	})
}

// Caption names the number that the pivot shows, and its keys.
func (p *Pivot) Caption() string {
	out := p.value.Title + " by " + strings.Join(slices.Concat(p.rows, p.cols), ", ")
	if last := strings.LastIndex(out, ", "); last > 0 {
		out = out[:last] + " and " + out[last+2:]
	}
	return out
}

// head names a column: words alone, numbers with their key.
func (p *Pivot) head(values []string) string {
	if len(values) == 0 {
		return p.value.Title
	}
	var out []string
	for i, v := range values {
		_, err := strconv.ParseFloat(v, 64)
		if err == nil || v == "true" || v == "false" || v == "" || v == "none" {
			v = p.cols[i] + "=" + cmp.Or(v, format.None)
		}
		out = append(out, v)
	}
	return strings.Join(out, " ")
}

const rangeSign = "…"

// entry returns the mean over the seeds if all runs have one setting, otherwise the range over the
// settings.
func (p *Pivot) entry(c *pivotCell, notes *render.Footnotes) (e term.Cell, seeds bool) {
	low, high := math.Inf(1), math.Inf(-1)
	var unread []report.Note
	var m stats.Moments
	for _, g := range c.groups {
		var damaged []report.Note
		m, damaged = p.value.over(g)
		unread = append(unread, damaged...)
		if m.N > 0 {
			low, high = min(low, m.Mean), max(high, m.Mean)
		}
	}
	e.Marks = notes.Mark(slices.Concat(c.notes, unread))
	switch {
	case low > high:
		e.Text, e.Faint = format.None, true
	case len(c.groups) > 1:
		e.Text = format.Fixed(low, p.value.Decimals)
		if top := format.Fixed(high, p.value.Decimals); top != e.Text {
			e.Text += rangeSign + top
		}
	default:
		e.Text, e.More, seeds = format.Fixed(m.Mean, p.value.Decimals), render.Spread(m, p.value.Decimals), m.N > 1
	}
	return e, seeds
}

// UnknownKeyError is a key of a pivot table that no run has.
type UnknownKeyError struct {
	Key   string
	Known []string
}

func (e *UnknownKeyError) Error() string {
	return fmt.Sprintf("no run has a setting %q", e.Key)
}

// PivotKeys returns the keys that rows and columns of a pivot table can have: experiment, model,
// variant, and every setting of the runs in order of declaration.
func PivotKeys(list []*runs.Run) []string {
	out := []string{"experiment", "model", "variant"}
	seen := map[string]bool{"variant": true}
	for _, r := range list {
		for _, s := range r.Config.Settings {
			if !seen[s.Key] {
				seen[s.Key] = true
				out = append(out, s.Key)
			}
		}
	}
	return out
}

// keyValue returns the value of a run for a key of PivotKeys; "" for a setting without an effect on its
// model.
func keyValue(r *report.Result, key string) string {
	switch key {
	case "experiment":
		return r.Config.Name
	case "model":
		return r.Config.Model
	case "variant":
		return r.Variant()
	case "optimizer":
		return r.Optimizer()
	}
	return r.Config.Used(key)
}

func valuesOf(r *report.Result, keys []string) []string {
	return report.Map(keys, func(k string) string { return keyValue(r, k) })
}

// place returns the key of the cell of a row and a column.
func place(row, col []string) string { return fmt.Sprintf("%q%q", row, col) }

// axis returns the values of the keys that the runs have: numbers by size, experiments and models as in the
// published report, variants as in its table.
func axis(keys []string, list []*report.Result) (out [][]string) {
	for _, same := range report.GroupBy(list, func(r *report.Result) string { return place(valuesOf(r, keys), nil) }) {
		out = append(out, valuesOf(same[0], keys))
	}
	slices.SortStableFunc(out, func(a, b []string) int {
		for i, k := range keys {
			if c := compareValues(k, a[i], b[i], list); c != 0 {
				return c
			}
		}
		return 0
	})
	return out
}

func compareValues(key, a, b string, list []*report.Result) int {
	rank := func(v string) int {
		first, n := math.MaxInt, len(report.Variants)+1
		for _, r := range list {
			if (key == "experiment" || key == "model") && keyValue(r, key) == v {
				first = min(first, r.Rank)
			}
		}
		if key == "variant" {
			return (slices.Index(report.Variants, v) + n) % n
		}
		return first
	}
	x, errX := strconv.ParseFloat(a, 64)
	y, errY := strconv.ParseFloat(b, 64)
	if errX == nil && errY == nil {
		return cmp.Compare(x, y)
	}
	return cmp.Or(cmp.Compare(rank(a), rank(b)), cmp.Compare(a, b))
}

// mostNamed is the max number of runs or settings in a note.
const mostNamed = 4

// mixed names the settings in which the runs of one cell differ. Each group holds the runs of one setting.
func mixed(groups [][]*report.Result) string {
	keys := report.Differing(report.Map(groups, func(g []*report.Result) *report.Result { return g[0] }), "seed")
	return "runs that differ in " + cmp.Or(report.Few(keys, mostNamed), "their data or vectors") + "; add what differs to the rows or columns, or name the runs to show"
}

// Number is a number of a run that pivot tables and trends can show: a metric of its chosen epoch, or macro-F1.
type Number struct{ runs.Metric }

var macroF1 = Number{runs.Metric{Key: "macro_f1", Title: "Macro-F1 on test", Unit: "percent", Decimals: 2}}

// numbers are the metrics that have a title, with the test accuracy first, and others.
var numbers = func() (out []Number) {
	for _, m := range runs.AllMetrics() {
		switch {
		case m.Key == "test_acc":
			out = slices.Insert(out, 0, Number{m})
		case m.Title != "":
			out = append(out, Number{m})
		}
	}
	return append(out, Number{runs.Metric{Key: "grad_norm", Title: "Gradient norm", Decimals: 3}}, macroF1)
}()

// PivotValues returns the names of the numbers that a pivot table can show.
func PivotValues() []string { return report.Map(numbers, func(n Number) string { return n.Key }) }

// NumberOf returns the number of a name, one of PivotValues; "" for the first of them.
func NumberOf(name string) (Number, error) {
	for _, n := range numbers {
		if n.Key == name || name == "" {
			return n, nil
		}
	}
	return Number{}, fmt.Errorf("no value %q: use one of %s", name, strings.Join(PivotValues(), ", "))
}

// OfEnd reports whether a run has the number only for its end, not for each epoch.
func (n Number) OfEnd() bool { return n == macroF1 }

// Of returns the number of a run.
func (n Number) Of(r *report.Result) (float64, error) {
	if n == macroF1 {
		return r.AnyMacroF1()
	}
	return r.Chosen.Get(n.Key), nil
}

// over summarises the number over the runs of a cell, with notes on what could not be read.
func (n Number) over(c *Cell) (m stats.Moments, notes []report.Note) {
	m = c.over(func(r *report.Result) float64 {
		x, err := n.Of(r)
		if err != nil {
			notes = append(notes, report.Note{Kind: report.Damaged, Text: err.Error()})
		}
		return x
	})
	return m, notes
}
