package lesson

import (
	"fmt"
	"io/fs"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"

	"imdbexp/docs/lessons"
)

// course reads the lessons in their order, when the first of them is asked for, from what
// the program carries.
var course = sync.OnceValues(func() (out []*lesson, err error) {
	names, err := fs.Glob(lessons.Files, "[0-9]*.md")
	for _, name := range names {
		text, err := fs.ReadFile(lessons.Files, name)
		if err != nil {
			return nil, err
		}
		l, err := parse(name, string(text))
		if err != nil {
			return nil, err
		}
		out = append(out, l)
	}
	return out, err
})

// lesson is one file of docs/lessons.
type lesson struct {
	number  int // from the file's name, 1-mean.md
	file    string
	title   string
	minutes string // such as 25
	blocks  []block
}

// kind says what a block is.
type kind int

const (
	heading kind = iota // level in depth
	paragraph
	item   // of a list; its mark in mark
	code   // lines as they stand
	table  // rows of cells
	figure // a picture: its file in mark, what it shows in text
	unfold // begins what is hidden until asked for; its headline in text
	fold   // ends it
	answer // of the exercise at hand, for --check
)

// block is a piece of a lesson, in the little Markdown that lessons are written in.
type block struct {
	kind  kind
	depth int
	mark  string
	text  string // on one line
	lines []string
	rows  [][]string
}

var (
	timing  = regexp.MustCompile(`^\*(\d+) minutes\.\*`)
	listed  = regexp.MustCompile(`^(\d+\.|-) +(.*)`)
	picture = regexp.MustCompile(`^!\[([^\]]*)\]\(([^)]+)\)$`)
	summary = regexp.MustCompile(`^<details><summary>(.*)</summary>$`)
	solved  = regexp.MustCompile(`^<!-- answer: (.*) -->$`)
)

// formula begins lines that stand as they are, as a fence does for more of them.
const formula = "    "

// parse reads a lesson; an error names the file and the line.
func parse(file, text string) (*lesson, error) {
	l := &lesson{file: file}
	digits, _, _ := strings.Cut(file, "-")
	l.number, _ = strconv.Atoi(digits)
	lines := strings.Split(text, "\n")
	open := false // the last block takes more lines
	for i := 0; i < len(lines); i++ {
		line := lines[i]
		add := func(b block) { l.blocks, open = append(l.blocks, b), b.kind == paragraph || b.kind == item }
		switch m := []string(nil); {
		case strings.HasPrefix(line, "```"):
			n := slices.Index(lines[i+1:], "```")
			if n < 0 {
				return nil, fmt.Errorf("%s:%d: the lines after ``` have no ``` behind them", file, i+1)
			}
			add(block{kind: code, mark: line[3:], lines: lines[i+1:][:n]})
			i += 1 + n
		case line == "":
			open = false
		case strings.HasPrefix(line, formula) && !open:
			if n := len(l.blocks) - 1; i > 0 && strings.HasPrefix(lines[i-1], formula) {
				l.blocks[n].lines = append(l.blocks[n].lines, line[len(formula):])
			} else {
				add(block{kind: code, lines: []string{line[len(formula):]}})
			}
		case strings.HasPrefix(line, "#"):
			title := strings.TrimLeft(line, "#")
			b := block{kind: heading, depth: len(line) - len(title), text: strings.TrimSpace(title)}
			if add(b); b.depth == 1 {
				_, l.title, _ = strings.Cut(b.text, ": ")
			}
		case strings.HasPrefix(line, "|"):
			if n := len(l.blocks) - 1; n < 0 || l.blocks[n].kind != table {
				add(block{kind: table})
			}
			if t := &l.blocks[len(l.blocks)-1]; strings.Trim(line, "|-: ") != "" {
				t.rows = append(t.rows, cells(line))
			}
		case line == "</details>":
			add(block{kind: fold})
		default:
			if m = summary.FindStringSubmatch(line); m != nil {
				add(block{kind: unfold, text: m[1]})
			} else if m = solved.FindStringSubmatch(line); m != nil {
				add(block{kind: answer, text: m[1]})
			} else if m = picture.FindStringSubmatch(line); m != nil {
				add(block{kind: figure, text: m[1], mark: m[2]})
			} else if m = listed.FindStringSubmatch(line); m != nil {
				add(block{kind: item, mark: m[1], text: m[2]})
			} else if open {
				l.blocks[len(l.blocks)-1].text += " " + strings.TrimSpace(line)
			} else {
				if m = timing.FindStringSubmatch(line); m != nil && l.minutes == "" {
					l.minutes = m[1]
				}
				add(block{kind: paragraph, text: line})
			}
		}
	}
	return l, nil
}

// cells splits a row of a table, | a | b |.
func cells(line string) []string {
	out := strings.Split(strings.Trim(line, "| "), "|")
	for i := range out {
		out[i] = strings.TrimSpace(out[i])
	}
	return out
}

// find returns the lesson of a number.
func find(word string) (*lesson, error) {
	all, err := course()
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(word)
	if err != nil || n < 1 || n > len(all) {
		return nil, fmt.Errorf("there is no lesson %q: want 1 to %d; exp lesson lists them", word, len(all))
	}
	return all[n-1], nil
}

// commands returns what a lesson has its reader type, without the $.
func (l *lesson) commands() (out []string) {
	for _, b := range l.blocks {
		for _, line := range b.lines {
			if command, ok := strings.CutPrefix(line, "$ "); ok && b.kind == code {
				out = append(out, command)
			}
		}
	}
	return out
}
