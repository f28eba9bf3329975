package render

import (
	"fmt"
	"html/template"
	"io"
	"strconv"
	"strings"
	"unicode"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
	"imdbexp/report"
)

// HTMLSection is a section of a page.
type HTMLSection struct {
	ID, Title string
	HTML      template.HTML
}

// escapeHTML makes a text harmless in elements and quoted attributes. Everything that is not of this
// file goes through it.
func escapeHTML(text string) string { return template.HTMLEscapeString(text) }

// HTMLSections writes the sections. linked reports whether the page has a place for a run of this
// short ID.
func (v View) HTMLSections(linked func(string) bool) (list []HTMLSection) {
	for i, s := range v.Sections {
		id, title := fmt.Sprintf("table-%d", i+1), format.Unbroken(s.Title)
		html := fmt.Sprintf("<section id=\"%s\">\n<h2>%s</h2>\n%s</section>\n", id, escapeHTML(title), s.html(strconv.Itoa(i+1), linked))
		list = append(list, HTMLSection{id, title, template.HTML(html)})
	}
	return list
}

// html writes a section without its heading. The key is its own in the IDs of footnotes.
func (s Section) html(key string, linked func(string) bool) string {
	out := new(strings.Builder)
	note := func(n int) string { return fmt.Sprintf("note-%s-%d", key, n) }
	for _, t := range s.Tables {
		htmlTable(out, t, note, linked)
	}
	for _, line := range s.Words {
		fmt.Fprintf(out, "<p>%s</p>\n", escapeHTML(format.Unbroken(line)))
	}
	fmt.Fprintf(out, "<p class=\"keys\">%s</p>\n", escapeHTML(s.allKeys()))
	if len(s.Notes) > 0 {
		out.WriteString("<ol class=\"notes\">\n")
		for j, n := range s.Notes {
			fmt.Fprintf(out, "<li id=\"%s\">%s</li>\n", note(j+1), escapeHTML(format.Unbroken(n.String()+".")))
		}
		out.WriteString("</ol>\n")
	}
	return out.String()
}

func htmlTable(out *strings.Builder, t *term.Table, note func(int) string, linked func(string) bool) {
	caption := escapeHTML(t.Caption)
	fmt.Fprintf(out, "<div class=\"scroll\" role=\"region\" aria-label=\"%s\" tabindex=\"0\">\n<table>\n<caption>%s</caption>\n<thead><tr>", caption, caption)
	marks := make([]int, len(t.Columns)) // the largest number of footnotes in a cell of each column
	for _, row := range t.Rows {
		for j, c := range row {
			marks[j] = max(marks[j], len(c.Marks))
		}
	}
	for j, c := range t.Columns {
		fmt.Fprintf(out, "<th scope=\"col\"%s>%s</th>", class(c, false, marks[j]), escapeHTML(c.Head))
	}
	out.WriteString("</tr></thead>\n<tbody>\n")
	for i, row := range t.Rows {
		first := i == 0 || row[0].Text != "" // of the rows with its label
		span := 1
		for i+span < len(t.Rows) && t.Rows[i+span][0].Text == "" {
			span++
		}
		out.WriteString(map[bool]string{true: "<tr class=\"first\">", false: "<tr>"}[first])
		for j, c := range row {
			inside, class := htmlCell(c, t.Columns[j], note, linked), class(t.Columns[j], c.Faint, marks[j])
			switch {
			case j > 0:
				fmt.Fprintf(out, "<td%s>%s</td>", class, inside)
			case first && span > 1:
				fmt.Fprintf(out, "<th scope=\"row\" rowspan=\"%d\"%s>%s</th>", span, class, inside)
			case first:
				fmt.Fprintf(out, "<th scope=\"row\"%s>%s</th>", class, inside)
			}
		}
		out.WriteString("</tr>\n")
	}
	out.WriteString("</tbody>\n</table>\n</div>\n")
}

// htmlCell returns the content of a cell. IDs of runs become links if the page has all of them.
func htmlCell(c term.Cell, column term.Column, note func(int) string, linked func(string) bool) string {
	text := escapeHTML(c.Text)
	if column.Holds == term.IDs && linked != nil {
		var links []string
		for _, id := range strings.Fields(c.Text) {
			if linked(id) {
				links = append(links, fmt.Sprintf(`<a href="#run-%s">%[1]s</a>`, escapeHTML(id)))
			}
		}
		if len(links) == len(strings.Fields(c.Text)) {
			text = strings.Join(links, " ")
		}
	}
	var marks []string
	for _, m := range c.Marks {
		marks = append(marks, fmt.Sprintf(`<a href="#%s" aria-label="note %d">%[2]d</a>`, note(m), m))
	}
	if marks != nil {
		text += "<sup>" + strings.Join(marks, ",") + "</sup>"
	}
	if c.More != "" {
		text += ` <span class="more">` + escapeHTML(c.More) + "</span>"
	}
	return text
}

// class returns the CSS classes of a cell as an attribute; marks is the largest number of footnotes of
// a cell in its column.
func class(c term.Column, faint bool, marks int) string {
	out := ""
	for _, k := range []Key{{marks > 1, fmt.Sprintf("marks%d", min(marks, 3))}, {c.Right, "n"}, {c.Holds == term.IDs, "traces"}, {faint, "faint"}} {
		if k.Used {
			out += " " + k.Text
		}
	}
	if out == "" {
		return ""
	}
	return ` class="` + out[1:] + `"`
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
		caption := strings.TrimPrefix(t.Caption+". "+s.Title+".", ". ")
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
	return `\shortstack[l]{` + strings.Join(report.Each(lines, small), ` \\ `) + "}"
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
		text += "\\textsuperscript{" + strings.Join(report.Each(c.Marks, strconv.Itoa), ",") + "}"
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
