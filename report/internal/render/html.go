package render

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
)

//go:embed html.tmpl
var htmlText string

// htmlTemplates escape what they insert. They are parsed when the first table is written.
var htmlTemplates = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("").Funcs(template.FuncMap{
		"unbroken": format.Unbroken,
		"next":     func(i int) int { return i + 1 },
	}).Parse(htmlText))
})

// HTMLSection is a section of a page.
type HTMLSection struct {
	ID, Title string
	HTML      template.HTML // its tables and what is below them
}

// HTMLSections writes the sections. linked reports whether the page has a place for a run of this
// short ID.
func (v View) HTMLSections(linked func(string) bool) (list []HTMLSection) {
	for i, s := range v.Sections {
		key := strconv.Itoa(i + 1)
		list = append(list, HTMLSection{"table-" + key, format.Unbroken(s.Title), s.html(key, linked)})
	}
	return list
}

// html writes a section without its heading. The key is its own in the IDs of footnotes.
func (s Section) html(key string, linked func(string) bool) template.HTML {
	tables := report.Map(s.Tables, func(t *term.Table) htmlTable { return newHTMLTable(t, key, linked) })
	var out strings.Builder
	data := map[string]any{"Key": key, "Tables": tables, "Words": s.Words, "Keys": s.allKeys(), "Notes": s.Notes}
	_ = htmlTemplates().ExecuteTemplate(&out, "section", data) // a strings.Builder cannot fail
	return template.HTML(out.String())
}

// The data of the template of a table.
type (
	htmlTable struct {
		Caption string
		Heads   []htmlCell
		Rows    []htmlRow
	}
	htmlRow struct {
		Label *htmlCell // nil below a row of the same label
		Span  int       // rows of the label
		Cells []htmlCell
	}
	htmlCell struct {
		term.Cell
		Class string
		Key   string   // of its footnotes
		Links []string // the runs that it names, if the page has a place for each
	}
)

func newHTMLTable(t *term.Table, key string, linked func(string) bool) htmlTable {
	out := htmlTable{Caption: t.Caption}
	marks := make([]int, len(t.Columns)) // the largest number of footnotes in a cell of each column
	for _, row := range t.Rows {
		for j, c := range row {
			marks[j] = max(marks[j], len(c.Marks))
		}
	}
	for j, c := range t.Columns {
		out.Heads = append(out.Heads, htmlCell{Cell: term.Cell{Text: c.Head}, Class: class(c, false, marks[j])})
	}
	for i, row := range t.Rows {
		var cells []htmlCell
		for j, c := range row {
			column := t.Columns[j]
			cells = append(cells, htmlCell{c, class(column, c.Faint, marks[j]), key, links(c, column, linked)})
		}
		r := htmlRow{Cells: cells[1:]}
		if i == 0 || row[0].Text != "" {
			r.Label, r.Span = &cells[0], 1
			for i+r.Span < len(t.Rows) && t.Rows[i+r.Span][0].Text == "" {
				r.Span++
			}
		}
		out.Rows = append(out.Rows, r)
	}
	return out
}

// links returns the IDs of runs in a cell if the page has a place for each of them.
func links(c term.Cell, column term.Column, linked func(string) bool) []string {
	ids := strings.Fields(c.Text)
	if column.Holds != term.IDs || linked == nil || slices.ContainsFunc(ids, func(id string) bool { return !linked(id) }) {
		return nil
	}
	return ids
}

// class returns the CSS classes of a cell; marks is the largest number of footnotes of a cell in its
// column.
func class(c term.Column, faint bool, marks int) string {
	var out []string
	for _, k := range []Key{{marks > 1, fmt.Sprintf("marks%d", min(marks, 3))}, {c.Right, "n"}, {c.Holds == term.IDs, "traces"}, {faint, "faint"}} {
		if k.Used {
			out = append(out, k.Text)
		}
	}
	return strings.Join(out, " ")
}

// LaTeX writes each table as a float with its footnotes below. IDs of runs become comments. The
// text needs the packages booktabs and graphicx, and UTF-8 input.
func (v View) LaTeX(w io.Writer) error {
	return v.write(w, "% ", "", func(text string) string { return "{\\footnotesize " + escapeLaTeX(text) + "\\par}\n" }, func(out *strings.Builder) error {
		out.WriteString("% In the preamble: \\usepackage{booktabs,graphicx}\n")
		seen := map[string]int{}
		for _, s := range v.Sections {
			s.latex(out, seen)
		}
		return nil
	})
}

// labelOf returns a label from the caption of a table, so that it stays when others come before it; seen counts those of
// a view.
func labelOf(caption string, seen map[string]int) string {
	words := strings.FieldsFunc(strings.ToLower(caption), func(r rune) bool { return (r < 'a' || r > 'z') && (r < '0' || r > '9') })
	label := "tab:" + strings.Join(words, "-")
	if seen[label]++; seen[label] > 1 {
		label += fmt.Sprintf("-%d", seen[label])
	}
	return label
}

func (s Section) latex(out *strings.Builder, seen map[string]int) {
	for i, t := range s.Tables {
		caption := s.title(t) + "."
		if i == 0 {
			caption += " " + s.allKeys()
		}
		out.WriteString("\n\\begin{table}[htbp]\n  \\centering\n")
		latexLine(out, "  ", "\\caption{"+escapeLaTeX(caption)+"}")
		what, _, _ := strings.Cut(t.Caption, ":")
		on, _, _ := strings.Cut(s.Title, ":")
		if what == "" && len(t.Rows) > 0 && !strings.Contains(on, t.Rows[0][0].Text) { // a comparison, with the name of its base
			on += " " + t.Rows[0][0].Text
		}
		fmt.Fprintf(out, "  \\label{%s}\n", labelOf(what+" "+on, seen))
		for k, part := range t.Parts(latexWidth, term.IDs) {
			if k > 0 {
				out.WriteString("  \\par\\medskip\n")
			}
			latexTabular(out, part)
		}
		latexNotes(out, s.Notes, t.Marks())
		out.WriteString("\\end{table}\n")
	}
}

const (
	latexWidth  = 100 // characters of a table; a page has room for about 80 and scales it down to no less than that
	latexSource = 100 // of a line of source
)

// latexLine writes a line of source, broken between words.
func latexLine(out *strings.Builder, indent, text string) {
	out.WriteString(term.Wrap(text, latexSource, indent, indent+"  ") + "\n")
}

// latexTabular writes the table itself, scaled down to the width of a line if need be.
func latexTabular(out *strings.Builder, t *term.Table) {
	var align, heads []string
	for _, c := range t.Columns {
		if c.Holds == term.IDs {
			continue
		}
		a := "l"
		if c.Right {
			a = "r"
		}
		align, heads = append(align, a), append(heads, escapeLaTeX(c.Head))
	}
	out.WriteString("  \\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n")
	fmt.Fprintf(out, "  \\begin{tabular}{@{}%s@{}}\n    \\toprule\n", strings.Join(align, ""))
	latexLine(out, "    ", strings.Join(heads, " & ")+` \\`)
	out.WriteString("    \\midrule\n")
	for _, row := range t.Rows {
		var cells []string
		comment := ""
		for i, c := range row {
			switch holds := t.Columns[i].Holds; {
			case holds == term.Citations:
				cells = append(cells, latexStack(strings.Fields(c.Text)))
			case holds != term.IDs:
				cells = append(cells, latexCell(c))
			case c.Text != "":
				comment = c.Text
			}
		}
		latexLine(out, "    ", strings.Join(cells, " & ")+` \\`)
		if comment != "" {
			out.WriteString(term.Wrap("runs "+comment, latexSource, "    % ", "    % ") + "\n")
		}
	}
	out.WriteString("    \\bottomrule\n  \\end{tabular}}\n")
}

// latexStack sets citations in small type, one above the other.
func latexStack(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	small := func(l string) string { return `\texttt{\scriptsize ` + escapeLaTeX(l) + "}" }
	return `\shortstack[l]{` + strings.Join(report.Map(lines, small), ` \\ `) + "}"
}

// latexNotes writes the notes that the table marks.
func latexNotes(out *strings.Builder, notes []report.Note, marks []int) {
	if len(marks) == 0 {
		return
	}
	out.WriteString("  \\par\\medskip\n  \\begin{minipage}{\\linewidth}\\footnotesize\\raggedright\n")
	for i, m := range marks {
		end := "\\\\"
		if i == len(marks)-1 {
			end = ""
		}
		latexLine(out, "    ", fmt.Sprintf("\\textsuperscript{%d}~%s.%s", m, escapeLaTeX(notes[m-1].String()), end))
	}
	out.WriteString("  \\end{minipage}\n")
}

func latexCell(c term.Cell) string {
	text := escapeLaTeX(c.Text)
	if len(c.Marks) > 0 {
		text += "\\textsuperscript{" + strings.Join(report.Map(c.Marks, strconv.Itoa), ",") + "}"
	}
	if c.More != "" {
		text += " " + escapeLaTeX(c.More)
	}
	return text
}

// latexEscaper keeps names and messages from being read as commands, and writes the signs in
// tables so that every engine knows them. Other letters beyond ASCII need UTF-8 input. A bracket
// is in braces because LaTeX would read it as the argument of a \\ before it.
var latexEscaper = strings.NewReplacer(
	`\`, `\textbackslash{}`, "{", `\{`, "}", `\}`, "$", `\$`, "&", `\&`, "%", `\%`, "#", `\#`, "_", `\_`,
	"^", `\textasciicircum{}`, "~", `\textasciitilde{}`, "[", "{[}", "]", "{]}", "<", `\textless{}`, ">", `\textgreater{}`,
	"|", `\textbar{}`, `"`, "''", "--", "-{}-{}",
	"−", "$-$", "–", "--", "±", `$\pm$`, "Δ", `$\Delta$`, "λ", `$\lambda$`, "·", `$\cdot$`, "×", `$\times$`, "…", `\dots{}`,
	"\n", " ", "\t", " ")

func escapeLaTeX(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) {
			return -1 // an error to every engine
		}
		return r
	}, latexEscaper.Replace(s))
}
