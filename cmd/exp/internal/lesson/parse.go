package lesson

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"

	"imdbexp/docs/lessons"
)

// lesson is one file of docs/lessons, in one language.
type lesson struct {
	number    int // from the file's name, 1-mean.md
	file      string
	lang      string // en or fr
	title     string
	minutes   string // such as 25
	exercises []exercise

	linked string // Markdown with the links of the file
	source []byte // Markdown with links as a reader types them
	doc    ast.Node
	blocks []ast.Node // of doc, without the solutions of exercises
}

// exercise is the hidden part of an exercise, for --check.
type exercise struct {
	answer   string // a letter, or a number and its tolerance: 0.93 ± 0.01
	hint     string
	solution []ast.Node
}

// course returns the lessons in their order.
func course(lang string) (out []*lesson, err error) {
	if lang != "en" && lang != "fr" {
		return nil, fmt.Errorf("--lang %s: the languages are en and fr", lang)
	}
	names, err := fs.Glob(lessons.Files, "[0-9]*.md")
	for _, name := range names {
		l, err := read(name, lang)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, err
}

func read(name, lang string) (*lesson, error) {
	text, err := fs.ReadFile(lessons.Files, name)
	return parse(name, string(text), lang), err
}

// markdown knows tables, and keeps the HTML in lessons: <details>, and comments with answers.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithRendererOptions(html.WithUnsafe()))

var (
	timing   = regexp.MustCompile(`(?m)^\*(\d+) minutes\.\*`)
	solved   = regexp.MustCompile(`<!-- answer: (.*) -->`)
	hinted   = regexp.MustCompile(`(?s)<!-- hint: (.*?) -->`)
	resulted = regexp.MustCompile(`(?s)<!-- prediction (\d+): (.*?) -->`) // the result of a prediction
	numbered = regexp.MustCompile(`^\pL+ \d+\S*: `)
	typing   = regexp.MustCompile(`(?m)^\$ (.*)$`)
)

func parse(file, bilingual, lang string) *lesson {
	l := &lesson{file: file, lang: lang}
	l.linked, _ = translate(bilingual, lang)
	l.source = []byte(l.plainLinks(l.linked))
	l.doc = markdown.Parser().Parse(text.NewReader(l.source))
	digits, _, _ := strings.Cut(file, "-")
	l.number, _ = strconv.Atoi(digits)
	l.minutes = first(timing, l.linked)
	hidden := false
	for n := l.doc.FirstChild(); n != nil; n = n.NextSibling() {
		if heading, ok := n.(*ast.Heading); ok && heading.Level == 1 {
			l.title = numbered.ReplaceAllString(l.inline(n), "")
		}
		html := l.html(n)
		if strings.HasPrefix(html, "<details>") {
			l.exercises = append(l.exercises, exercise{answer: first(solved, html), hint: first(hinted, html)})
			hidden = true
		} else if html != "" {
			hidden = false
		}
		if hidden && html == "" {
			open := &l.exercises[len(l.exercises)-1]
			open.solution = append(open.solution, n)
		} else {
			l.blocks = append(l.blocks, n)
		}
	}
	return l
}

// first returns the first group of a match, on one line, or "".
func first(re *regexp.Regexp, text string) string {
	m := re.FindStringSubmatch(text)
	if m == nil {
		return ""
	}
	return strings.Join(split(m[1]), " ")
}

// split returns the words of a text, which no-break spaces do not separate.
func split(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\n' })
}

// html returns a block of HTML as it is written, "" for other blocks.
func (l *lesson) html(n ast.Node) string {
	block, ok := n.(*ast.HTMLBlock)
	if !ok {
		return ""
	}
	out := string(n.Lines().Value(l.source))
	if block.HasClosure() {
		out += string(block.ClosureLine.Value(l.source))
	}
	return out
}

// inline returns the text of a block without its Markdown, except for the quotes around code.
func (l *lesson) inline(n ast.Node) string {
	var out strings.Builder
	for c := n.FirstChild(); c != nil; c = c.NextSibling() {
		switch c := c.(type) {
		case *ast.Text:
			out.Write(c.Segment.Value(l.source))
			if c.SoftLineBreak() || c.HardLineBreak() {
				out.WriteByte(' ')
			}
		case *ast.CodeSpan:
			out.WriteString("`" + l.inline(c) + "`")
		default:
			out.WriteString(l.inline(c))
		}
	}
	return out.String()
}

// link matches a link or an image with the parenthesis around it: what it begins with, words, target, end.
var link = regexp.MustCompile(`(!|\()?\[([^\]]+)\]\(([^)\s]+)\)(\))?`)

// plainLinks turns links into words and what a reader can type or open.
func (l *lesson) plainLinks(text string) string {
	return link.ReplaceAllStringFunc(text, func(s string) string {
		m := link.FindStringSubmatch(s)
		to := l.target(m[3])
		switch {
		case m[1] == "!":
			return s
		case m[2] == to, m[1] != "" && m[4] != "":
			return m[1] + to + m[4]
		}
		return m[1] + m[2] + " (" + to + ")" + m[4]
	})
}

var ofLesson = regexp.MustCompile(`^(\d+)-[^/]*\.md(#.*)?$`)

// target is the target of a link as a reader types it: a command for a lesson, the path in the
// sources for other files.
func (l *lesson) target(link string) string {
	if m := ofLesson.FindStringSubmatch(link); m != nil {
		return "exp lesson " + m[1] + l.flag()
	}
	if strings.Contains(link, "://") {
		return link
	}
	file, _, _ := strings.Cut(link, "#")
	return path.Join("docs/lessons", file)
}

// find returns the lesson with a number.
func find(word, lang string) (*lesson, error) {
	all, err := course(lang)
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 || n > len(all) {
		return nil, fmt.Errorf("there is no lesson %q: the lessons are 1 to %d; exp lesson lists them", word, len(all))
	}
	return all[n-1], nil
}

// commands returns the commands of a lesson, without the $.
func (l *lesson) commands() (out []string) {
	for _, m := range typing.FindAllStringSubmatch(l.linked, -1) {
		out = append(out, m[1])
	}
	return out
}

// picture returns the image that a paragraph consists of, or nil.
func picture(n ast.Node) *ast.Image {
	image, _ := n.FirstChild().(*ast.Image)
	if n.ChildCount() != 1 {
		return nil
	}
	return image
}
