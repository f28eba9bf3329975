package lesson

import (
	"cmp"
	_ "embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"path"
	"regexp"
	"strconv"
	"strings"

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

	linked string   // Markdown with the links of the file
	blocks []string // paragraphs, headings, code … with links as a reader types them, without solutions
}

// exercise is the hidden part of an exercise, for --check.
type exercise struct {
	answer   string // a letter, or a number and its tolerance: 0.93 ± 0.01
	hint     string
	solution []string // blocks
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

var (
	timing   = regexp.MustCompile(`(?m)^\*(\d+) minutes\.\*`)
	solved   = regexp.MustCompile(`<!-- answer: (.*) -->`)
	hinted   = regexp.MustCompile(`(?s)<!-- hint: (.*?) -->`)
	resulted = regexp.MustCompile(`(?s)<!-- prediction (\d+): (.*?) -->`) // the result of a prediction
	titled   = regexp.MustCompile(`^# (?:\pL+ \d+\S*: )?(.*)`)
	blocks   = regexp.MustCompile("(?ms)^```.*?^```$|^\\S.*?(?:\n\n|\\z)|^ .*?(?:\n\n|\\z)")
	typing   = regexp.MustCompile(`(?m)^\$ (.*)$`)
)

func parse(file, bilingual, lang string) *lesson {
	l := &lesson{file: file, lang: lang}
	l.linked, _ = translate(bilingual, lang)
	digits, _, _ := strings.Cut(file, "-")
	l.number, _ = strconv.Atoi(digits)
	l.title, l.minutes = first(titled, l.linked), first(timing, l.linked)
	var open *exercise // whose solution is read
	for _, b := range blocks.FindAllString(l.plainLinks(l.linked), -1) {
		switch b = strings.TrimRight(b, "\n"); {
		case b == "</details>":
			open = nil
		case open != nil:
			open.solution = append(open.solution, b)
		default:
			l.blocks = append(l.blocks, b)
		}
		if strings.HasPrefix(b, "<details>") {
			l.exercises = append(l.exercises, exercise{answer: first(solved, b), hint: first(hinted, b)})
			open = &l.exercises[len(l.exercises)-1]
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

// split returns the words of a text. No-break spaces do not separate words.
func split(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ' ' || r == '\n' })
}

// plain returns a text without emphasis.
func plain(text string) string { return emphasis.ReplaceAllString(text, "$1") }

var emphasis = regexp.MustCompile(`\*+([^*]+)\*+`)

// link matches a link or an image with the parenthesis around it: beginning, words, target, end.
var link = regexp.MustCompile(`(!|\()?\[([^\]]+)\]\(([^)\s]+)\)(\))?`)

// plainLinks turns links into words and a command or path.
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

// pair is a text of a lesson in both languages. The stamp is a digest of the English that the French was
// written for; a test compares it.
type pair struct{ english, stamp, french string }

// translate returns the text of a lesson in a language, and all pairs. The French follows the English
// paragraph or comment that it stands for: <!-- fr STAMP, a line end, the text, a line end and -->.
// All else (commands, output, pictures, formulas, answers) is there once, for both languages.
func translate(bilingual, lang string) (string, []pair) {
	parts := strings.Split(bilingual, "\n<!-- fr ")
	out, pairs := parts[0], []pair{}
	for _, part := range parts[1:] {
		note, rest, _ := strings.Cut(part, "\n-->")
		stamp, french, _ := strings.Cut(note, "\n")
		out = strings.TrimSuffix(out, "\n")
		begin, end := strings.LastIndex("\n\n"+out, "\n\n"), len(out)
		if strings.HasSuffix(out, " -->") { // such as <!-- hint: TEXT -->
			begin = strings.LastIndex(out, "<!-- ")
			begin, end = begin+strings.Index(out[begin:], ": ")+2, len(out)-len(" -->")
		}
		pairs = append(pairs, pair{out[begin:end], stamp, french})
		if lang == "fr" {
			out = out[:begin] + typeset(french) + out[end:]
		}
		out += rest
	}
	if lang == "fr" {
		out = strings.ReplaceAll(out, "<summary>Answer<", "<summary>"+french["Answer"]+"<")
		out = solved.ReplaceAllStringFunc(out, func(s string) string { return strings.ReplaceAll(s, ".", ",") })
	}
	return out, pairs
}

var (
	noBreak = strings.NewReplacer(" :", "\u00a0:", " ;", "\u00a0;", " !", "\u00a0!", " ?", "\u00a0?", " »", "\u00a0»", "« ", "«\u00a0", "'", "’")
	numbers = regexp.MustCompile(`(\d) (\d{3}\b|%)`)
)

// typeset sets the no-break spaces and apostrophes of French, except in code.
func typeset(text string) string {
	parts := strings.Split(text, "`")
	for i := 0; i < len(parts); i += 2 {
		parts[i] = numbers.ReplaceAllString(noBreak.Replace(parts[i]), "$1\u00a0$2")
	}
	return strings.Join(parts, "`")
}

// in returns one of the texts around a lesson in the language of the lesson.
func (l *lesson) in(text string) string {
	if l.lang == "fr" {
		return typeset(cmp.Or(french[text], text))
	}
	return text
}

// flag returns the flag that asks for the lesson's language.
func (l *lesson) flag() string {
	if l.lang == "fr" {
		return " --lang fr"
	}
	return ""
}

//go:embed fr.json
var frenchJSON []byte

// french has the texts around a lesson.
var french = func() (texts map[string]string) {
	if err := json.Unmarshal(frenchJSON, &texts); err != nil {
		panic(err) // the file is part of the program
	}
	return texts
}()
