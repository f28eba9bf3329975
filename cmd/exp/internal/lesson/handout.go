package lesson

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"io/fs"
	"path"
	"strings"

	"imdbexp/docs/lessons"
)

//go:embed handout.html
var handoutHTML string

var handoutTemplate = template.Must(template.New("handout").Parse(handoutHTML))

// way leads from one handout to another.
type way struct{ Text, To string }

// handout writes a page: a lesson's, or the teachers', whose text stands in l.
func (l *lesson) handout(w io.Writer, ways ...way) error {
	return handoutTemplate.Execute(w, struct {
		Title string
		Ways  []way
		Body  template.HTML
	}{l.title, ways, template.HTML(l.html())})
}

// page is the file of a lesson's handout.
func (l *lesson) page() string { return strings.TrimSuffix(l.file, ".md") + ".html" }

// html is a lesson as the body of a page, its pictures within it.
func (l *lesson) html() string {
	var out strings.Builder
	list := ""
	for _, b := range l.blocks {
		of := ""
		if b.kind == item {
			if of = "ul"; b.mark != "-" {
				of = "ol"
			}
		}
		if of != list {
			if list != "" {
				out.WriteString("</" + list + ">\n")
			}
			if list = of; of != "" {
				out.WriteString("<" + of + ">\n")
			}
		}
		switch b.kind {
		case heading:
			tag := "h" + string(rune('0'+b.depth))
			out.WriteString("<" + tag + ">" + inline(b.text) + "</" + tag + ">\n")
		case paragraph:
			out.WriteString("<p>" + inline(b.text) + "</p>\n")
		case item:
			out.WriteString("<li>" + inline(b.text) + "</li>\n")
		case code:
			out.WriteString("<pre>")
			for _, line := range b.lines {
				text := template.HTMLEscapeString(line)
				if strings.HasPrefix(line, "$ ") {
					text = "<b>" + text + "</b>"
				}
				out.WriteString(text + "\n")
			}
			out.WriteString("</pre>\n")
		case table:
			out.WriteString("<div class=\"scroll\"><table>\n")
			for i, row := range b.rows {
				tag := "td"
				if i == 0 {
					tag = "th"
				}
				out.WriteString("<tr>")
				for _, cell := range row {
					out.WriteString("<" + tag + ">" + inline(cell) + "</" + tag + ">")
				}
				out.WriteString("</tr>\n")
			}
			out.WriteString("</table></div>\n")
		case figure:
			svg, err := fs.ReadFile(lessons.Files, path.Clean(b.mark))
			if err != nil {
				continue // a test holds that it is there
			}
			// As a picture of its own, so that its ids and styles stay its own.
			out.WriteString("<img alt=\"" + template.HTMLEscapeString(b.text) + "\" src=\"data:image/svg+xml;base64," +
				base64.StdEncoding.EncodeToString(bytes.TrimSpace(svg)) + "\">\n")
		case unfold:
			out.WriteString("<details><summary>" + inline(b.text) + "</summary>\n")
		case fold:
			out.WriteString("</details>\n")
		}
	}
	if list != "" {
		out.WriteString("</" + list + ">\n")
	}
	return out.String()
}

// inline turns what stands within a line into HTML. Links to other lessons stay, those to
// the rest of the repository become plain words: handouts have nothing but each other.
func inline(text string) string {
	text = template.HTMLEscapeString(text)
	text = quoted.ReplaceAllString(text, "<code>$1</code>")
	text = strong.ReplaceAllString(text, "<b>$1</b>")
	text = leant.ReplaceAllString(text, "$1<i>$2</i>")
	return link.ReplaceAllStringFunc(text, func(s string) string {
		m := link.FindStringSubmatch(s)
		page, beside := strings.CutSuffix(m[2], ".md")
		switch {
		case strings.HasPrefix(m[2], "https://"):
			return "<a href=\"" + m[2] + "\">" + m[1] + "</a>"
		case page == "README":
			page = "index"
		case !beside || strings.Contains(page, "/"):
			return m[1]
		}
		return "<a href=\"" + page + ".html\">" + m[1] + "</a>"
	})
}
