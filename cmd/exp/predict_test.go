package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"imdbexp/internal/term"
	"imdbexp/runs"
)

// A terminal gets a line a review that fits it, and all of a text that came alone;
// words without a vector are marked, and nothing in a text controls the terminal.
func TestPredictOnATerminal(t *testing.T) {
	_, flags := folders(t)
	var out output
	require.Equal(t, exitOK, call(t.Context(), &out, 0, false, tiny(flags, "epochs=1")...), out.String())
	long := strings.Repeat("the plot is good and the qqxxv is good ", 20)
	dir := t.TempDir()
	many, one := filepath.Join(dir, "many.csv"), filepath.Join(dir, "one.txt")
	require.NoError(t, os.WriteFile(many, []byte("id,text,label\na rather long name of a review,"+long+",pos\nb,\x1b[31mred \x1b]0;title\a,neg\nc,,pos\n"), 0o666))
	require.NoError(t, os.WriteFile(one, []byte(long+"\n"), 0o666))
	for _, width := range []int{60, 100} {
		for _, color := range []bool{true, false} {
			var out output
			require.Equal(t, exitOK, call(t.Context(), &out, width, color, append(flags, "predict", "@last", many)...), out.String())
			text := escape.ReplaceAllString(out.String(), "")
			for line := range strings.SplitSeq(text, "\n") {
				require.LessOrEqual(t, term.Width(line), width, "%q", line)
			}
			require.NotContains(t, out.String(), "\x1b[31m")
			require.NotContains(t, out.String(), "\x1b]0")
			require.Contains(t, text, "a rather long nam…  ")
			require.Contains(t, text, "  the plot is")
			require.Regexp(t, `label (pos|neg)|accuracy 100`, text)
			require.Contains(t, text, "3 reviews, ")
			require.Contains(t, text, "accuracy ")

			out = output{}
			require.Equal(t, exitOK, call(t.Context(), &out, width, color, append(flags, "predict", "@last", one)...), out.String())
			mark := map[bool]string{true: "\x1b[4mqqxxv\x1b[0m", false: "~qqxxv"}[color]
			require.Equal(t, 20, strings.Count(out.String(), mark), out.String())
			require.Contains(t, out.String(), "words without a vector: 20,")
		}
	}
}

// Predictions that are gone or damaged come with what to type, which writes them anew without
// training; those that no model alone can give, with what trains again.
func TestPredictionsAnew(t *testing.T) {
	dir, flags := folders(t)
	one, pairs := tiny(flags, "epochs=1"), append([]string{"run", "seq2seq-bahdanau", "data.limit=40", "epochs=1"}, flags...)
	for _, args := range [][]string{one, pairs} {
		var out output
		require.Equal(t, exitOK, call(t.Context(), &out, 0, false, args...), out.String())
		run, err := runs.Find(dir, "@last")
		require.NoError(t, err)
		file := filepath.Join(run.Path, run.Config.Task().Answers)
		whole, err := os.ReadFile(file)
		require.NoError(t, err)
		for _, ask := range [][]string{{"compare", "@last", "@last"}, args} {
			if out = (output{}); ask[0] == "compare" {
				require.NoError(t, os.WriteFile(file, []byte("noise"), 0o666))
				require.Equal(t, exitFailed, call(t.Context(), &out, 0, false, append(ask, flags...)...), out.String())
			} else {
				require.NoError(t, os.Remove(file))
				require.Equal(t, exitOK, call(t.Context(), &out, 0, false, ask...), out.String())
			}
			_, do, found := strings.Cut(out.String(), map[bool]string{true: "write them again from its weights: ", false: "train it again, with the same result: "}[args[1] == one[1]])
			require.True(t, found, out.String())
			do, _, _ = strings.Cut(do, "\n")
			typed(t, do)
			again, err := os.ReadFile(file)
			require.NoError(t, err)
			require.Equal(t, string(whole), string(again))
		}
	}
}

// Predictions are not written over what they are of, also by another name of it.
func TestPredictNotOntoItsInput(t *testing.T) {
	_, flags := folders(t)
	var out output
	require.Equal(t, exitOK, call(t.Context(), &out, 0, false, tiny(flags, "epochs=1")...), out.String())
	dir := t.TempDir()
	file, link := filepath.Join(dir, "mine.tsv"), filepath.Join(dir, "link.tsv")
	text := []byte("text\tlabel\na good film\tpos\n")
	require.NoError(t, os.WriteFile(file, text, 0o666))
	require.NoError(t, os.Symlink(file, link))
	for _, to := range []string{file, link} {
		var out output
		require.Equal(t, exitUsage, call(t.Context(), &out, 0, false, append(flags, "predict", "@last", file, "--out", to)...))
		require.Contains(t, out.String(), "would overwrite the file that is read: name another")
		kept, err := os.ReadFile(file)
		require.NoError(t, err)
		require.Equal(t, text, kept)
	}
	other := filepath.Join(dir, "predictions.tsv")
	require.Equal(t, exitOK, call(t.Context(), &out, 0, false, append(flags, "predict", "@last", file, "--out", other)...), out.String())
	require.Equal(t, exitOK, call(t.Context(), &out, 0, false, append(flags, "predict", "@last", file, "--out", other)...), "again")
}
