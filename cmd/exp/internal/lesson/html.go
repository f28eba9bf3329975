package lesson

import (
	_ "embed"
	"encoding/base64"
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

// markdown knows tables, and keeps the HTML in lessons: <details>.
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

// forPage returns the Markdown of a lesson for a page. Pictures are in it, as images of their own, so that their
// ids and styles stay apart. Links to other lessons lead to their pages; links to other files of the repository
// become plain words. Of the comments, answers are shown.
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

// withPictures puts the pictures of a text into it, as data.
func withPictures(text string) string {
	return pictures.ReplaceAllStringFunc(text, func(to string) string {
		svg, err := fs.ReadFile(lessons.Files, to)
		if err != nil { // a test reads them all
			return to
		}
		return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)
	})
}
