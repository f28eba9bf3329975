package render

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"

	"imdbexp/internal/format"
	"imdbexp/internal/term"
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
