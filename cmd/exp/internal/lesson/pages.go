package lesson

import (
	_ "embed"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"

	"imdbexp/docs/lessons"
)

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// markdown converts tables, and keeps the HTML in lessons: <details>.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithRendererOptions(html.WithUnsafe()))

// writePage writes a lesson as a page for a browser, with its pictures.
func (l *lesson) writePage(w io.Writer) error {
	var body strings.Builder
	if err := markdown.Convert([]byte(l.forPage()), &body); err != nil {
		return err
	}
	html := listing.ReplaceAllStringFunc(body.String(), func(s string) string { return command.ReplaceAllString(s, "$1<b>$2</b>") })
	return pageTemplate.Execute(w, map[string]any{
		"Lang": l.lang, "Title": l.title, "Body": template.HTML(tables.Replace(html)), "All": l.in("All lessons"), "Linked": l.number > 0,
	})
}

// page is the file name of a lesson's page.
func (l *lesson) page() string {
	return strings.Replace(strings.TrimSuffix(l.file, ".md"), "README", "index", 1) + ".html"
}

var (
	comments = regexp.MustCompile(`(?s)<!--.*?-->\n?`)
	listing  = regexp.MustCompile(`(?s)<pre>.*?</pre>`)
	command  = regexp.MustCompile(`(?m)((?:^|>))(\$ .*)$`)
	pictures = regexp.MustCompile(`\bimg/[\w-]+\.svg\b`)
	tables   = strings.NewReplacer("<table>", `<div class="scroll"><table>`, "</table>", "</table></div>")
)

// forPage returns the Markdown of a lesson for a page. Pictures are embedded as separate images, so their ids and
// styles do not collide. Links to other lessons lead to their pages; links to other files of the repository
// become plain words. Of the comments, only answers stay.
func (l *lesson) forPage() string {
	text := comments.ReplaceAllString(solved.ReplaceAllString(l.linked, "\n**$1**"), "")
	return link.ReplaceAllStringFunc(withPictures(text), func(s string) string {
		m := link.FindStringSubmatch(s)
		to, page := m[3], strings.TrimSuffix(m[3], ".md")
		switch {
		case m[1] == "!", strings.HasPrefix(to, "https://"), strings.HasSuffix(to, ".html"):
			return s
		case page == "README":
			to = "index.html"
		case page != to && !strings.Contains(page, "/"):
			to = page + ".html"
		default:
			return m[1] + m[2] + m[4]
		}
		return m[1] + "[" + m[2] + "](" + to + ")" + m[4]
	})
}

// withPictures embeds the pictures of a text as data URLs.
func withPictures(text string) string {
	return pictures.ReplaceAllStringFunc(text, func(to string) string {
		svg, err := fs.ReadFile(lessons.Files, to)
		if err != nil { // a test reads them all
			return to
		}
		return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)
	})
}

// writeNotebook writes the lesson as a Jupyter notebook, in format 4.5. Each command has a cell without output,
// because readers predict the output. Results of predictions, hints and answers are folded.
func (l *lesson) writeNotebook(w io.Writer) error {
	cells, text, exercise := []map[string]any{}, "", 0
	add := func(kind, source string) {
		cells = append(cells, map[string]any{"cell_type": kind, "id": fmt.Sprintf("cell-%d", len(cells)+1), "metadata": struct{}{}, "source": source})
		if kind == "code" {
			cells[len(cells)-1]["execution_count"], cells[len(cells)-1]["outputs"] = nil, []string{}
		}
	}
	flush := func() {
		if text != "" {
			add("markdown", strings.TrimSpace(withPictures(text)))
		}
		text = ""
	}
	folded := func(summary, text string) {
		add("markdown", "<details><summary>"+summary+"</summary>\n\n"+text+"\n\n</details>")
	}
	for _, b := range l.blocks {
		if strings.HasPrefix(b, "## ") || b[0] == '<' || strings.HasPrefix(b, "```") {
			flush()
		}
		if len(cells) == 1 {
			add("markdown", fmt.Sprintf(l.in("This is lesson %d of `exp` as a notebook. Put it into an empty folder, with `exp` on your path. The first cell chooses the built-in data and output without colours. Write your predictions down, then run each cell in its turn. A triangle opens what is hidden. To check an answer, write it in place of the question mark and run the cell."), l.number))
			add("code", "%env EXP_DATA=lessons-data\n%env TERM=dumb")
		}
		for _, m := range resulted.FindAllStringSubmatch(b, -1) {
			folded(fmt.Sprintf(l.in("Prediction %s"), m[1]), m[2])
		}
		switch {
		case strings.HasPrefix(b, "```"):
			for _, m := range typing.FindAllStringSubmatch(b, -1) {
				add("code", "!"+strings.ReplaceAll(m[1], "'", `"`)) // for Windows, too
			}
		case strings.HasPrefix(b, "<details>"):
			exercise++
			e := l.exercises[exercise-1]
			add("code", fmt.Sprintf(`!exp lesson %d --check %d "?"%s`, l.number, exercise, l.flag()))
			folded(l.in("Hint"), e.hint)
			folded(l.in("Answer"), "**"+e.answer+"**\n\n"+strings.Join(e.solution, "\n\n"))
		case b[0] != '<':
			text += b + "\n\n"
		}
	}
	flush()
	out := json.NewEncoder(w)
	out.SetEscapeHTML(false)
	out.SetIndent("", " ")
	return out.Encode(map[string]any{
		"nbformat": 4, "nbformat_minor": 5, "cells": cells,
		"metadata": map[string]any{
			"title":         strings.TrimPrefix(strings.SplitN(l.blocks[0], "\n", 2)[0], "# "),
			"kernelspec":    map[string]string{"name": "python3", "display_name": "Python 3", "language": "python"},
			"language_info": map[string]string{"name": "python"},
		},
	})
}
