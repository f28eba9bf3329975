// Package render writes tables with their footnotes as text, Markdown, LaTeX and HTML.
package render

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/olekukonko/tablewriter"
	"github.com/olekukonko/tablewriter/renderer"
	"github.com/olekukonko/tablewriter/tw"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
	"imdbexp/report/stats"
)

// View is the tables of a report, section by section. Each format is a method.
type View struct {
	Sections []Section
	Message  string        // shown instead of the sections when there is nothing to show
	LeftOut  []report.Note // about runs that cannot be shown
}

// Empty returns the message when there is nothing to show, otherwise "".
func (v View) Empty() string { return v.Message }

// Section has a heading, tables, sentences, a key to the signs and footnotes.
type Section struct {
	Title  string
	Tables []*term.Table
	Words  []string                    // the conclusion, a sentence each
	Keys   func(shown []string) string // explains the signs in the columns with these heads; may be nil
	Notes  []report.Note               // footnotes 1, 2, … of the tables
}

// title names a table of the section and what it is about.
func (s Section) title(t *term.Table) string { return strings.TrimPrefix(t.Caption+". "+s.Title, ". ") }

// keys returns the key to the signs in the columns.
func (s Section) keys(columns []term.Column) string {
	if s.Keys == nil {
		return ""
	}
	return s.Keys(report.Map(columns, func(c term.Column) string { return c.Head }))
}

// allKeys returns the key to the signs in all tables.
func (s Section) allKeys() string {
	return s.keys(slices.Concat(report.Map(s.Tables, func(t *term.Table) []term.Column { return t.Columns })...))
}

// Key is a sentence of a key to signs, and whether a table needs it.
type Key = struct {
	Used bool
	Text string
}

// Keys joins the keys that are used.
func Keys(list []Key) string {
	used := report.Filter(list, func(k Key) bool { return k.Used })
	return strings.Join(report.Map(used, func(k Key) string { return k.Text }), "; ") + "."
}

// NewTable returns a table in the style of reports, whose first column is wrapped.
func NewTable(caption string, columns ...term.Column) *term.Table {
	columns[0].Wrap = true
	return &term.Table{Caption: caption, Columns: columns, Ruled: true}
}

// Words heads a column of words.
func Words(head string, optional int) term.Column { return term.Column{Head: head, Optional: optional} }

// Numbers heads a column of numbers.
func Numbers(head string, optional int) term.Column {
	return term.Column{Head: head, Optional: optional, Right: true}
}

// Mean is the entry of a mean over seeds, faint without one.
func Mean(m stats.Moments, decimals int) term.Cell {
	return term.Cell{Text: format.Fixed(m.Mean, decimals), More: Spread(m, decimals), Faint: m.N == 0}
}

// Spread formats the standard deviation over (n) seeds; "" for a single one.
func Spread(m stats.Moments, decimals int) string {
	if m.N < 2 {
		return ""
	}
	return fmt.Sprintf("± %s (%d)", format.Fixed(m.SD, decimals), m.N)
}

// Between formats an interval of percentages: 62.5–68.3.
func Between(i stats.Interval) string {
	if math.IsNaN(i.Low) {
		return format.None
	}
	return format.Fixed(i.Low, 1) + "–" + format.Fixed(i.High, 1)
}

// write writes the view in a format, or the message that there is nothing between before and
// after; then the notes on runs left out, as the format writes a paragraph.
func (v View) write(w io.Writer, before, after string, paragraph func(text string) string, body func(*strings.Builder) error) error {
	var out strings.Builder
	if v.Message != "" {
		out.WriteString(before + v.Message + after + "\n")
	} else if err := body(&out); err != nil {
		return err
	}
	for _, n := range v.LeftOut {
		out.WriteString("\n" + paragraph("Left out, "+n.String()+"."))
	}
	_, err := io.WriteString(w, out.String())
	return err
}

// Text writes the view at most width columns wide (0: no limit), in colour or not.
func (v View) Text(w io.Writer, width int, color bool) error {
	paragraph := func(text string) string { return term.Wrap(text, width, "", "  ") + "\n" }
	return v.write(w, "", "", paragraph, func(out *strings.Builder) error {
		for i, s := range v.Sections {
			if i > 0 {
				out.WriteString("\n\n")
			}
			s.text(out, width, color)
		}
		return nil
	})
}

func (s Section) text(out *strings.Builder, width int, color bool) {
	heading := func(text string) {
		out.WriteString(term.Lines(color, term.Bold, term.Wrap(text, width, "", "")) + "\n")
	}
	var columns []term.Column
	var marks []int
	var dropped term.Dropped
	for i, t := range s.Tables {
		text, shown := t.Fit(width, color)
		columns, marks = append(columns, shown.Columns...), append(marks, shown.Marks()...)
		dropped.Add(t, shown)
		switch {
		case i == 0:
			heading(s.title(t))
		case t.Caption != "":
			out.WriteString("\n")
			heading(t.Caption)
		}
		out.WriteString("\n" + text)
	}
	if len(s.Words) > 0 {
		out.WriteString("\n")
	}
	for _, line := range s.Words {
		out.WriteString(term.Wrap(line, width, "", "  ") + "\n")
	}
	if keys := s.keys(columns); keys != "" {
		out.WriteString("\n" + term.Lines(color, term.Dim, term.Wrap(keys, width, "", "")) + "\n")
	}
	for i, n := range s.Notes {
		if slices.Contains(marks, i+1) {
			mark := term.Superscript([]int{i + 1}) + " "
			out.WriteString(term.Wrap(mark+n.String()+".", width, "", strings.Repeat(" ", term.Width(mark))) + "\n")
		}
	}
	if len(dropped) > 0 {
		out.WriteString(term.Wrap(dropped.Text(width, "--format csv"), width, "", "  ") + "\n")
	}
}

// Of each kind of note on runs, a cell lists up to perCell and a section up to perSection. The CSV
// has all.
const (
	perCell    = 2
	perSection = 4
)

// Footnotes numbers the notes of one section in order of first use; equal notes share a number.
// Many notes of one kind become one.
type Footnotes struct{ List []report.Note }

// Mark returns the numbers of the notes, from 1, rising.
func (f *Footnotes) Mark(notes []report.Note) (out []int) {
	for _, n := range notes {
		if own := ofKind(notes, n.Kind); n.OfRun() && own > perCell {
			n.Text = fmt.Sprintf("%d runs; details with --format csv", own)
		}
		if n.OfRun() && !slices.Contains(f.List, n) && ofKind(f.List, n.Kind) >= perSection {
			n.Text = "details with --format csv"
		}
		f.List = report.Union(f.List, n)
		out = append(out, slices.Index(f.List, n)+1)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func ofKind(list []report.Note, kind report.Kind) (n int) {
	for _, note := range list {
		if note.Kind == kind {
			n++
		}
	}
	return n
}

// Record separates the names of the columns of a CSV from the values of a line, which alternate.
func Record(pairs ...string) (names, values []string) {
	for p := range slices.Chunk(pairs, 2) {
		names, values = append(names, p[0]), append(values, p[1])
	}
	return names, values
}

// Part is one table of a view with its key and its footnotes, for a text of the user's. Quarto and
// the page refer to it as @tbl-NAME.
type Part struct {
	Name    string // of its file, without extension
	section Section
}

// Parts returns the tables of a view. Their names are made of their captions.
func (v View) Parts() (parts []Part) {
	used := map[string]int{}
	for _, s := range v.Sections {
		for _, t := range s.Tables {
			title := s.title(t)
			words, _, _ := strings.Cut(title, ". ")
			name := strings.Trim(format.FileName(strings.ToLower(words)), "-")
			if used[name]++; used[name] > 1 { // of other reviews
				name = fmt.Sprintf("%s-%d", name, used[name])
			}
			parts = append(parts, Part{name, s.only(t)})
			parts[len(parts)-1].section.Title = title
		}
	}
	return parts
}

// only returns a section with one of its tables, whose footnotes count from 1.
func (s Section) only(t *term.Table) Section {
	marks, all, shown := t.Marks(), s.Notes, *t
	shown.Rows = nil
	s.Notes = report.Map(marks, func(m int) report.Note { return all[m-1] })
	for _, row := range t.Rows {
		row = slices.Clone(row)
		for i, c := range row {
			row[i].Marks = report.Map(c.Marks, func(m int) int { return slices.Index(marks, m) + 1 })
		}
		shown.Rows = append(shown.Rows, row)
	}
	s.Tables = []*term.Table{&shown}
	return s
}

// Markdown writes the table as Quarto and pandoc include it: with its caption and label below.
func (p Part) Markdown(w io.Writer) error {
	var out strings.Builder
	if err := markdownTable(&out, p.section.Tables[0]); err != nil {
		return err
	}
	fmt.Fprintf(&out, "\n: %s {#tbl-%s}\n", escapeMarkdown(p.section.Title), p.Name)
	p.section.below(&out)
	_, err := io.WriteString(w, out.String())
	return err
}

// HTML returns the table as the page's table number n.
func (p Part) HTML(n int, linked func(string) bool) string {
	s, t := p.section, *p.section.Tables[0]
	t.Caption = fmt.Sprintf("Table\u00a0%d: %s", n, format.Unbroken(s.Title))
	s.Tables = []*term.Table{&t}
	return fmt.Sprintf("<div id=\"tbl-%s\">\n%s</div>\n", p.Name, s.html("tbl-"+p.Name, linked))
}

// Markdown writes pipe tables with every column.
func (v View) Markdown(w io.Writer) error {
	return v.write(w, "", "", func(text string) string { return escapeMarkdown(text) + "\n" }, func(out *strings.Builder) error {
		for i, s := range v.Sections {
			if i > 0 {
				out.WriteString("\n")
			}
			if err := s.markdown(out); err != nil {
				return err
			}
		}
		return nil
	})
}

func (s Section) markdown(out *strings.Builder) error {
	fmt.Fprintf(out, "### %s\n", escapeMarkdown(s.Title))
	for _, t := range s.Tables {
		out.WriteString("\n")
		if t.Caption != "" {
			out.WriteString(escapeMarkdown(t.Caption) + ".\n\n")
		}
		if err := markdownTable(out, t); err != nil {
			return err
		}
	}
	s.below(out)
	return nil
}

// below writes what follows the tables of a section: its conclusion, the key and the footnotes.
func (s Section) below(out *strings.Builder) {
	for i, line := range s.Words {
		if i == 0 {
			out.WriteString("\n")
		}
		fmt.Fprintf(out, "- %s\n", escapeMarkdown(line))
	}
	if keys := s.allKeys(); keys != "" {
		fmt.Fprintf(out, "\n%s\n", escapeMarkdown(keys))
	}
	for i, n := range s.Notes {
		fmt.Fprintf(out, "\n%s %s.\n", term.Superscript([]int{i + 1}), escapeMarkdown(n.String()))
	}
}

func markdownTable(w io.Writer, t *term.Table) error {
	var heads []string
	var align []tw.Align
	for _, c := range t.Columns {
		a := tw.AlignLeft
		if c.Right {
			a = tw.AlignRight
		}
		heads, align = append(heads, escapeMarkdown(c.Head)), append(align, a)
	}
	tbl := tablewriter.NewTable(w,
		tablewriter.WithRenderer(renderer.NewMarkdown()),
		tablewriter.WithHeaderAutoFormat(tw.Off),
		tablewriter.WithHeaderAutoWrap(tw.WrapNone), tablewriter.WithRowAutoWrap(tw.WrapNone),
		tablewriter.WithHeaderAlignmentConfig(tw.CellAlignment{PerColumn: align}),
		tablewriter.WithRowAlignmentConfig(tw.CellAlignment{PerColumn: align}),
	)
	tbl.Header(heads)
	for _, row := range t.Rows {
		if err := tbl.Append(report.Map(row, func(c term.Cell) string { return escapeMarkdown(c.String()) })); err != nil {
			return err
		}
	}
	return tbl.Render()
}

// Names and messages may hold anything, even HTML: nothing of them is read as markup.
var markdownEscaper = strings.NewReplacer(
	`\`, `\\`, "|", `\|`, "*", `\*`, "_", `\_`, "`", "\\`", "<", "&lt;", ">", "&gt;", "[", `\[`, "\n", " ")

func escapeMarkdown(s string) string { return markdownEscaper.Replace(s) }
