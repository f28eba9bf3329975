package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/experiments"
	"imdbexp/internal/settings"
	"imdbexp/internal/term"
	"imdbexp/internal/testkit/must"
	"imdbexp/runs"
)

// fits checks that no line of a text is wider than the terminal, except lines with one of the given
// words, such as the path of a temporary folder.
func fits(t *testing.T, text string, width int, except ...string) {
	t.Helper()
lines:
	for line := range strings.SplitSeq(escape.ReplaceAllString(text, ""), "\n") {
		for _, word := range except {
			if strings.Contains(line, word) {
				continue lines
			}
		}
		line = line[strings.LastIndex(line, "\r")+1:]
		require.LessOrEqual(t, term.Width(line), width, "%q", line)
	}
}

func TestRunFits(t *testing.T) {
	_, flags := folders(t)
	for i, width := range []int{60, 80, 140} {
		out := on(t, width, true, exitOK, tiny(flags, "epochs=2", "select=best", "lr=0.1", "--force")...)
		fits(t, out, width, flags[1])
		text := escape.ReplaceAllString(out, "")
		require.Contains(t, text, "1/2")
		require.Equal(t, i > 0, strings.Contains(text, "words/s"), "a narrow table omits columns")
		require.Contains(t, out, "\x1b["+string(term.Marked)+"m", "attended words are painted")
		require.NotRegexp(t, `\[\w+\]`, text, "painted words need no brackets")
	}
	out := on(t, 80, false, exitOK, tiny(flags, "epochs=2", "lr=0.1", "--force")...)
	require.NotContains(t, out, "\x1b["+string(term.Marked))
	require.NotContains(t, out, "\x1b["+string(term.Dim)+"m")
	require.Regexp(t, `\[\w+\]`, out)
}

func TestAttendFits(t *testing.T) {
	_, flags := folders(t)
	ok(t, append([]string{"run", "tme10-cls", "layers=1", "data.limit=20", "epochs=1", "vectors=random"}, flags...)...)
	for _, width := range []int{60, 140} {
		for _, words := range [][]string{nil, {"--words"}, {"--steps", "not a great film"}, {"--head", "1", "a \x1b[31mgreat\a film xyzzy"}} {
			out := on(t, width, true, exitOK, append(append([]string{"attend", "@last"}, words...), flags...)...)
			require.NotContains(t, out, "\x1b[31m")
			require.NotContains(t, out, "\a")
			fits(t, out, width)
			require.Equal(t, words == nil || words[0] == "--head", strings.Contains(out, "\x1b[38;5;16;48;5;"), "shades")
		}
	}
}

// A terminal shows one line for each review, and no text controls the terminal.
func TestPredictFits(t *testing.T) {
	_, flags := folders(t)
	ok(t, tiny(flags, "epochs=1")...)
	long := strings.Repeat("the qqxxv plot is good ", 20)
	dir := t.TempDir()
	many := filepath.Join(dir, "many.csv")
	require.NoError(t, os.WriteFile(many, []byte("id,text,label\na rather long name of a review,"+long+",pos\nb,\x1b[31mred \x1b]0;title\a,neg\nc,,pos\n"), 0o666))
	for _, color := range []bool{true, false} {
		out := on(t, 60, color, exitOK, append(flags, "predict", "@last", many)...)
		fits(t, out, 60)
		require.NotContains(t, out, "\x1b[31m")
		require.NotContains(t, out, "\x1b]0")
		for _, want := range []string{"a rather long nam…  ", "  the ", "3 reviews, ", "accuracy "} {
			require.Contains(t, escape.ReplaceAllString(out, ""), want)
		}
	}
}

// Every experiment can be shown in 60 columns.
func TestShowFits(t *testing.T) {
	_, flags := folders(t)
	for _, e := range experiments.All() {
		out := on(t, 60, true, exitOK, append([]string{"show", e.Name}, flags...)...)
		require.Contains(t, out, "▼")
		fits(t, out, 60, "exp ") // commands stay whole
	}
}

// A run of an unknown model is shown without its equation and drawing.
func TestShowUnknownModel(t *testing.T) {
	dir, flags := folders(t)
	set := must.Get(settings.New(&settings.Run{}))(t)
	c := runs.NewConfig("rnn", "rnn", 1, set, nil)
	w := must.Get(runs.Create(dir, c, runs.Environment{}))(t)
	require.NoError(t, w.Close())
	show := append(flags, "show", runs.Folder(dir, &c))
	out := ok(t, show...)
	require.Contains(t, out, "does not know the model rnn")
	require.Contains(t, out, "\nsettings\n")
	require.Contains(t, on(t, 0, false, exitFailed, append(show, "--svg", "-")...), "cannot be drawn")
}

// A terminal shows findings below each other; only warnings are bold.
func TestDoctorFits(t *testing.T) {
	dir := t.TempDir()
	text := on(t, 60, true, exitOK, "doctor", "--quick", "--data-dir", dir, "--runs", dir)
	fits(t, text, 60, dir, "--data-dir")
	for line := range strings.SplitSeq(text, "\n") {
		require.Equal(t, strings.Contains(line, "warn "), strings.Contains(line, "\x1b[1m"), "%q", line)
	}
	require.Contains(t, text, "\nok    kernels ")
	require.Contains(t, text, "\n\x1b[1mwarn \x1b[0m data ")
}
