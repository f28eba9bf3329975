package main

import (
	"flag"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/term"
	"imdbexp/internal/testkit/must"
)

var updateLessons = flag.Bool("update", false, "write the output of the lessons' commands anew, where its lines still have their shape")

// What trains for long is left to EXP_CI=1; seconds of CPU time are those of the lesson.
var longLessons = map[string]string{
	"5-order.md":          "4 s",
	"6-self-attention.md": "16 s",
	"7-heads.md":          "10 s",
	"8-translation.md":    "20 s",
	"9-explanation.md":    "3 s",
}

// TestLessons types every command of every lesson, in a folder of each lesson's own, and
// compares the output with the lesson: … stands for the rest of a line, or for any lines.
// Numbers that differ between runs, such as seconds, must be omitted with it.
func TestLessons(t *testing.T) {
	files := must.Get(filepath.Glob("../../docs/lessons/[0-9]*.md"))(t)
	require.NotEmpty(t, files)
	for _, file := range files {
		file = must.Get(filepath.Abs(file))(t)
		t.Run(filepath.Base(file), func(t *testing.T) {
			if long := longLessons[filepath.Base(file)]; long != "" && os.Getenv("EXP_CI") == "" && !*updateLessons {
				t.Skip("EXP_CI=1 takes the time, " + long)
			}
			text := must.Get(os.ReadFile(file))(t)
			dir := t.TempDir()
			t.Setenv("EXP_DATA", filepath.Join(dir, "data"))
			t.Chdir(dir)
			now := shownAgain(t, string(text))
			if *updateLessons && now != string(text) {
				require.NoError(t, os.WriteFile(file, []byte(now), 0o644))
			}
			pictures(t, filepath.Dir(file), string(text))
		})
	}
}

// console are the blocks with commands in a text.
var console = regexp.MustCompile("(?ms)^```console\n.*?^```$")

// shownAgain carries out the commands of a lesson, compares, and returns the lesson with
// what they print now.
func shownAgain(t *testing.T, text string) string {
	return console.ReplaceAllStringFunc(text, func(block string) string {
		lines := strings.Split(strings.TrimSuffix(strings.TrimPrefix(block, "```console\n"), "\n```"), "\n")
		var out []string
		for len(lines) > 0 {
			command, ok := strings.CutPrefix(lines[0], "$ ")
			require.True(t, ok, "a block begins with a command: %q", lines[0])
			n := 1
			for n < len(lines) && !strings.HasPrefix(lines[n], "$ ") {
				n++
			}
			shown, got := lines[1:n], typed(t, command)
			out = append(out, lines[0])
			if *updateLessons {
				out = append(out, renewed(t, command, shown, got)...)
			} else {
				require.Regexp(t, shape(shown, regexp.QuoteMeta), strings.Join(got, "\n")+"\n", "%s\nprints\n%s", command, strings.Join(got, "\n"))
			}
			lines = lines[n:]
		}
		return "```console\n" + strings.Join(out, "\n") + "\n```"
	})
}

// typed returns the lines that a command prints on a terminal of 80 columns.
func typed(t *testing.T, command string) []string {
	var args []string
	for i, part := range strings.Split(command, "'") {
		if i%2 == 1 {
			args = append(args, part)
		} else {
			args = append(args, strings.Fields(part)...)
		}
	}
	require.Equal(t, "exp", args[0])
	var out, errs strings.Builder
	code := execute(t.Context(), term.New(&out, &errs, 80, false), args[1:])
	require.Zero(t, code, "%s\n%s%s", command, out.String(), errs.String())
	var lines []string
	for line := range strings.Lines(strings.Trim(out.String(), "\n")) {
		if m := redrawn.FindStringSubmatch(line); m != nil { // goes up, and clears what was there
			n, _ := strconv.Atoi(m[1])
			lines, line = lines[:len(lines)-n], line[len(m[0]):]
		}
		line = strings.TrimRight(line, " \n")
		lines = append(lines, line[strings.LastIndex(line, "\r")+1:]) // which begins the line anew
	}
	return lines
}

var redrawn = regexp.MustCompile(`^\r?\x1b\[(\d+)A\x1b\[J`)

// shape is the expression that output must match to be that of lines.
func shape(lines []string, exact func(string) string) *regexp.Regexp {
	var out strings.Builder
	out.WriteString(`^`)
	for _, line := range lines {
		if line == "…" {
			out.WriteString(`(?:.*\n)*?`)
			continue
		}
		parts := strings.Split(strings.TrimRight(line, " "), "…")
		for i := range parts {
			parts[i] = exact(parts[i])
		}
		out.WriteString(strings.Join(parts, `.*`))
		if strings.HasSuffix(line, "…") {
			out.WriteString(`(?:\n  .*)*?`) // the rest of a line that the terminal breaks
		}
		out.WriteString(`\n`)
	}
	return regexp.MustCompile(out.String() + `$`)
}

var (
	figures  = regexp.MustCompile(`[−-]?\d[\d.,]*(e[−-]?\d+)?`)
	fleeting = regexp.MustCompile(`[\d.]+ [kM]?  +[\d.]+ s$|\(?last\)?, trained in .*|\d[\d.]* m?s, runs`) // no run gives them twice
)

// renewed is what a lesson shows of a command, with the numbers of now. Where nothing was
// shown all of it is, and where words have changed, too, somebody has to look.
func renewed(t *testing.T, command string, shown, got []string) []string {
	if len(shown) == 0 {
		for i, line := range got {
			got[i] = fleeting.ReplaceAllString(line, "…")
		}
		return got
	}
	numbers := func(text string) string {
		var out strings.Builder
		at := 0
		for _, m := range figures.FindAllStringIndex(text, -1) {
			out.WriteString(regexp.QuoteMeta(text[at:m[0]]) + figures.String())
			at = m[1]
		}
		return out.String() + regexp.QuoteMeta(text[at:])
	}
	text := strings.Join(got, "\n") + "\n"
	if shape(shown, regexp.QuoteMeta).MatchString(text) {
		return shown
	}
	if !shape(shown, numbers).MatchString(text) {
		t.Errorf("%s prints other words than the lesson shows; edit it:\n%s", command, text)
		return shown
	}
	out := slices.Clone(shown)
	for i, line := range shown { // each takes the first line of its shape that leaves room for the rest
		if line == "…" {
			continue
		}
		for k, g := range got {
			if !strings.Contains(line, "…") && shape([]string{line}, numbers).MatchString(g+"\n") && shape(shown[i+1:], numbers).MatchString(strings.Join(got[k+1:], "\n")+"\n") {
				out[i], got = g, got[k+1:]
				break
			}
		}
	}
	return out
}

// pictures compares the pictures of a lesson with those that its commands write. Other
// pictures only have to exist.
func pictures(t *testing.T, folder, lesson string) {
	for _, m := range regexp.MustCompile(`!\[[^\]]+\]\((img/[^)]+)\)`).FindAllStringSubmatch(lesson, -1) {
		kept := filepath.Join(folder, m[1])
		made, err := os.ReadFile(filepath.Base(m[1]))
		require.NoError(t, err, "a command of the lesson makes %s", m[1])
		if *updateLessons {
			require.NoError(t, os.WriteFile(kept, made, 0o644))
		}
		want := must.Get(os.ReadFile(kept))(t)
		require.True(t, string(want) == string(made), "%s is drawn otherwise: go test ./cmd/exp -run Lessons -update writes it", m[1])
	}
}
