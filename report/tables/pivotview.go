package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
)

// Text writes the pivot as plain tables, as Report.Text does. Columns that do not
// fit stand in further tables below.
func (p *Pivot) Text(w io.Writer, width int, color bool) error {
	v := view{empty: p.empty, leftOut: p.leftOut}
	for _, t := range p.tables {
		s, err := p.fitting(t, width)
		if err != nil {
			return err
		}
		v.sections = append(v.sections, s)
	}
	return v.text(w, width, color)
}

// fitting returns the section with as many columns beside each other as fit.
func (p *Pivot) fitting(t pivotTable, width int) (section, error) {
	for n := len(t.cols); ; n-- {
		s := p.section(t, n)
		fits := true
		for _, tab := range s.tables {
			text, _, err := fit(tab, max(width, 0), false)
			if err != nil {
				return s, err
			}
			fits = fits && (width <= 0 || widest(text) <= width)
		}
		if fits || n == 1 {
			return s, nil
		}
	}
}

// Markdown writes the pivot as pipe tables.
func (p *Pivot) Markdown(w io.Writer) error { return p.whole().markdown(w) }

// LaTeX writes the pivot as Report.LaTeX does.
func (p *Pivot) LaTeX(w io.Writer) error { return p.whole().latex(w) }

// HTML writes the pivot as Report.HTML does.
func (p *Pivot) HTML(w io.Writer) error { return p.whole().html(w) }

// whole is the view in formats without a width.
func (p *Pivot) whole() view {
	v := view{empty: p.empty, leftOut: p.leftOut}
	for _, t := range p.tables {
		v.sections = append(v.sections, p.section(t, len(t.cols)))
	}
	return v
}

// section sets n columns beside each other.
func (p *Pivot) section(t pivotTable, n int) section {
	var notes footnotes
	s := section{title: t.title}
	seeds, ranges := false, false
	for cols := range slices.Chunk(t.cols, n) {
		tab := &table{caption: p.caption()}
		for _, k := range p.rows {
			tab.columns = append(tab.columns, column{head: k, left: true, keep: true})
		}
		for _, c := range cols {
			tab.columns = append(tab.columns, column{head: p.head(c), keep: true})
		}
		for _, r := range t.rows {
			var line []entry
			for _, v := range r {
				line = append(line, entry{text: orNone(v)})
			}
			for _, c := range cols {
				cell := t.cells[place(r, c)]
				if cell == nil {
					line = append(line, entry{})
					continue
				}
				e, several := p.entry(cell, &notes)
				seeds, ranges = seeds || several, ranges || strings.Contains(e.text, rangeSign)
				line = append(line, e)
			}
			tab.add(line...)
		}
		s.tables = append(s.tables, tab)
	}
	s.notes = notes.list
	s.keys = func(int) string { return p.keys(t, seeds, ranges) }
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
		out += fmt.Sprintf("; test was looked at %s: to take the best is to choose by test", counted(t.looks, "time"))
	}
	return out + "."
}

func (p *Pivot) caption() string {
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
		return none
	}
	return v
}

const rangeSign = "…"

// entry is the mean over the seeds where all runs have one setting, else from
// where to where the settings reach.
func (p *Pivot) entry(c *pivotCell, notes *footnotes) (e entry, seeds bool) {
	low, high := math.Inf(1), math.Inf(-1)
	var unread []Note
	var m Moments
	for _, g := range c.groups {
		values, damaged := p.value.values(g)
		unread = append(unread, damaged...)
		if m = Summarise(values); m.N > 0 {
			low, high = min(low, m.Mean), max(high, m.Mean)
		}
	}
	e.marks = notes.mark(slices.Concat(c.notes, unread))
	switch {
	case low > high:
		e.text, e.faint = none, true
	case len(c.groups) > 1:
		e.text = fixed(low, p.value.decimals)
		if top := fixed(high, p.value.decimals); top != e.text {
			e.text += rangeSign + top
		}
	default:
		e.text = fixed(m.Mean, p.value.decimals)
		if m.N > 1 {
			e.more, seeds = fmt.Sprintf("± %s (%d)", fixed(m.SD, p.value.decimals), m.N), true
		}
	}
	return e, seeds
}
