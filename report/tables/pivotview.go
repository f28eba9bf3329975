package tables

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/report"
	"imdbexp/report/internal/render"
	"imdbexp/report/stats"
)

// Text writes the pivot as plain tables, as Report.Text does. Columns that do not
// fit stand in further tables below.
func (p *Pivot) Text(w io.Writer, width int, color bool) error {
	v := render.View{Empty: p.empty, LeftOut: p.leftOut}
	for _, t := range p.tables {
		s, err := p.fitting(t, width)
		if err != nil {
			return err
		}
		v.Sections = append(v.Sections, s)
	}
	return v.Text(w, width, color)
}

// fitting returns the section with as many columns beside each other as fit.
func (p *Pivot) fitting(t pivotTable, width int) (render.Section, error) {
	for n := len(t.cols); ; n-- {
		s := p.section(t, n)
		fits := true
		for _, tab := range s.Tables {
			text, _, err := render.Fit(tab, max(width, 0), false)
			if err != nil {
				return s, err
			}
			fits = fits && (width <= 0 || render.Widest(text) <= width)
		}
		if fits || n == 1 {
			return s, nil
		}
	}
}

// Markdown writes the pivot as pipe tables.
func (p *Pivot) Markdown(w io.Writer) error { return p.Whole().Markdown(w) }

// LaTeX writes the pivot as Report.LaTeX does.
func (p *Pivot) LaTeX(w io.Writer) error { return p.Whole().LaTeX(w) }

// HTML writes the pivot as Report.HTML does.
func (p *Pivot) HTML(w io.Writer) error { return p.Whole().HTML(w) }

// Whole is the view in formats without a width.
func (p *Pivot) Whole() render.View {
	v := render.View{Empty: p.empty, LeftOut: p.leftOut}
	for _, t := range p.tables {
		v.Sections = append(v.Sections, p.section(t, len(t.cols)))
	}
	return v
}

// section sets n columns beside each other.
func (p *Pivot) section(t pivotTable, n int) render.Section {
	var notes render.Footnotes
	s := render.Section{Title: t.title}
	seeds, ranges := false, false
	for cols := range slices.Chunk(t.cols, n) {
		tab := &render.Table{Caption: p.Caption()}
		for _, k := range p.rows {
			tab.Columns = append(tab.Columns, render.Column{Head: k, Left: true, Keep: true})
		}
		for _, c := range cols {
			tab.Columns = append(tab.Columns, render.Column{Head: p.head(c), Keep: true})
		}
		for _, r := range t.rows {
			var line []render.Entry
			for _, v := range r {
				line = append(line, render.Entry{Text: orNone(v)})
			}
			for _, c := range cols {
				cell := t.cells[place(r, c)]
				if cell == nil {
					line = append(line, render.Entry{})
					continue
				}
				e, several := p.entry(cell, &notes)
				seeds, ranges = seeds || several, ranges || strings.Contains(e.Text, rangeSign)
				line = append(line, e)
			}
			tab.Add(line...)
		}
		s.Tables = append(s.Tables, tab)
	}
	s.Notes = notes.List
	s.Keys = func([]string) string { return p.keys(t, seeds, ranges) }
	return s
}

func (p *Pivot) keys(t pivotTable, seeds, ranges bool) string {
	out := p.value.title + " in " + p.value.unit
	if seeds {
		out += "; ±: standard deviation over (n) seeds"
	}
	if ranges {
		out += "; low…high: runs that are not averaged"
	}
	if p.value.onTest() && t.looks > 0 && len(t.cells) > 1 {
		out += fmt.Sprintf("; test was looked at %s: to take the best is to choose by test", format.Counted(t.looks, "time"))
	}
	return out + "."
}

// Caption says of which number the pivot is, and by what.
func (p *Pivot) Caption() string {
	keys := slices.Concat(p.rows, p.cols)
	out := p.value.title + " by " + strings.Join(keys[:len(keys)-1], ", ")
	if len(keys) > 1 {
		out += " and "
	}
	return out + keys[len(keys)-1]
}

// head names a column: words stand alone, numbers with their key.
func (p *Pivot) head(values []string) string {
	if len(values) == 0 {
		return p.value.title
	}
	var out []string
	for i, v := range values {
		_, err := strconv.ParseFloat(v, 64)
		if err == nil || v == "true" || v == "false" || v == "" || v == "none" {
			v = p.cols[i] + "=" + orNone(v)
		}
		out = append(out, v)
	}
	return strings.Join(out, " ")
}

func orNone(v string) string {
	if v == "" {
		return format.None
	}
	return v
}

const rangeSign = "…"

// entry is the mean over the seeds where all runs have one setting, else from
// where to where the settings reach.
func (p *Pivot) entry(c *pivotCell, notes *render.Footnotes) (e render.Entry, seeds bool) {
	low, high := math.Inf(1), math.Inf(-1)
	var unread []report.Note
	var m stats.Moments
	for _, g := range c.groups {
		values, damaged := p.value.values(g)
		unread = append(unread, damaged...)
		if m = stats.Summarise(values); m.N > 0 {
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
		e.Text = format.Fixed(m.Mean, p.value.decimals)
		if m.N > 1 {
			e.More, seeds = fmt.Sprintf("± %s (%d)", format.Fixed(m.SD, p.value.decimals), m.N), true
		}
	}
	return e, seeds
}
