package render

import (
	"fmt"
	"io"
	"strconv"
	"strings"
	"unicode"

	"imdbexp/report"
)

// LaTeX writes each table as a float with its footnotes below.
func (v View) LaTeX(w io.Writer) error {
	return v.write(w, "% ", "", func(text string) string { return "{\\footnotesize " + escapeLaTeX(text) + "\\par}\n" }, func(out *strings.Builder) error {
		out.WriteString("% In the preamble: \\usepackage{booktabs,graphicx}\n")
		for i, s := range v.Sections {
			s.latex(out, i+1)
		}
		return nil
	})
}

// latex writes the n-th section, the footnotes of each table below it.
func (s Section) latex(out *strings.Builder, n int) {
	for i, t := range s.Tables {
		caption := t.Caption + ". " + s.Title + "."
		if i == 0 {
			caption += " " + s.allKeys()
		}
		out.WriteString("\n\\begin{table}[htbp]\n  \\centering\n")
		fmt.Fprintf(out, "  \\caption{%s}\n  \\label{tab:exp-%d-%d}\n", escapeLaTeX(caption), n, i+1)
		latexTabular(out, t)
		latexNotes(out, s.Notes, t.marks())
		out.WriteString("\\end{table}\n")
	}
}

// latexTabular writes the table itself, no wider than the line.
func latexTabular(out *strings.Builder, t *Table) {
	runs := -1 // the column that becomes a comment
	var align, heads []string
	for i, c := range t.Columns {
		if c.Traces {
			runs = i
			continue
		}
		a := "r"
		if c.Left {
			a = "l"
		}
		align, heads = append(align, a), append(heads, escapeLaTeX(c.Head))
	}
	out.WriteString("  \\resizebox{\\ifdim\\width>\\linewidth\\linewidth\\else\\width\\fi}{!}{%\n")
	fmt.Fprintf(out, "  \\begin{tabular}{@{}%s@{}}\n    \\toprule\n    %s \\\\\n    \\midrule\n", strings.Join(align, ""), strings.Join(heads, " & "))
	for _, row := range t.rows {
		var cells []string
		comment := ""
		for i, e := range row {
			switch {
			case t.Columns[i].Cites:
				cells = append(cells, latexStack(strings.Fields(e.Text)))
			case i != runs:
				cells = append(cells, e.latex())
			case e.Text != "":
				comment = " % runs " + strings.ReplaceAll(e.Text, "\n", " ")
			}
		}
		fmt.Fprintf(out, "    %s \\\\%s\n", strings.Join(cells, " & "), comment)
	}
	out.WriteString("    \\bottomrule\n  \\end{tabular}}\n")
}

// latexStack sets citations small and below each other.
func latexStack(lines []string) string {
	if len(lines) == 0 {
		return ""
	}
	for i, l := range lines {
		lines[i] = `\texttt{\scriptsize ` + escapeLaTeX(l) + "}"
	}
	return `\shortstack[l]{` + strings.Join(lines, ` \\ `) + "}"
}

// latexNotes writes those of the notes that are marked.
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
		fmt.Fprintf(out, "    \\textsuperscript{%d}~%s.%s\n", m, escapeLaTeX(notes[m-1].String()), end)
	}
	out.WriteString("  \\end{minipage}\n")
}

// latex is the entry within a row.
func (e Entry) latex() string {
	text := escapeLaTeX(e.Text)
	if len(e.Marks) > 0 {
		marks := make([]string, len(e.Marks))
		for i, m := range e.Marks {
			marks[i] = strconv.Itoa(m)
		}
		text += "\\textsuperscript{" + strings.Join(marks, ",") + "}"
	}
	if e.More != "" {
		text += " " + escapeLaTeX(e.More)
	}
	return text
}

// latexEscaper keeps names and messages from being read as commands, and writes
// the signs of the tables as every engine knows them. A message may hold
// anything; letters beyond ASCII are left to the engine's UTF-8. Braces stand
// around a bracket, which could be read as the argument of a preceding \\.
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
