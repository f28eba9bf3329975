package page_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/report/figures"
	"imdbexp/report/page"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

// noted writes the page of runs with a text in dir/notes.md.
func noted(t *testing.T, list []*runs.Run, dir, text string) (string, error) {
	t.Helper()
	var b bytes.Buffer
	err := page.Write(&b, reporttest.Build(t, list...), page.Options{Figures: figures.Smoothed(0).Of(list),
		Notes: &page.Notes{File: filepath.Join(dir, "notes.md"), Text: []byte(text), Out: filepath.Join(dir, "out")}})
	return b.String(), err
}

// few returns two runs on the sample.
func few(t *testing.T) (list []*runs.Run) {
	dir := t.TempDir()
	for _, name := range []string{"tme9-mean", "tme9-lstm"} {
		list = append(list, reporttest.Run{Name: name, Variant: "default", Data: reporttest.Sample}.Add(t, dir))
	}
	return list
}

func TestNotes(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "own.png"), []byte("\x89PNG\r\n"), 0o666))
	html := must.Get(noted(t, few(t), dir, "---\ntitle: \"Does it pay? <b>\"\nsubtitle: On reviews\nauthor:\n  - name: A. <i>\n    affiliation: Lab\n  - B. Other\n  - name: {given: C., family: Third}\ndate: 2026-01-05\nformat: html\n---\n\n"+
		"# Answer\n\nSince $p < 0.05$ and $x_i^2 \\ge \\frac{\\alpha}{n}$, not $\\foo$ for $5 or $6: $\\text{score} =\n\\hat{y} - y$. $$\\sum_i a_i = 1$$\n\n@fig-all and @tbl-test-accuracy, not `@fig-all` nor a@fig-all.\n\n"+
		"![All *models*](out/comparison-sample.svg){#fig-all width=80%}\n\n{{< include out/test-accuracy.md >}}\n\n"+
		"![](own.png){width=3cm}\n\n<!-- a\ncomment -->\n<script>alert(1)</script>\n\nx<b>y</b>z [l](javascript:alert(1))\n"))(t)
	assert.Contains(t, html, "<title>Does it pay? &lt;b&gt;</title>")
	assert.Contains(t, html, "<p><b>On reviews</b></p>\n<p class=\"keys\">A. &lt;i&gt;, B. Other, C. Third · 2026-01-05</p>")
	start, rest, ok := strings.Cut(html, `<section id="notes">`)
	require.True(t, ok)
	text, rest, _ := strings.Cut(rest, "</section>")
	for _, want := range []string{
		`<span class="math"><i>p</i> &lt; 0.05</span>`, `<span class="math"><i>x</i><sub><i>i</i></sub><sup>2</sup> ≥ (α)/(<i>n</i>)</span>, not <span class="math">\foo</span> for $5 or $6: ` +
			`<span class="math">score =` + "\n" + `<i>y` + "\u0302" + `</i> − <i>y</i></span>. <span class="math display">∑<sub><i>i</i></sub> <i>a</i><sub><i>i</i></sub> = 1</span>`,
		"<h2>Answer</h2>", `<a href="#fig-all">Figure` + "\u00a0" + `1</a> and <a href="#tbl-test-accuracy">Table` + "\u00a0" + `1</a>, not <code>@fig-all</code> nor a@fig-all.`,
		`<figure id="fig-all">`, "<h3>Figure\u00a01: All models</h3>", "<svg ", `<div id="tbl-test-accuracy">`, "<caption>Table\u00a01: Test accuracy. Embedded sample",
		`src="data:image/png;base64,iVBORw0K">`, "&lt;script&gt;alert(1)&lt;/script&gt;", "x&lt;b&gt;y&lt;/b&gt;z",
	} {
		assert.Contains(t, text, want)
	}
	assert.NotContains(t, text, "comment")
	assert.NotRegexp(t, "width=(80%|3cm)", text)
	assert.NotContains(t, html, "<script")
	assert.NotContains(t, html, "javascript")
	id := submatches(`<title id="(fig-comparison-sample-[^"]*)"`, html)
	assert.Len(t, id, 1, "the figure is on the page once")
	assert.NotContains(t, start+rest, "All models")
	assert.Contains(t, rest, `<section id="table-1">`, "the tables follow")
}

// Each placeholder without a counterpart is named with its line, and so is what there is.
func TestNotesWithMistakes(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.MkdirAll(filepath.Join(dir, "out"), 0o777))
	require.NoError(t, os.WriteFile(filepath.Join(dir, "out", "old.svg"), []byte("<svg/>"), 0o666))
	list := few(t)
	const figure = "![](comparison-sample.svg)\n\n"
	for text, want := range map[string][]string{
		"---\ntitle: x\n---\n\n![](nope.svg)":                     {"notes.md:5: there is no figure nope.svg, nor a picture", "figures: comparison-sample.svg, "},
		"\n![](out/old.svg)":                                      {"notes.md:2: there is no figure out/old.svg\n", "figures: comparison-sample.svg, "},
		"![](/etc/passwd)":                                        {"notes.md:1: there is no figure /etc/passwd\n"},
		"![](https://example.org/a.png)":                          {"notes.md:1: there is no figure https://example.org/a.png, nor"},
		"a\n\n{{< include accuracy.md >}}":                        {"notes.md:3: there is no table accuracy.md\n", "tables: test-accuracy.md, all-metrics.md"},
		"text\n{{< include test-accuracy.md >}}":                  {"notes.md:1: {{< include FILE >}} needs a paragraph"},
		figure + figure:                                           {"notes.md:3: the figure comparison-sample is in the text twice"},
		"a ![](comparison-sample.svg)":                            {"notes.md:1: the picture comparison-sample.svg needs a paragraph"},
		"@fig-no\n\nand @tbl-no":                                  {"notes.md:1: nothing in the text has the label fig-no\n", "notes.md:3: nothing in the text has the label tbl-no"},
		"---\ntitle: [\n---\n":                                    {"notes.md:1: the metadata between the --- lines is not YAML of Quarto's kind"},
		strings.Repeat("{{< include test-accuracy.md >}}\n\n", 2): {"notes.md:3: the table test-accuracy.md is in the text twice"},
	} {
		_, err := noted(t, list, dir, text)
		for _, part := range want {
			assert.ErrorContains(t, err, part, text)
		}
	}
}

// The file of a table is what Quarto includes: caption and label behind the table, and its footnotes
// counted from 1.
func TestTableFiles(t *testing.T) {
	list := reporttest.Mixture(t)
	board := reporttest.Build(t, list...)
	pivot := must.Get(tables.NewPivot(list, tables.Options{}, tables.PivotOptions{Rows: []string{"model"}}))(t)
	files := page.Tables(board, page.Options{Pivot: pivot})
	var names []string
	for _, f := range files {
		names = append(names, f.Name)
		text := reporttest.Written(t, f.Markdown)
		assert.Contains(t, text, " {#tbl-"+f.Name+"}\n")
		notes := submatches(`(?m)^([¹²³⁴⁵⁶⁷⁸⁹]) `, text)
		for i, mark := range notes {
			assert.Equal(t, string([]rune("¹²³⁴⁵⁶⁷⁸⁹")[i]), mark)
			table, _, _ := strings.Cut(text, "\n: ")
			assert.Contains(t, table, mark)
		}
	}
	assert.Equal(t, []string{"test-accuracy-by-model", "test-accuracy-by-model-2"}, names[:2])
	assert.Contains(t, names, "test-accuracy")
	assert.Contains(t, names, "all-metrics")
}
