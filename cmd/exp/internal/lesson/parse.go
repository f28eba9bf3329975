package lesson

import (
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"

	"imdbexp/docs/lessons"
)

// lesson is one file of docs/lessons.
type lesson struct {
	number    int // from the file's name, 1-mean.md
	file      string
	title     string
	minutes   string // such as 25
	exercises []exercise

	source []byte
	doc    ast.Node
}

// exercise is the hidden part of an exercise, for --check.
type exercise struct {
	answer   string // a letter, or a number and its tolerance: 0.93 ± 0.01
	hint     string
	solution []ast.Node
}

// course returns the lessons in their order.
var course = sync.OnceValues(func() (out []*lesson, err error) {
	names, err := fs.Glob(lessons.Files, "[0-9]*.md")
	for _, name := range names {
		l, err := read(name)
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, err
})

func read(name string) (*lesson, error) {
	source, err := fs.ReadFile(lessons.Files, name)
	return parse(name, source), err
}

// markdown knows tables, and keeps the HTML in lessons: <details>, and comments with answers.
var markdown = goldmark.New(goldmark.WithExtensions(extension.Table), goldmark.WithRendererOptions(html.WithUnsafe()))

var (
	timing   = regexp.MustCompile(`(?m)^\*(\d+) minutes\.\*`)
	solved   = regexp.MustCompile(`<!-- answer: (.*) -->`)
	hinted   = regexp.MustCompile(`(?s)<!-- hint: (.*?) -->`)
	resulted = regexp.MustCompile(`<!-- prediction (\d+): (.*) -->`) // the result of a prediction
)

// predictFirst is the heading of the questions that a reader answers before reading on.
const predictFirst = "Predict first"

func parse(file string, source []byte) *lesson {
	l := &lesson{file: file, source: source, doc: markdown.Parser().Parse(text.NewReader(source))}
	digits, _, _ := strings.Cut(file, "-")
	l.number, _ = strconv.Atoi(digits)
	if m := timing.FindSubmatch(source); m != nil {
		l.minutes = string(m[1])
	}
	var open *exercise
	for n := l.doc.FirstChild(); n != nil; n = n.NextSibling() {
		heading, _ := n.(*ast.Heading)
		block, isHTML := n.(*ast.HTMLBlock)
		switch {
		case heading != nil && heading.Level == 1:
			_, l.title, _ = strings.Cut(l.inline(n), ": ")
		case isHTML && strings.HasPrefix(l.html(block), "<details>"):
			l.exercises = append(l.exercises, exercise{answer: comment(solved, l.html(block)), hint: comment(hinted, l.html(block))})
			open = &l.exercises[len(l.exercises)-1]
		case isHTML:
			open = nil
		case open != nil:
			open.solution = append(open.solution, n)
		}
	}
	return l
}

// comment returns the text of a comment, on one line, or "".
func comment(re *regexp.Regexp, html string) string {
	m := re.FindStringSubmatch(html)
	if m == nil {
		return ""
	}
	return strings.Join(strings.Fields(m[1]), " ")
}

// html returns a block of HTML as it is written.
func (l *lesson) html(n *ast.HTMLBlock) string {
	out := string(n.Lines().Value(l.source))
	if n.HasClosure() {
		out += string(n.ClosureLine.Value(l.source))
	}
	return out
}

// inline returns the text of a block without its Markdown, except for the quotes around code. A
// link is followed by what a reader can type or open.
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
		case *ast.Link:
			words, to := l.inline(c), target(string(c.Destination))
			if words != to {
				words += " (" + to + ")"
			}
			out.WriteString(words)
		default:
			out.WriteString(l.inline(c))
		}
	}
	return inParentheses.ReplaceAllString(out.String(), "($1)")
}

// inParentheses matches a link in parentheses.
var inParentheses = regexp.MustCompile(`\([^()]+ \((docs/[^()]+|exp lesson \d+)\)\)`)

var ofLesson = regexp.MustCompile(`^(\d+)-[^/]*\.md(#.*)?$`)

// target is the target of a link as a reader types it: a command for a lesson, the path in the
// sources for other files.
func target(link string) string {
	if m := ofLesson.FindStringSubmatch(link); m != nil {
		return "exp lesson " + m[1]
	}
	if strings.Contains(link, "://") {
		return link
	}
	file, _, _ := strings.Cut(link, "#")
	return path.Join("docs/lessons", file)
}

// find returns the lesson with a number.
func find(word string) (*lesson, error) {
	all, err := course()
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
	for n := l.doc.FirstChild(); n != nil; n = n.NextSibling() {
		if n, ok := n.(*ast.FencedCodeBlock); ok {
			for line := range strings.Lines(string(n.Lines().Value(l.source))) {
				if command, ok := strings.CutPrefix(line, "$ "); ok {
					out = append(out, strings.TrimSuffix(command, "\n"))
				}
			}
		}
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
