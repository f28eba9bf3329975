package tables_test

import (
	"bytes"
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/figures"
	"imdbexp/report/tables"
)

func TestGoldenViews(t *testing.T) {
	rep := reporttest.Build(t, reporttest.Mixture(t)...)
	for _, width := range []int{60, 100, 0} {
		reporttest.Golden(t, fmt.Sprintf("report-%d.txt", width), reporttest.Text(t, rep, width))
	}
	for name, write := range map[string]func(io.Writer) error{"report.md": rep.Markdown, "report.tex": rep.LaTeX, "report.html": rep.HTML} {
		reporttest.Golden(t, name, reporttest.Written(t, write))
	}
}

func TestTextFitsEveryWidth(t *testing.T) {
	rep := reporttest.Build(t, reporttest.Mixture(t)...)
	for width := 20; width < 200; width += 7 {
		reporttest.Text(t, rep, width)
	}
	var b bytes.Buffer
	require.NoError(t, rep.Text(&b, 1, false), "narrower than any table")
}

func TestCSV(t *testing.T) {
	rep := reporttest.Build(t, reporttest.Mixture(t)...)
	b := reporttest.CSV(t, rep.Records())
	lines := must.Get(csv.NewReader(strings.NewReader(b)).ReadAll())(t)
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
		acc := must.Get(strconv.ParseFloat(line[head["test_acc"]], 64))(t)
		assert.Equal(t, r.Chosen.Get("test_acc"), acc, "all digits")
		assert.Equal(t, r.Comparable(), line[head["published_test_acc"]] != "")
		assert.Equal(t, r.Comparable(), line[head["difference_points"]] != "")
		if r.Config.Name == "tme9-entropy" {
			assert.Contains(t, line[head["notes"]], "diverged: at epoch 3, step 812 (loss NaN, gradient norm 31); shown is epoch 2 of 4")
		}
	}
}

func TestMarkdownIsEscaped(t *testing.T) {
	m := reporttest.Run{Name: "tme9-mean", Variant: "default", Data: reporttest.Sample, Epochs: 1, Diverged: "<script>|*x*"}
	assert.Contains(t, reporttest.Written(t, reporttest.Build(t, m.Add(t, t.TempDir())).Markdown), `&lt;script&gt;\|\*x\*`)
}

func TestNothingToReport(t *testing.T) {
	rep := tables.Build(nil, tables.Options{Dir: "runs"})
	const message = "no finished runs in runs; try: exp run tme9-simple\n"
	var text bytes.Buffer
	tex := reporttest.Written(t, rep.LaTeX)
	html := reporttest.Written(t, rep.HTML)
	assert.Equal(t, "% "+message, tex)
	assert.Equal(t, "<p>"+strings.TrimSuffix(message, "\n")+"</p>\n", html)
	require.NoError(t, rep.Text(&text, 60, true))
	md := reporttest.Written(t, rep.Markdown)
	table := reporttest.CSV(t, rep.Records())
	assert.Equal(t, message, text.String())
	assert.Equal(t, message, md)
	assert.Equal(t, "no finished runs of tme10 in runs; try: exp run tme10", tables.Build(nil, tables.Options{Dir: "runs", Asked: []string{"tme10"}}).Empty())
	assert.Equal(t, 1, strings.Count(table, "\n"), "the header alone")
	assert.Empty(t, figures.Smoothed(0).Of(nil))
}
