package tables_test

import (
	"bytes"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"pgregory.net/rapid"

	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// joined returns a source without the ends of its lines, which mean a space.
func joined(source string) string { return strings.Join(strings.Fields(source), " ") }

func TestLaTeXIsEscaped(t *testing.T) {
	m := reporttest.Run{Name: "tme9-mean", Variant: "default", Data: reporttest.Sample, Epochs: 1, Diverged: `\input{x} 5 % & #1 a_b ^2 ~ $ -- [ "`}
	b := reporttest.Written(t, reporttest.Build(t, m.Add(t, t.TempDir())).LaTeX)
	assert.Contains(t, joined(b), `\textbackslash{}input\{x\} 5 \% \& \#1 a\_b \textasciicircum{}2 \textasciitilde{} \$ -{}-{} {[} ''`)
}

// Beside each row stands how to cite its runs, where that is asked for, one below
// the other.
func TestCitations(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	var want []string
	for _, seed := range []string{"seed=1", "seed=2"} {
		r := reporttest.Run{Name: "tme9-mean", Variant: "default", Data: reporttest.Sample, Set: []string{"epochs=1"}, User: []string{seed}}.Add(t, dir)
		c, err := r.Citation()
		require.NoError(t, err)
		list, want = append(list, r), append(want, c.String())
	}
	b := reporttest.Written(t, tables.Build(list, tables.Options{Cite: true}).LaTeX)
	assert.Contains(t, joined(b), `& \shortstack[l]{\texttt{\scriptsize `+want[0]+`} \\ \texttt{\scriptsize `+want[1]+`}} \\ `)
	b = reporttest.Written(t, tables.Build(list, tables.Options{}).LaTeX)
	assert.NotContains(t, b, "imdbexp:")
}

// No line of source is wider than 100 characters, and no part of a table needs more: the other columns
// follow below the same rows.
func TestWideLaTeX(t *testing.T) {
	b := reporttest.Written(t, tables.Build(reporttest.Mixture(t), tables.Options{Cite: true, BestEpoch: true}).LaTeX)
	parts := 0
	for line := range strings.Lines(b) {
		assert.LessOrEqual(t, utf8.RuneCountInString(line), 101, line)
		parts += strings.Count(line, "\\begin{tabular}")
	}
	require.Greater(t, parts, strings.Count(b, "\\caption"))
	require.Equal(t, parts, strings.Count(b, "\\end{tabular}"))
}

// The commands that stand for signs; what is left of a table's text without them
// must hold no character that means something to LaTeX.
var commands = strings.NewReplacer(
	`\textbackslash{}`, "", `\textasciicircum{}`, "", `\textasciitilde{}`, "", `\textless{}`, "", `\textgreater{}`, "", `\textbar{}`, "",
	`\{`, "", `\}`, "", `\$`, "", `\&`, "", `\%`, "", `\#`, "", `\_`, "", "{[}", "", "{]}", "", "-{}-{}", "",
	"$-$", "", `$\pm$`, "", `$\Delta$`, "", `$\lambda$`, "", `$\cdot$`, "", `$\times$`, "", `\dots{}`, "")

func TestNoMessageIsACommand(t *testing.T) {
	run := reporttest.Run{Name: "tme9-mean", Variant: "default", Data: reporttest.Sample, Epochs: 1, Diverged: "loss"}.Add(t, t.TempDir())
	rapid.Check(t, func(r *rapid.T) {
		message := rapid.StringOf(rapid.SampledFrom([]rune("\\{}$&%#_^~[]<>|\"-−–±Δ…·\n\x00x1 "))).Draw(r, "message")
		run.Status.Message = "BEGIN" + message + "END"
		var b bytes.Buffer
		require.NoError(r, reporttest.Build(t, run).LaTeX(&b))
		_, text, ok := strings.Cut(joined(b.String()), "BEGIN")
		require.True(r, ok)
		text, _, ok = strings.Cut(text, "END")
		require.True(r, ok)
		assert.NotContains(r, text, "\n")
		assert.False(r, strings.ContainsAny(commands.Replace(text), "\\{}$&%#_^~\x00"), "%q", text)
	})
}
