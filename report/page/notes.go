package page

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
	"go.yaml.in/yaml/v3"

	"imdbexp/internal/fsx"
	"imdbexp/report"
	"imdbexp/report/canvas"
	"imdbexp/report/internal/render"
)

// Notes is a text of the user's in Markdown, which begins a page. An image of the file of a figure
// shows the figure, and {{< include NAME.md >}} the table of that name: a text that Quarto reads, too.
type Notes struct {
	File string // named in errors; its pictures are relative to it
	Text []byte
	Out  string // the folder that figures and tables are written to
}

// Sizes that are read at most.
const (
	MaxNotes   = 1 << 20
	maxPicture = 8 << 20
)

// pictures are the formats of the user's own pictures.
var pictures = map[string]string{".png": "image/png", ".jpg": "image/jpeg", ".jpeg": "image/jpeg", ".gif": "image/gif",
	".webp": "image/webp", ".svg": "image/svg+xml"}

var (
	frontMatter = regexp.MustCompile(`(?s)\A---\r?\n(.*?\n)?(?:---|\.\.\.)[ \t]*(?:\r?\n|\z)`)
	include     = regexp.MustCompile(`\A\s*\{\{<\s*include\s+(\S+)\s*>\}\}\s*\z`)
	including   = regexp.MustCompile(`(?m)^\s*\{\{<\s*include\b`)
	image       = regexp.MustCompile(`(?s)\A\s*!\[([^]]*)\]\([^()]*\)\s*(\{[^{}]*\})?\s*\z`)
	label       = regexp.MustCompile(`#(fig-[A-Za-z0-9-]+)`)
	reference   = regexp.MustCompile(`\A@((?:fig|tbl)-[A-Za-z0-9-]+)`)
)

// notes fills the placeholders of a text.
type notes struct {
	Notes
	figures []canvas.Figure
	tables  []render.Part
	linked  func(id string) bool

	shown   map[string]string // labels in the text and what they are called, such as Figure 1
	refs    []*ast.Link       // to labels
	counted [2]int            // figures and tables
	head    metadata
	errs    []error
}

// metadata is what stands between the --- lines of a text. Quarto knows more.
type metadata struct {
	Title, Subtitle, Date string
	Author                any
}

// names returns the names of authors: one, a list, or a list of fields such as name and affiliation.
func names(authors any) (out []string) {
	switch a := authors.(type) {
	case string:
		return []string{a}
	case []any:
		for _, one := range a {
			out = append(out, names(one)...)
		}
	case map[string]any:
		return names(a["name"])
	}
	return out
}

// byline names the authors and the date, "" without both.
func (m *metadata) byline() string {
	date := m.Date
	if slices.Contains([]string{"today", "now", "last-modified"}, date) {
		date = time.Now().Format(time.DateOnly)
	}
	return strings.Trim(strings.Join(names(m.Author), ", ")+" · "+date, " ·")
}

// write returns the text as HTML, and the figures that it does not show.
func (n *notes) write() (html template.HTML, rest []canvas.Figure, err error) {
	n.shown = map[string]string{}
	if head := frontMatter.Find(n.Text); head != nil {
		if err := yaml.Unmarshal(frontMatter.FindSubmatch(n.Text)[1], &n.head); err != nil {
			n.fail(0, "the metadata between the --- lines is not YAML of Quarto's kind: %v", err)
		}
		n.Text = append(bytes.Repeat([]byte("\n"), bytes.Count(head, []byte("\n"))), n.Text[len(head):]...)
	}
	md := goldmark.New( // which leaves HTML out
		goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.Footnote),
		goldmark.WithParserOptions(parser.WithInlineParsers(util.Prioritized(n, 50), util.Prioritized(formulas{}, 60))))
	doc := md.Parser().Parse(text.NewReader(n.Text))
	var places []ast.Node
	ast.Walk(doc, func(x ast.Node, entering bool) (ast.WalkStatus, error) {
		if heading, ok := x.(*ast.Heading); ok && entering {
			heading.Level = min(heading.Level+1, 6) // the page has the first
		}
		isTable := x.Kind() == ast.KindParagraph && including.Match(x.Lines().Value(n.Text))
		if entering && (isTable || x.Kind() == ast.KindImage) {
			places = append(places, x)
		}
		return ast.WalkContinue, nil
	})
	for _, x := range places {
		if picture, ok := x.(*ast.Image); ok {
			n.picture(picture)
		} else {
			n.table(x)
		}
	}
	for _, link := range n.refs {
		to := strings.TrimPrefix(string(link.Destination), "#")
		if n.shown[to] == "" {
			n.fail(link.Pos(), "nothing in the text has the label %s", to)
		}
		link.AppendChild(link, ast.NewString([]byte(cmp.Or(n.shown[to], "@"+to))))
	}
	if n.errs != nil {
		n.errs = append(n.errs, fmt.Errorf("figures: %s\ntables: %s", listed(n.figures, func(f canvas.Figure) string { return f.Name + ".svg" }),
			listed(n.tables, func(p render.Part) string { return p.Name + ".md" })))
	}
	var out bytes.Buffer
	err = errors.Join(append(n.errs, md.Renderer().Render(&out, n.Text, doc))...)
	rest = report.Filter(n.figures, func(f canvas.Figure) bool { return n.shown[f.Name+".svg"] == "" })
	return template.HTML(out.String()), rest, err
}

// fail adds an error about the line of an offset in the text.
func (n *notes) fail(at int, why string, args ...any) {
	line := 1 + bytes.Count(n.Text[:max(0, min(at, len(n.Text)))], []byte("\n"))
	n.errs = append(n.errs, fmt.Errorf("%s:%d: %w", n.File, line, fmt.Errorf(why, args...)))
}

func listed[T any](of []T, name func(T) string) string {
	return cmp.Or(strings.Join(report.Map(of, name), ", "), "none")
}

// put replaces a node by HTML.
func put(x ast.Node, html string) {
	s := ast.NewString([]byte(html))
	s.SetCode(true) // written as it is
	x.Parent().ReplaceChild(x.Parent(), x, s)
}

// table shows the table that a paragraph includes.
func (n *notes) table(x ast.Node) {
	words := include.FindSubmatch(x.Lines().Value(n.Text))
	if words == nil {
		n.fail(x.Pos(), "{{< include FILE >}} needs a paragraph for itself")
		return
	}
	file := string(words[1])
	at := slices.IndexFunc(n.tables, func(p render.Part) bool { return p.Name+".md" == filepath.Base(file) })
	switch {
	case at < 0:
		n.fail(x.Pos(), "there is no table %s", file)
	case n.shown["tbl-"+n.tables[at].Name] != "":
		n.fail(x.Pos(), "the table %s is in the text twice", file)
	default:
		n.counted[1]++
		n.shown["tbl-"+n.tables[at].Name] = fmt.Sprintf("Table\u00a0%d", n.counted[1])
		put(x, n.tables[at].HTML(n.counted[1], n.linked))
	}
}

// picture shows a figure of the report, or a picture of the user's, in the place of the paragraph of
// its image. The attributes behind an image may have a label.
func (n *notes) picture(x *ast.Image) {
	file, alone := string(x.Destination), [][]byte(nil)
	if x.Parent().Kind() == ast.KindParagraph {
		alone = image.FindSubmatch(x.Parent().Lines().Value(n.Text))
	}
	shown, err := n.find(file)
	if alone == nil {
		err = fmt.Errorf("the picture %s needs a paragraph for itself", file)
	}
	if err != nil {
		n.fail(x.Pos(), "%w", err)
		return
	}
	shown.Title = cmp.Or(strings.NewReplacer("*", "", "_", "", "`", "", "\n", " ").Replace(string(alone[1])), shown.Title)
	if m := label.FindSubmatch(alone[2]); m != nil {
		shown.Label = string(m[1])
		if n.shown[shown.Label] != "" {
			n.fail(x.Pos(), "two pictures have the label %s", m[1])
		}
		n.counted[0]++
		n.shown[shown.Label] = fmt.Sprintf("Figure\u00a0%d", n.counted[0])
		shown.Title = strings.TrimSuffix(n.shown[shown.Label]+": "+shown.Title, ": ")
	}
	var out strings.Builder
	if err := templates().ExecuteTemplate(&out, "figure", shown); err != nil {
		n.errs = append(n.errs, err)
	}
	put(x.Parent(), out.String())
}

// find returns the figure of a file, or the picture in it.
func (n *notes) find(file string) (shown pageFigure, err error) {
	name, ext := strings.TrimSuffix(filepath.Base(file), filepath.Ext(file)), strings.ToLower(filepath.Ext(file))
	at := slices.IndexFunc(n.figures, func(f canvas.Figure) bool { return f.Name == name })
	path := file
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(n.File), path)
	}
	switch {
	case at >= 0 && n.shown[name+".svg"] != "":
		return shown, fmt.Errorf("the figure %s is in the text twice", name)
	case at >= 0:
		n.shown[name+".svg"] = name
		return inlined(n.figures[at])
	case pictures[ext] == "" || filepath.Clean(filepath.Dir(path)) == filepath.Clean(n.Out): // perhaps of an older report
		return shown, fmt.Errorf("there is no figure %s", file)
	}
	b, err := fsx.ReadFile(path, maxPicture)
	if err != nil {
		return shown, fmt.Errorf("there is no figure %s, nor a picture: %w", file, err)
	}
	shown.SVG = template.HTML(`<img alt="" src="data:` + pictures[ext] + ";base64," + base64.StdEncoding.EncodeToString(b) + `">` + "\n")
	return shown, nil
}

// Trigger and Parse make links of references such as @fig-accuracy.
func (n *notes) Trigger() []byte { return []byte("@") }

func (n *notes) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, _ := block.PeekLine()
	m := reference.FindSubmatch(line)
	if before := block.PrecendingCharacter(); m == nil || unicode.IsLetter(before) || unicode.IsDigit(before) { // as in a@fig-b
		return nil
	}
	block.Advance(len(m[0]))
	link := ast.NewLink()
	link.Destination = append([]byte("#"), m[1]...)
	n.refs = append(n.refs, link)
	return link
}

// formulas parses mathematics between dollar signs, as pandoc and Quarto do: no white space inside next to the signs, and
// no digit behind them, so that prices stay. A page without scripts shows them as they are typed.
type formulas struct{}

var mathematics = regexp.MustCompile(`\A(?:\$\$([^$]+)\$\$|\$([^\s$](?:[^$]*?[^\s$\\])?)\$)`)

func (formulas) Trigger() []byte { return []byte("$") }

func (formulas) Parse(_ ast.Node, block text.Reader, _ parser.Context) ast.Node {
	line, at := block.Position()
	m := block.FindSubMatch(mathematics)
	if m == nil {
		return nil
	}
	if next := block.Peek(); len(m[1]) == 0 && next >= '0' && next <= '9' {
		block.SetPosition(line, at)
		return nil
	}
	class := map[bool]string{true: "math", false: "math display"}[len(m[1]) == 0]
	s := ast.NewString([]byte(`<span class="` + class + `">` + template.HTMLEscapeString(string(m[1])+string(m[2])) + "</span>"))
	s.SetCode(true) // written as it is
	return s
}
