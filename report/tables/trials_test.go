package report_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"strings"
	"testing"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/report"
	"imdbexp/runs"
)

// searched returns runs that looked at test and the trials of a search beside them,
// the best last.
func searched(t *testing.T) (looked, trials []*runs.Run) {
	dir := t.TempDir()
	trial := func(best int, valid float64, user ...string) made {
		user = append([]string{"select=best", "test=never", "data.max_len=256"}, user...)
		return made{name: "tme9-lstm", variant: "default", user: user, data: imdb, published: lstm, best: best, valid: valid}
	}
	stopped, lost := trial(1, 81, "lr=0.03", "batch=32"), trial(1, 70, "lr=0.5", "batch=32", "clip=1")
	stopped.unfinished, stopped.epochs = true, 1
	lost.diverged, lost.epochs = "loss NaN at epoch 2, step 9", 1
	for _, m := range []made{
		lost, stopped, trial(2, 82, "lr=0.03", "epochs=2", "oov=zero"), trial(2, 84.5, "lr=0.01", "adam.beta1=0.8", "weight_decay=0.0001"),
		trial(3, 86, "lr=0.02", "seed=1", "adam.beta1=0.5"), trial(4, 87, "lr=0.02", "seed=2", "adam.beta1=0.5"),
	} {
		trials = append(trials, m.add(t, dir))
	}
	best := made{name: "tme9-lstm", variant: "default", data: imdb, published: lstm, best: 3, user: []string{"lr=0.02", "adam.beta1=0.5", "select=best"}}
	return []*runs.Run{made{name: "tme9-lstm", variant: "default", data: imdb, published: lstm}.add(t, dir), best.add(t, dir)}, trials
}

func TestGoldenTrials(t *testing.T) {
	looked, trials := searched(t)
	rep := build(t, append(trials, looked...)...)
	var b bytes.Buffer
	for _, width := range []int{60, 100} {
		b.Reset()
		require.NoError(t, rep.Text(&b, width, false))
		golden(t, fmt.Sprintf("trials-%d.txt", width), b.String())
	}
	b.Reset()
	require.NoError(t, rep.Markdown(&b))
	golden(t, "trials.md", b.String())
	for width := 60; width < 200; width += 7 {
		b.Reset()
		require.NoError(t, rep.Text(&b, width, false))
		for line := range strings.Lines(b.String()) {
			assert.LessOrEqual(t, twwidth.Width(strings.TrimSuffix(line, "\n")), width, line)
		}
	}
}

// Trials stand apart, the best first; rows that looked at test are as without them.
func TestTrialsStandApart(t *testing.T) {
	looked, trials := searched(t)
	rep := build(t, append(trials, looked...)...)
	b, without := rep.Blocks[0], build(t, looked...).Blocks[0]
	require.Len(t, b.Rows, 2)
	for i, row := range b.Rows {
		assert.Equal(t, without.Rows[i].Label(), row.Label())
		assert.Equal(t, without.Rows[i].Cells["default"].Notes, row.Cells["default"].Notes)
	}
	require.Len(t, b.Trials, 1)
	assert.Equal(t, []string{"data.max_len=256", "select=best"}, b.Trials[0].Shared)
	assert.Equal(t, []string{"oov", "batch", "clip", "lr", "adam.beta1", "weight_decay"}, b.Trials[0].Keys)
	var ids []string
	for _, c := range b.Trials[0].Cells {
		for _, r := range c.Runs {
			ids = append(ids, r.Config.ID)
		}
	}
	want := []string{trials[4].Config.ID, trials[5].Config.ID} // the seeds of one setting
	for i := 3; i >= 0; i-- {
		want = append(want, trials[i].Config.ID)
	}
	assert.Equal(t, want, ids)
	assert.Len(t, rep.Results(), 8)
}

func TestTrialsInEveryFormat(t *testing.T) {
	looked, trials := searched(t)
	rep := build(t, append(trials, looked...)...)
	var b bytes.Buffer
	require.NoError(t, rep.LaTeX(&b))
	tables := strings.Split(b.String(), `\begin{table}`)
	require.Len(t, tables, 1+3)
	assert.Contains(t, tables[3], "86.50 $\\pm$ 0.71")
	assert.Contains(t, tables[3], "unfinished: 1 of 4 epochs.", "the notes below the table that marks them")
	assert.NotContains(t, tables[1], "unfinished")

	html := page(t, report.PageOptions{Command: func(c []*runs.Config) string { return "exp run " + c[0].ID }}, append(trials, looked...)...)
	assert.Contains(t, html, "<summary>5 trials, which never look at test</summary>")
	assert.Contains(t, html, "86.50 % ± 0.71 (2) @3–4")
	commands := submatches(`(?s)<pre>(.*?)</pre>`, html)
	for _, r := range trials {
		assert.Contains(t, html, `href="#run-`+r.Config.ID[:8])
		assert.NotContains(t, commands[0], r.Config.ID, "beside the trial, not among those of the rows")
	}

	b.Reset()
	require.NoError(t, rep.CSV(&b))
	lines, err := csv.NewReader(&b).ReadAll() // which checks that they are equally long
	require.NoError(t, err)
	assert.Len(t, lines, 1+8)
}

// Of a report of nothing but trials, the other tables would be empty.
func TestNothingButTrials(t *testing.T) {
	_, trials := searched(t)
	rep := build(t, trials...)
	var b bytes.Buffer
	require.NoError(t, rep.Text(&b, 0, false))
	assert.True(t, strings.HasPrefix(b.String(), "Trials, which never look at test, by their score on the validation split: tme9-lstm adam with data.max_len=256, select=best. IMDB: "))
	for _, never := range []string{"test acc", "Wilson", "other settings", "nothing is published", "@"} {
		assert.NotContains(t, b.String(), never)
	}
	assert.Contains(t, page(t, report.PageOptions{}, trials...), "5 trials")
}

// Without a validation split they have what they came to on train.
func TestTrialsWithoutValidation(t *testing.T) {
	dir := t.TempDir()
	trial := func(digest string, user ...string) *runs.Run {
		return made{name: "tme9-lstm", variant: "default", user: append(user, "test=never"), data: imdb, digests: map[string]string{"data": "da7a", "vectors": digest}}.add(t, dir)
	}
	var b bytes.Buffer
	require.NoError(t, build(t, trial("a"), trial("b"), trial("a", "lr=0.5")).Text(&b, 0, false))
	assert.Regexp(t, `rank +valid acc. +train acc. +train loss +epoch +lr +run\n`, b.String())
	assert.Contains(t, b.String(), "\n¹ not averaged: with run ", "which has the same settings")
	assert.NotContains(t, b.String(), "by their score")
}

// Trials are drawn where there is nothing else, and never as a published figure.
func TestFiguresOfTrials(t *testing.T) {
	looked, trials := searched(t)
	var want, got []string
	for _, f := range report.Figures(looked) {
		want = append(want, f.Name)
	}
	for _, f := range report.Figures(append(trials, looked...)) {
		got = append(got, f.Name)
	}
	assert.Equal(t, want, got)
	names, n := build(t, append(trials, looked...)...).Undrawn()
	assert.Equal(t, []string{"tme9-lstm"}, names)
	assert.Equal(t, 6, n)

	alone := report.Figures(trials)
	assert.NotEmpty(t, alone)
	for _, f := range alone {
		assert.Zero(t, f.Number)
	}
	_, n = build(t, trials...).Undrawn()
	assert.Zero(t, n)
}
