package lesson

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"html/template"
	"io"
	"io/fs"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark/ast"

	"imdbexp/docs/lessons"
)

//go:embed page.html
var pageHTML string

var pageTemplate = template.Must(template.New("page").Parse(pageHTML))

// writePage writes a lesson as a page for a browser, with its pictures.
func (l *lesson) writePage(w io.Writer) error {
	body, err := parse(l.file, l.source).body() // parsed again, because body changes the links
	if err != nil {
		return err
	}
	return writePage(w, l.title, body, l.file != "README.md")
}

// writeIndex writes a page of Markdown whose links are kept as they are.
func writeIndex(w io.Writer, text string) error {
	var body strings.Builder
	if err := markdown.Convert([]byte(text), &body); err != nil {
		return err
	}
	title, _, _ := strings.Cut(strings.TrimPrefix(text, "# "), "\n")
	return writePage(w, title, body.String(), false)
}

// writePage writes a page; one of a lesson links to the list of them.
func writePage(w io.Writer, title, body string, linked bool) error {
	return pageTemplate.Execute(w, struct {
		Title  string
		Linked bool
		Body   template.HTML
	}{title, linked, template.HTML(body)})
}

// page is the file name of a lesson's page.
func (l *lesson) page() string { return strings.TrimSuffix(l.file, ".md") + ".html" }

var (
	comments = regexp.MustCompile(`(?s)<!--.*?-->\n?`)
	listing  = regexp.MustCompile(`(?s)<pre>.*?</pre>`)
	command  = regexp.MustCompile(`(?m)((?:^|>))(\$ .*)$`)
	tables   = strings.NewReplacer("<table>", `<div class="scroll"><table>`, "</table>", "</table></div>")
)

// body returns a lesson as HTML. Pictures are in it, as images of their own, so that their ids and
// styles stay apart. Links to other lessons lead to their pages; links to other files of the
// repository become plain words.
func (l *lesson) body() (string, error) {
	var broken []ast.Node
	err := ast.Walk(l.doc, func(n ast.Node, entering bool) (ast.WalkStatus, error) {
		if !entering {
			return ast.WalkContinue, nil
		}
		switch n := n.(type) {
		case *ast.Image:
			svg, err := fs.ReadFile(lessons.Files, path.Clean(string(n.Destination)))
			if err != nil {
				return ast.WalkStop, err
			}
			n.Destination = []byte("data:image/svg+xml;base64," + base64.StdEncoding.EncodeToString(bytes.TrimSpace(svg)))
		case *ast.Link:
			to := string(n.Destination)
			page, isPage := strings.CutSuffix(to, ".md")
			switch {
			case strings.HasPrefix(to, "https://"):
			case page == "README":
				n.Destination = []byte("index.html")
			case isPage && !strings.Contains(page, "/"):
				n.Destination = []byte(page + ".html")
			default:
				broken = append(broken, n)
			}
		}
		return ast.WalkContinue, nil
	})
	if err != nil {
		return "", err
	}
	for _, n := range broken {
		for c := n.FirstChild(); c != nil; c = n.FirstChild() {
			n.Parent().InsertBefore(n.Parent(), n, c)
		}
		n.Parent().RemoveChild(n.Parent(), n)
	}
	var out strings.Builder
	if err := markdown.Renderer().Render(&out, l.source, l.doc); err != nil {
		return "", err
	}
	text := comments.ReplaceAllString(out.String(), "")
	text = listing.ReplaceAllStringFunc(text, func(s string) string { return command.ReplaceAllString(s, "$1<b>$2</b>") })
	return tables.Replace(text), nil
}
