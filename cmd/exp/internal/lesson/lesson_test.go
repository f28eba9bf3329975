package lesson

import (
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/cli"
	"imdbexp/docs/lessons"
	"imdbexp/internal/term"
)

func read(t *testing.T) []*lesson {
	t.Helper()
	all, err := course()
	require.NoError(t, err)
	return all
}

// What is no lesson is an error with its place, and a table may come first.
func TestParseRefuses(t *testing.T) {
	_, err := parse("1-x.md", "# Lesson 1: x\n\n```console\n$ exp run tme9-mean\n")
	require.EqualError(t, err, "1-x.md:3: the lines after ``` have no ``` behind them")
	l, err := parse("1-x.md", "| a | b |\n| --- | --- |\n| 1 | 2 |\n")
	require.NoError(t, err)
	require.Equal(t, [][]string{{"a", "b"}, {"1", "2"}}, l.blocks[0].rows)
}

// Every lesson has what a lesson has, and each exercise an answer that its own check takes.
func TestLessonsAreWhole(t *testing.T) {
	course := read(t)
	require.Len(t, course, 9)
	readme, err := fs.ReadFile(lessons.Files, "README.md")
	require.NoError(t, err)
	total := 0
	for i, l := range course {
		require.Equal(t, i+1, l.number)
		require.Contains(t, string(readme), fmt.Sprintf("| [%d](%s) | %s |", l.number, l.file, l.minutes), "the README's table")
		var heads []string
		minutes := 0
		_, err := fmt.Sscan(l.minutes, &minutes)
		require.NoError(t, err, "%s: *25 minutes.* begins its text", l.file)
		require.True(t, minutes >= 20 && minutes <= 40, l.file)
		total += minutes
		depth := 0
		for _, b := range l.blocks {
			switch b.kind {
			case heading:
				heads = append(heads, b.text)
			case figure:
				_, err := fs.Stat(lessons.Files, path.Clean(b.mark))
				require.NoError(t, err)
			case unfold:
				depth++
			case fold:
				depth--
			}
			require.True(t, depth == 0 || depth == 1, l.file)
		}
		require.Zero(t, depth)
		for _, want := range []string{"Predict first", "The picture", "Exercises", "Exercise 1", "Exercise 2", "Exercise 3", "What the published report found"} {
			require.Contains(t, heads, want, l.file)
		}
		require.Len(t, l.answers(), 3, l.file)
		for k, a := range l.answers() {
			want, _, numeric := strings.Cut(a, " ± ")
			right, err := l.check(k+1, want)
			require.NoError(t, err, "%s: %s", l.file, a)
			require.True(t, right)
			if numeric {
				right, err = l.check(k+1, "1e9")
				require.NoError(t, err)
				require.False(t, right)
			}
		}
	}
	require.Less(t, total, 2*4*60, "two afternoons")
}

// A lesson fits into a terminal, but for what programs print and words that cannot break.
func TestPrintFits(t *testing.T) {
	for _, width := range []int{60, 100} {
		for _, l := range read(t) {
			var out strings.Builder
			l.print(term.New(&out, &out, width, false), true)
			for line := range strings.Lines(out.String()) {
				if line = strings.TrimSuffix(line, "\n"); strings.Contains(line, " ") && !strings.HasPrefix(line, "  ") {
					require.LessOrEqual(t, term.Width(line), width, "%s: %s", l.file, line)
				}
			}
		}
	}
}

// A link leads to what can be typed or opened, and names nothing twice.
func TestPlainLinks(t *testing.T) {
	for text, want := range map[string]string{
		"[Results](../results/appendix.md#what-the-rows-show) has five": "Results (docs/results/appendix.md) has five",
		"one word ([results](../results.md)).":                          "one word (docs/results.md).",
		"[docs/explain.md](../explain.md) has **these**":                "docs/explain.md has these",
		"as in [lesson 2](2-query.md#train-it)":                         "as in lesson 2 (exp lesson 2)",
		"by [Bahdanau](https://arxiv.org/abs/1409.0473)":                "by Bahdanau (https://arxiv.org/abs/1409.0473)",
	} {
		require.Equal(t, want, plain(text))
	}
	file := regexp.MustCompile(`docs/[\w./-]*\w`)
	for _, l := range read(t) {
		var out strings.Builder
		l.print(term.New(&out, &out, 0, false), true)
		require.NotContains(t, out.String(), "../", l.file)
		for _, to := range file.FindAllString(out.String(), -1) {
			require.FileExists(t, filepath.Join("../../../..", to), l.file)
		}
	}
}

// The list ends with commands that can be typed: the answer that it tries is one that the
// exercise could have.
func TestListTries(t *testing.T) {
	var out strings.Builder
	require.NoError(t, list(&cli.App{IO: term.New(&out, &out, 100, false)}))
	m := regexp.MustCompile(`exp lesson (\d+) --check (\d+) (\S+) `).FindStringSubmatch(out.String())
	require.NotNil(t, m, out.String())
	l, err := find(m[1])
	require.NoError(t, err)
	exercise, err := strconv.Atoi(m[2])
	require.NoError(t, err)
	_, err = l.check(exercise, m[3])
	require.NoError(t, err)
}

// Every command of a lesson is one that its text shows to type, and what prepare trains.
func TestCommands(t *testing.T) {
	runs := 0
	for _, l := range read(t) {
		for _, c := range l.commands() {
			require.Regexp(t, regexp.MustCompile(`^exp (run|attend|show|compare|report|explain) `), c, l.file)
			if strings.HasPrefix(c, "exp run ") {
				runs++
			}
		}
	}
	require.Greater(t, runs, 9)
	require.Equal(t, []string{"exp", "attend", "tme9-entropy[lambda=0]", "the jokes are great"}, words("exp attend 'tme9-entropy[lambda=0]' 'the jokes are great'"))
}

// A handout is a whole page whose tags are closed.
func TestHandout(t *testing.T) {
	for _, l := range read(t) {
		var out strings.Builder
		require.NoError(t, l.handout(&out))
		page := out.String()
		for _, tag := range []string{"ol", "ul", "li", "p", "pre", "table", "details", "h2", "h3", "code", "b", "i"} {
			require.Equal(t, len(regexp.MustCompile("<"+tag+"[ >]").FindAllString(page, -1)), strings.Count(page, "</"+tag+">"), "%s: <%s>", l.file, tag)
		}
		require.NotContains(t, page, "**")
		require.NotContains(t, page, "```")
	}
}

// Handouts lead to each other, from any to the list and along the lessons, and to nothing else.
func TestHandoutsLead(t *testing.T) {
	dir := t.TempDir()
	n, err := handouts(dir)
	require.NoError(t, err)
	href := regexp.MustCompile(`href="([^"]+)"`)
	leads := func(page string) (to []string) {
		text, err := os.ReadFile(filepath.Join(dir, page))
		require.NoError(t, err)
		for _, m := range href.FindAllStringSubmatch(string(text), -1) {
			if !strings.HasPrefix(m[1], "https://") {
				require.FileExists(t, filepath.Join(dir, m[1]), page)
				to = append(to, m[1])
			}
		}
		return to
	}
	all := read(t)
	require.Len(t, all, n)
	for i, l := range all {
		require.Contains(t, leads("index.html"), l.page())
		require.Contains(t, leads(l.page()), "index.html")
		if i > 0 {
			require.Contains(t, leads(l.page()), all[i-1].page())
			require.Contains(t, leads(all[i-1].page()), l.page())
		}
	}
	require.Contains(t, leads("teachers.html"), "index.html")
	require.NotContains(t, leads("index.html"), "index.html")
}
