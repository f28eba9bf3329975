package report_test

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/olekukonko/tablewriter/pkg/twwidth"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"gonum.org/v1/plot/cmpimg"

	"imdbexp/report"
	"imdbexp/runs"
)

// mixture holds one of everything.
func mixture(t *testing.T) []*runs.Run {
	dir := t.TempDir()
	slips := []string{"slip.whitespace=true", "slip.drop_last=true"}
	swapped := *lstm
	swapped.Row, swapped.Note = "learned values, Adam", "the two losses are printed swapped"
	list := []made{
		{name: "tme9-lstm", variant: "original", set: slips, data: imdb, published: lstm, test: []float64{80, 84.6, 83, 82.7}},
		{name: "tme9-lstm", variant: "default", data: imdb, published: lstm, test: []float64{80, 86.9, 86.6, 85}},
		{name: "tme9-lstm", variant: "default", user: []string{"lr=0.01"}, data: imdb, published: lstm, test: []float64{80, 85}},
		{name: "tme9-lstm", variant: "default", set: []string{"optimizer=sgd", "epochs=8"}, data: imdb, published: lstm, epochs: 3, unfinished: true},
		{name: "tme9-values", variant: "original", set: slips, data: imdb, published: &swapped, test: []float64{81}},
		{name: "tme9-bilstm", variant: "default", data: imdb, test: []float64{88}},
		{name: "tme9-mean", variant: "default", data: sample, published: lstm, noEntropy: true, test: []float64{70}},
		{name: "tme9-entropy", variant: "original", data: sample, published: lstm, epochs: 2, diverged: "loss NaN at epoch 3, step 812"},
	}
	for i, seed := range []string{"1", "2", "3"} {
		list = append(list, made{
			name: "tme9-lstm", variant: "default", set: []string{"seed=" + seed}, user: []string{"select=best"},
			data: imdb, published: lstm, test: []float64{80, 86.9 + float64(i)/5, 86.6, 86.5}, best: 2 + i%2,
		})
	}
	var out []*runs.Run
	for _, m := range list {
		out = append(out, m.add(t, dir))
	}
	return out
}

// golden compares text with testdata/NAME; go test ./report -regen rewrites it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	// IDs are digests of every default; here they only have to be there.
	got = regexp.MustCompile(`\b[0-9a-f]{8}\b`).ReplaceAllString(got, "########")
	path := filepath.Join("testdata", name)
	if *cmpimg.GenerateTestData {
		require.NoError(t, os.WriteFile(path, []byte(got), 0o666))
	}
	want, err := os.ReadFile(path)
	require.NoError(t, err)
	assert.Equal(t, strings.ReplaceAll(string(want), "\r\n", "\n"), got)
}

func TestGoldenViews(t *testing.T) {
	rep := build(t, mixture(t)...)
	for _, width := range []int{60, 100, 0} {
		var b bytes.Buffer
		require.NoError(t, rep.Text(&b, width, false))
		golden(t, fmt.Sprintf("report-%d.txt", width), b.String())
	}
	var b bytes.Buffer
	require.NoError(t, rep.Markdown(&b))
	golden(t, "report.md", b.String())
	b.Reset()
	require.NoError(t, rep.LaTeX(&b))
	golden(t, "report.tex", b.String())
	b.Reset()
	require.NoError(t, rep.HTML(&b))
	golden(t, "report.html", b.String())
}

func TestTextFitsEveryWidth(t *testing.T) {
	rep := build(t, mixture(t)...)
	for width := 60; width < 200; width += 7 {
		var b bytes.Buffer
		require.NoError(t, rep.Text(&b, width, false))
		for line := range strings.Lines(b.String()) {
			assert.LessOrEqual(t, twwidth.Width(strings.TrimSuffix(line, "\n")), width, line)
		}
	}
	var b bytes.Buffer
	require.NoError(t, rep.Text(&b, 1, false), "narrower than any table")
}

func TestColourSaysNothingThatTextDoesNot(t *testing.T) {
	rep := build(t, mixture(t)...)
	for _, width := range []int{60, 0} {
		var plain, painted bytes.Buffer
		require.NoError(t, rep.Text(&plain, width, false))
		require.NoError(t, rep.Text(&painted, width, true))
		assert.NotContains(t, plain.String(), "\x1b")
		assert.Contains(t, painted.String(), "\x1b[1m")
		bare := regexp.MustCompile("\x1b\\[[0-9]*m").ReplaceAllString(painted.String(), "")
		trim := func(s string) string { return regexp.MustCompile(` +\n`).ReplaceAllString(s, "\n") }
		assert.Equal(t, plain.String(), trim(bare))
	}
}

func TestCSV(t *testing.T) {
	var b bytes.Buffer
	rep := build(t, mixture(t)...)
	require.NoError(t, rep.CSV(&b))
	lines, err := csv.NewReader(&b).ReadAll()
	require.NoError(t, err)
	require.Len(t, lines, 1+11, "a line a run")
	head := map[string]int{}
	for i, h := range lines[0] {
		head[h] = i
	}
	for _, h := range []string{"id", "seed", "test_acc", "setting.lr", "setting.select", "setting.slip.whitespace", "notes"} {
		require.Contains(t, head, h)
	}
	assert.NotContains(t, head, "setting.batch", "the same in all runs")
	for i, r := range rep.Results() {
		line := lines[i+1]
		assert.Equal(t, r.Config.ID, line[head["id"]])
		acc, err := strconv.ParseFloat(line[head["test_acc"]], 64)
		require.NoError(t, err)
		assert.Equal(t, r.Chosen.TestAcc, acc, "all digits")
		assert.Equal(t, r.Comparable(), line[head["published_test_acc"]] != "")
		assert.Equal(t, r.Comparable(), line[head["difference_points"]] != "")
		if r.Config.Name == "tme9-entropy" {
			assert.Contains(t, line[head["notes"]], "diverged: loss NaN at epoch 3, step 812; shown is epoch 2 of 4")
		}
	}
}

func TestMarkdownIsEscaped(t *testing.T) {
	m := made{name: "tme9-mean", variant: "default", data: sample, epochs: 1, diverged: "<script>|*x*"}
	var b bytes.Buffer
	require.NoError(t, build(t, m.add(t, t.TempDir())).Markdown(&b))
	assert.Contains(t, b.String(), `&lt;script&gt;\|\*x\*`)
}

func TestNothingToReport(t *testing.T) {
	rep := report.Build(nil, report.Options{Dir: "runs"})
	const message = "no finished runs in runs; try: exp run tme9-simple\n"
	var text, md, table, tex, html bytes.Buffer
	require.NoError(t, rep.LaTeX(&tex))
	require.NoError(t, rep.HTML(&html))
	assert.Equal(t, "% "+message, tex.String())
	assert.Equal(t, "<p>"+strings.TrimSuffix(message, "\n")+"</p>\n", html.String())
	require.NoError(t, rep.Text(&text, 60, true))
	require.NoError(t, rep.Markdown(&md))
	require.NoError(t, rep.CSV(&table))
	assert.Equal(t, message, text.String())
	assert.Equal(t, message, md.String())
	assert.Equal(t, 1, strings.Count(table.String(), "\n"), "the header alone")
	assert.Empty(t, report.Figures(nil))
}

type full struct{}

func (full) Write([]byte) (int, error) { return 0, errors.New("no space left on device") }

func TestWriteErrorsAreReturned(t *testing.T) {
	list := mixture(t)
	rep := build(t, list...)
	assert.Error(t, rep.Text(full{}, 80, false))
	assert.Error(t, rep.Markdown(full{}))
	assert.Error(t, rep.CSV(full{}))
	assert.Error(t, rep.LaTeX(full{}))
	assert.Error(t, rep.HTML(full{}))
	for _, format := range report.Formats {
		assert.Error(t, report.Figures(list)[0].Write(full{}, format, report.Column))
	}
}
