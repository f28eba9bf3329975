package lesson

import (
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/docs/lessons"
	"imdbexp/internal/term"
	"imdbexp/internal/testkit/must"
)

// all are the lessons in both languages, first the English ones.
func all(t *testing.T) []*lesson {
	t.Helper()
	en := must.Get(course("en"))(t)
	fr := must.Get(course("fr"))(t)
	return append(en, fr...)
}

// Every lesson has what a lesson has, and each exercise an answer that its own check takes.
func TestLessonsAreWhole(t *testing.T) {
	course := must.Get(course("en"))(t)
	require.Len(t, course, 9)
	readme := must.Get(fs.ReadFile(lessons.Files, "README.md"))(t)
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
		for _, m := range regexp.MustCompile(`(?m)^##+ (.*)$`).FindAllStringSubmatch(l.linked, -1) {
			heads = append(heads, m[1])
		}
		questions := regexp.MustCompile(`(?m)^\d\. `).FindAllString(section(l, "Predict first"), -1)
		require.Len(t, resulted.FindAllString(l.linked, -1), len(questions), "%s: a result for each prediction", l.file)
		require.Equal(t, strings.Count(l.linked, "\n<details>"), strings.Count(l.linked, "\n</details>"))
		for _, want := range []string{"Predict first", "The picture", "Exercises", "Exercise 1", "Exercise 2", "Exercise 3", "What the published report found"} {
			require.Contains(t, heads, want, l.file)
		}
		require.GreaterOrEqual(t, len(l.exercises), 3, l.file)
		for k, e := range l.exercises {
			a := e.answer
			require.Regexp(t, `^[A-Z].*[.?]$`, e.hint, "%s, exercise %d", l.file, k+1)
			want, _, numeric := strings.Cut(a, " ± ")
			right, err := l.check(k+1, want)
			require.NoError(t, err, "%s: %s", l.file, a)
			require.True(t, right)
			if numeric {
				right = must.Get(l.check(k+1, "1e9"))(t)
				require.False(t, right)
			}
		}
	}
	require.Less(t, total, 2*4*60, "two afternoons")
}

// section returns the text under a heading.
func section(l *lesson, heading string) string {
	_, text, _ := strings.Cut(l.linked, "\n## "+heading+"\n")
	text, _, _ = strings.Cut(text, "\n## ")
	return text
}

var blank = regexp.MustCompile("[ \n]|```(console)?")

// A lesson is printed whole and fits into a terminal of 80 columns, with the recorded output.
func TestPrintFits(t *testing.T) {
	for _, width := range []int{60, 80, 100} {
		for _, l := range all(t) {
			var out strings.Builder
			require.NoError(t, (&printer{lesson: l, t: term.New(&out, &out, width, false), solution: -1}).print())
			for line := range strings.Lines(out.String()) {
				require.LessOrEqual(t, term.Width(strings.TrimSuffix(line, "\n")), max(80, width), "%s: %s", l.file, line)
			}
			printed := blank.ReplaceAllString(out.String(), "")
			for _, b := range l.blocks {
				if !strings.HasPrefix(b, "<") && !strings.HasPrefix(b, "|") && !strings.HasPrefix(b, "!") {
					require.Contains(t, printed, blank.ReplaceAllString(plain(strings.Trim(b, "#")), ""), l.file)
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
		"[docs/explain.md](../explain.md) has **these**":                "docs/explain.md has **these**",
		"([see](../claims.md) x, [see](../claims.md))":                  "(see (docs/claims.md) x, see (docs/claims.md))",
		"as in [lesson 2](2-query.md#train-it)":                         "as in lesson 2 (exp lesson 2)",
		"by [Bahdanau](https://arxiv.org/abs/1409.0473)":                "by Bahdanau (https://arxiv.org/abs/1409.0473)",
	} {
		require.Equal(t, []string{want}, parse("x", text, "en").blocks)
	}
	file := regexp.MustCompile(`docs/[\w./-]*\w`)
	for _, l := range all(t) {
		var out strings.Builder
		require.NoError(t, (&printer{lesson: l, t: term.New(&out, &out, 0, false), solution: -1}).print())
		require.NotContains(t, out.String(), "../", l.file)
		for _, to := range file.FindAllString(out.String(), -1) {
			require.FileExists(t, filepath.Join("../../../..", to), l.file)
		}
	}
}

// Every command of a lesson is one that its text shows to type, and what prepare trains.
func TestCommands(t *testing.T) {
	runs := 0
	for _, l := range all(t) {
		for _, m := range typing.FindAllStringSubmatch(l.linked, -1) {
			c := m[1]
			require.Regexp(t, regexp.MustCompile(`^exp (run|attend|show|compare|report|explain|probe) `), c, l.file)
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
	for _, l := range all(t) {
		var out strings.Builder
		require.NoError(t, l.writePage(&out))
		page := out.String()
		for _, tag := range []string{"ol", "ul", "li", "p", "pre", "table", "details", "h2", "h3", "code", "b", "i"} {
			require.Equal(t, len(regexp.MustCompile("<"+tag+"[ >]").FindAllString(page, -1)), strings.Count(page, "</"+tag+">"), "%s: <%s>", l.file, tag)
		}
		require.NotContains(t, page, "**")
		require.NotContains(t, page, "```")
	}
}

// Handouts lead to each other, from any to the list and back, and to nothing else.
func TestHandoutsLead(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, handouts(dir, "fr"))
	href := regexp.MustCompile(`href="([^"]+)"`)
	leads := func(page string) (to []string) {
		text := must.Get(os.ReadFile(filepath.Join(dir, page)))(t)
		for _, m := range href.FindAllStringSubmatch(string(text), -1) {
			if !strings.HasPrefix(m[1], "https://") {
				require.FileExists(t, filepath.Join(dir, m[1]), page)
				to = append(to, m[1])
			}
		}
		return to
	}
	for _, l := range all(t) {
		require.Contains(t, leads("index.html"), l.page())
		require.Contains(t, leads(l.page()), "index.html")
	}
	require.Contains(t, leads("teachers.html"), "index.html")
	require.NotContains(t, leads("index.html"), "index.html")
}

// Numbers and formulas are read as people write them.
func TestNumber(t *testing.T) {
	for text, want := range map[string]float64{
		"62.2": 62.2, "−1,5": -1.5, "94,3 %": 94.3, "1 200": 1200, "10'402": 10402, ".943": 0.943, "8.": 8, "ln 2": math.Ln2, "ln(2)": math.Ln2, "Ln2": math.Ln2,
		"3.77/48": 3.77 / 48, "3,77 / 48 = 0,079": 0.079, "≈ 26.6": 26.6, "√10": math.Sqrt(10), "48·48": 2304, "17.0/(17.0 + 1)": 17.0 / 18, "½·ln 2 + 2·¼·ln 4": 1.5 * math.Ln2,
		"exp(2.835)": math.Exp(2.835), "0.693 nats": 0.693, "66.5 percent": 66.5,
	} {
		require.InDelta(t, want, number(text), 1e-12, text)
	}
	for _, text := range []string{"much", "1/0", "ln -1", "", "inf", "x+1", "f(2)", "1;2"} {
		require.True(t, math.IsNaN(number(text)), text)
	}
}

// Answers as a lesson prints them are right, and near misses are not.
func TestCheck(t *testing.T) {
	l := &lesson{exercises: []exercise{{answer: "c"}, {answer: "94.3 ± 0.3 %"}, {answer: "10402 ± 0"}, {answer: "0.079 ± 0.002"}}}
	for exercise, answers := range [][]string{{"c", "C", "c)", "(c)", "c.", "c) neither: the answers are the same"}, {"94.3", "94,3 %", "0.943", "0,943", "94.3 % pos", "17/18"}, {"10402", "10 402", "10,402", "10.402", "10\u202f402"}, {"0.079", "3.77/48", "3.77/48 = 0.079"}} {
		for _, given := range answers {
			right, err := l.check(exercise+1, given)
			require.NoError(t, err, given)
			require.True(t, right, given)
		}
	}
	for exercise, answers := range [][]string{{"b", "a)"}, {"9.43", "0.943 %", "90", "943"}, {"1040", "10,403"}, {"7.9", "0.79"}} {
		for _, given := range answers {
			right, err := l.check(exercise+1, given)
			require.NoError(t, err, given)
			require.False(t, right, given)
		}
	}
	require.Error(t, must.Fail(l.check(1, "both")))
}

// A reader of a lesson predicts, goes on, types a command, answers, and leaves.
func TestWalk(t *testing.T) {
	l := parse("1-x.md", ("# Lesson 1: X\n\n*25 minutes.* Text.\n\n## Predict first\n\n1. How many?\n2. Why?\n\n## Train it\n\n```console\n$ exp run tme9-mean 'a b'\nrecorded\n$ exp show tme9-mean\nshown\n```\n\n<!-- prediction 1: 62. -->\n<!-- prediction 2: because. -->\n\n## Exercises\n\nWhich?\n\n<details><summary>Answer</summary>\n<!-- answer: c -->\n<!-- hint: Look. -->\n\nThe reason.\n\n</details>\n\nThe end.\n"), "en")
	var ran [][]string
	var out strings.Builder
	walk := func(typed string) string {
		ran = nil
		out.Reset()
		require.NoError(t, (&printer{lesson: l, t: term.New(&out, &out, 80, false)}).walk(t.Context(), strings.NewReader(typed), func(words ...string) { ran = append(ran, words) }))
		return out.String()
	}
	text := walk("60\n\n\nexp run tme9-mean \"a b\"\n\n\nboth\nb\nexp list\nc)\n")
	require.Equal(t, [][]string{{"run", "tme9-mean", "a b"}, {"list"}}, ran)
	require.NotContains(t, text, "recorded")
	for _, want := range []string{"1. How many?", "$ exp show tme9-mean", "shown\n", "> Prediction 1: you typed “60”. The result: 62.\n", "> Prediction 2: because.\n", "the letter of a choice", "Not right. Hint: Look.", "Right.", "The reason.", "The end."} {
		_, rest, found := strings.Cut(text, want)
		require.True(t, found, "%s in this order in\n%s", want, out.String())
		text = rest
	}
	require.Contains(t, walk("\n\n\n\n"), "recorded\n", "a command that is not typed shows the recorded output")
	text = walk("60\nq\n")
	require.NotContains(t, walk("60\n\nq\n"), "Train it")
	require.NotContains(t, text, "62.", "no result before the prediction")
}
