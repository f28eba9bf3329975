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
)

// section returns the table of one set of reviews. Columns that do not fit go into a table below.
func (p *Pivot) section(t pivotTable) render.Section {
	var notes render.Footnotes
	seeds, ranges := false, false
	tab := render.NewTable(p.Caption(), term.Column{})
	tab.Columns, tab.Folds = nil, len(p.rows)
	for _, k := range p.rows {
		tab.Columns = append(tab.Columns, render.Words(k, 0))
	}
	tab.Columns[0].Wrap = true
	for _, c := range t.cols {
		tab.Columns = append(tab.Columns, render.Numbers(p.head(c), 0))
	}
	for _, r := range t.rows {
		var line []term.Cell
		for _, v := range r {
			line = append(line, term.Cell{Text: cmp.Or(v, format.None)})
		}
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
	unit := ""
	if p.value.Unit != "" { // a share has none
		unit = " in " + p.value.Unit
	}
	return render.Keys([]render.Key{
		{true, p.value.Title + unit},
		{seeds, "±: standard deviation over (n) seeds"},
		{ranges, "low…high: runs that are not averaged"},
		{p.value.onTest() && t.evaluations > 0 && len(t.cells) > 1, fmt.Sprintf("evaluated on the test set %s: the best is chosen on it", format.Counted(t.evaluations, "time"))},
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

// entry is the mean over the seeds if all runs have one setting, otherwise the range over the
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
		e.Text = format.Fixed(low, p.value.decimals)
		if top := format.Fixed(high, p.value.decimals); top != e.Text {
			e.Text += rangeSign + top
		}
	default:
		e.Text, e.More, seeds = format.Fixed(m.Mean, p.value.decimals), render.Spread(m, p.value.decimals), m.N > 1
	}
	return e, seeds
}
