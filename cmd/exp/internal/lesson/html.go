package lesson

import (
	_ "embed"
	"encoding/base64"
	"errors"
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
	body, err := l.body()
	if err != nil {
		return err
	}
	return pageTemplate.Execute(w, map[string]any{
		"Lang": l.lang, "Title": l.title, "Body": template.HTML(body), "All": l.in("All lessons"), "Linked": l.number > 0,
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

// body returns a lesson as HTML. Pictures are in it, as images of their own, so that their ids and
// styles stay apart. Links to other lessons lead to their pages; links to other files of the
// repository become plain words.
func (l *lesson) body() (string, error) {
	text, err := withPictures(shown(l.linked))
	if err != nil {
		return "", err
	}
	text = link.ReplaceAllStringFunc(text, func(s string) string {
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
	var out strings.Builder
	err = markdown.Convert([]byte(text), &out)
	page := listing.ReplaceAllStringFunc(out.String(), func(s string) string { return command.ReplaceAllString(s, "$1<b>$2</b>") })
	return tables.Replace(page), err
}

// shown returns a text with its answers shown, and without its other comments.
func shown(text string) string {
	return comments.ReplaceAllString(solved.ReplaceAllString(text, "\n**$1**"), "")
}

// withPictures puts the pictures of a text into it, as data.
func withPictures(text string) (string, error) {
	var failed error
	return pictures.ReplaceAllStringFunc(text, func(to string) string {
		svg, err := fs.ReadFile(lessons.Files, to)
		failed = errors.Join(failed, err)
		return "data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(svg)
	}), failed
}
