package report_test

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/reporttest"
	"imdbexp/internal/testkit/testbrowser"
	"imdbexp/report/figures"
	"imdbexp/report/page"
	"imdbexp/report/tables"
	"imdbexp/runs"
)

func written(t *testing.T, o page.Options, list ...*runs.Run) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, page.Write(&b, reporttest.Build(t, list...), o))
	return b.String()
}

func submatches(pattern, text string) []string {
	var out []string
	for _, m := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		out = append(out, m[1])
	}
	return out
}

func TestPageNeedsNothingElse(t *testing.T) {
	list := reporttest.Mixture(t)
	html := written(t, page.Options{
		Program: "exp 1", Figures: figures.Smoothed(0).Of(list),
		Drawings: map[string]page.Drawing{"lstm": {SVG: `<svg class="figure"><title>LSTM</title></svg>`, Watch: "Three words <first>."}},
		Command:  func(c []*runs.Config) string { return "exp run " + c[0].Name },
		Settings: func(c *runs.Config) []page.Setting {
			return []page.Setting{{Key: "lr", Value: c.Setting("lr"), Default: "1", From: "us", Help: "learning rate"}}
		},
	}, list...)

	assert.NotContains(t, html, "<script")
	assert.NotContains(t, html, "<link")
	assert.NotContains(t, html, "url(")
	assert.NotContains(t, html, "@import")
	assert.Empty(t, submatches(`\s(?:src|href)="([^#"][^"]*)"`, html), "what would be fetched")

	ids := map[string]bool{}
	for _, id := range submatches(`\sid="([^"]*)"`, html) {
		assert.False(t, ids[id], "two elements %s", id)
		ids[id] = true
	}
	links := submatches(`href="#([^"]*)"`, html)
	assert.NotEmpty(t, links)
	for _, to := range links {
		assert.True(t, ids[to], "a link to %s, which is not there", to)
	}
	for _, table := range submatches(`(?s)<table>(.*?)</table>`, html) {
		assert.Contains(t, table, "<caption>")
		assert.Regexp(t, `<th scope="(row|col)"`, table)
	}
	assert.Equal(t, strings.Count(html, "<svg"), strings.Count(html, "</title>")-1, "every picture says what it is")
	for _, want := range []string{
		"<title>Attention experiments</title>", "11 runs of 5 experiments, 9 of them finished.", "<h2>The models</h2>", "<pre>exp run tme9-lstm</pre>", "learning rate",
		"<b>What to look for.</b> Three words &lt;first&gt;.", "<dt>slip</dt><dd>A mistake in the report or in its code, or a place where the two differ.", "Why test can stand above train",
		"82.99", reporttest.IMDBDigest, `prefers-color-scheme:dark`, "@media print",
	} {
		assert.Contains(t, html, want)
	}
	for _, r := range reporttest.Build(t, list...).Results() {
		assert.Contains(t, html, r.Config.ID, "every run is there")
	}
}

// Figures of the sample once stood under "The figures of the published report".
func TestPageSaysWhatFiguresShow(t *testing.T) {
	const published, other = "<h2>The figures of the published report</h2>", "<h3>Figure 2 (Embedded sample). tme9-mean adam: "
	full := reporttest.Run{Name: "tme9-lstm"}.New(t)
	sample := reporttest.Run{Name: "tme9-mean", Data: reporttest.Sample}.New(t)
	for _, list := range [][]*runs.Run{{full}, {sample}, {full, sample}} {
		html := written(t, page.Options{Figures: figures.Smoothed(0).Of(list)}, list...)
		assert.Equal(t, list[0] == full, strings.Contains(html, published))
		assert.Equal(t, list[len(list)-1] == sample, strings.Contains(html, other))
	}
}

func TestPageWithoutOptions(t *testing.T) {
	m := reporttest.Run{Name: "tme9-mean", Data: reporttest.Sample, User: []string{"lr=0.5"}}
	html := written(t, page.Options{}, m.New(t))
	assert.NotContains(t, html, "at their defaults")
	assert.NotContains(t, html, "<svg")

	html = written(t, page.Options{})
	assert.Contains(t, html, "<p>no finished runs in the runs folder; try: exp run tme9-simple</p>")
	assert.NotContains(t, html, "<table>")
}

func TestPageIsEscaped(t *testing.T) {
	const evil = `<script>alert("1")</script>` + "\u202e\u009b\x1b"
	renamed := reporttest.Sample
	renamed.Name = evil
	m := reporttest.Run{Name: "tme9-mean", Data: renamed, Epochs: 1, Diverged: evil, User: []string{"tokens=ptb"}}
	one := m.New(t)
	html := written(t, page.Options{
		Program: evil,
		Command: func([]*runs.Config) string { return evil },
		Settings: func(*runs.Config) []page.Setting {
			return []page.Setting{{Key: evil, Value: evil, Default: evil, From: evil, Help: evil}}
		},
		Figures: figures.Smoothed(0).Of([]*runs.Run{one}),
	}, one)
	assert.NotContains(t, html, "<script")
	assert.NotRegexp(t, "[\u202e\u009b\x1b]", html)
	assert.Contains(t, html, `\u202e\u009b\x1b`)
	assert.Contains(t, html, "&lt;script&gt;")
}

// A page is made of whatever there is: damaged, unfinished and empty folders.
func TestPageOfDamagedRuns(t *testing.T) {
	list := reporttest.Mixture(t)
	for i, name := range []string{"metrics.jsonl", "environment.json", "predictions.tsv", "timing.jsonl", "entropy.jsonl"} {
		require.NoError(t, os.WriteFile(filepath.Join(list[i].Path, name), []byte("{\n"), 0o666))
	}
	list = append(list, reporttest.Run{Name: "tme9-simple", Unfinished: true}.New(t))
	html := written(t, page.Options{Figures: figures.Smoothed(0).Of(list)}, list...)
	assert.Contains(t, html, "damaged: ")
	assert.Contains(t, html, "no test accuracy yet")
	for _, r := range list {
		assert.Contains(t, html, r.Config.ID)
	}
}

// The page once began with the data set that is first by name.
func TestPageOpensWithTheLargestDataSet(t *testing.T) {
	small, large := reporttest.Sample, reporttest.IMDB
	small.Name, large.Name = "animals", "reviews"
	var list []*runs.Run
	for _, data := range []runs.DataFacts{small, large} {
		for name, acc := range map[string]float64{"tme9-mean": 74, "tme9-lstm": 83} {
			list = append(list, reporttest.Run{Name: name, Data: data, Test: []float64{acc}}.New(t))
		}
	}
	list = append(list, reporttest.Run{Name: "tme9-query", Variant: "original", Data: large, Test: []float64{99}}.New(t))
	html := written(t, page.Options{Figures: figures.Smoothed(0).Of(list)}, list...)
	headline := "<p><b>reviews: 25 000 training and 25 000 test reviews: tme9-lstm adam has the highest test accuracy of 2 settings, 83.00 % (95 % interval 82.5–83.5).</b></p>"
	assert.Contains(t, strings.ReplaceAll(html, "\u00a0", " "), headline)
	parts := strings.SplitN(html, "<main>", 2)
	assert.Regexp(t, `^\s*<div class="figures">\s*<figure>\s*<h3>tme9-lstm default is most accurate: 83.0 %</h3>`, parts[1])
	sections := submatches("<h2>([^<]*)</h2>", html)
	assert.True(t, strings.HasPrefix(sections[0], "reviews"), "%q", sections)
	assert.True(t, strings.HasPrefix(sections[1], "animals"), "%q", sections)
	assert.Len(t, submatches("<h3>(tme9-lstm(?: default)? is most accurate: 83.0 %)</h3>", html), 2, "each once")
}

// The page of runs that translate speaks of exact match and pairs throughout.
func TestTranslationPage(t *testing.T) {
	html := written(t, page.Options{}, reporttest.Translators(t)...)
	assert.Contains(t, html, `<th scope="col" class="n">exact match (%)</th>`)
	assert.Contains(t, html, `<td class="n">40.00</td>`, "of seq2seq-plain, not its 97 % of next words")
	assert.Contains(t, html, "no exact match on test yet")
	assert.NotContains(t, html, "test acc. (%)")
}

// Trials stand apart, folded, each with what would repeat it.
func TestPageOfTrials(t *testing.T) {
	looked, trials := reporttest.Searched(t)
	html := written(t, page.Options{Command: func(c []*runs.Config) string { return "exp run " + c[0].ID }}, append(trials, looked...)...)
	assert.Contains(t, html, "<summary>5 trials, never evaluated on the test set</summary>")
	assert.Contains(t, html, "86.50 % ± 0.71 (2) @3–4")
	assert.Contains(t, html, "<pre>exp run "+trials[0].Config.ID+"</pre>", "beside the trial")
	for _, r := range trials {
		assert.Contains(t, html, `href="#run-`+r.Config.ID[:8])
	}

	assert.Contains(t, written(t, page.Options{}, trials...), "5 trials", "of a report of nothing else")
}

// The column of runs once stood beyond the edge of a window 1100 pixels wide, and of wider ones.
func TestBrowserTablesFit(t *testing.T) {
	dir := t.TempDir()
	var list []*runs.Run
	for _, name := range []string{"tme9-simple", "tme9-lstm"} {
		for seed := range 5 {
			list = append(list, reporttest.Run{Name: name, Data: reporttest.Sample, Valid: 90,
				User: []string{"epochs=15", "batch=4", "select=best", "test=last", "lr=0.0102", fmt.Sprint("seed=", seed+1)}}.Add(t, dir))
		}
	}
	file := filepath.Join(dir, "report.html")
	require.NoError(t, os.WriteFile(file, []byte(written(t, page.Options{}, list...)), 0o666))
	b := testbrowser.Open(t, time.Minute)
	b.To("file://" + filepath.ToSlash(file))
	for _, width := range []int64{1100, 1280, 1500} {
		b.Do(chromedp.EmulateViewport(width, 900))
		b.Sees("", `[...document.querySelectorAll(".scroll")].filter((s) => s.scrollWidth > s.clientWidth + 1).map((s) => s.ariaLabel + " " + s.scrollWidth).join()`)
	}
}

func TestMain(m *testing.M) { os.Exit(run(m)) }

func run(m *testing.M) int {
	defer testbrowser.Close()
	return m.Run()
}

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
	for _, name := range []string{"tme9-mean", "tme9-lstm"} {
		list = append(list, reporttest.Run{Name: name, Data: reporttest.Sample}.New(t))
	}
	return list
}

func TestNotes(t *testing.T) {
	dir := t.TempDir()
	require.NoError(t, os.WriteFile(filepath.Join(dir, "own.png"), []byte("\x89PNG\r\n"), 0o666))
	html := must.Get(noted(t, few(t), dir, "---\ntitle: \"Does it pay? <b>\"\nsubtitle: On reviews\nauthor:\n  - name: A. <i>\n    affiliation: Lab\n  - B. Other\ndate: 2026-01-05\nformat: html\n---\n\n"+
		"# Answer\n\nSince $p < 0.05$ and $x_i^{2}$ for $5 or $6: $score =\ny$, $5-$6. $$\\sum_i a_i = 1$$\n\n@fig-all and @tbl-test-accuracy, not `@fig-all` nor a@fig-all.\n\n"+
		"![All *models*](out/comparison-sample.svg){#fig-all width=80%}\n\n{{< include out/test-accuracy.md >}}\n\n"+
		"![](own.png){width=3cm}\n\n<!-- a\ncomment -->\n<script>alert(1)</script>\n\nx<b>y</b>z [l](javascript:alert(1))\n"))(t)
	assert.Contains(t, html, "<title>Does it pay? &lt;b&gt;</title>")
	assert.Contains(t, html, "<p><b>On reviews</b></p>\n<p class=\"keys\">A. &lt;i&gt;, B. Other · 2026-01-05</p>")
	start, rest, ok := strings.Cut(html, `<section id="notes">`)
	require.True(t, ok)
	text, rest, _ := strings.Cut(rest, "</section>")
	for _, want := range []string{
		`<span class="math">p &lt; 0.05</span> and <span class="math">x_i^{2}</span> for $5 or $6: ` +
			`<span class="math">score =` + "\n" + `y</span>, $5-$6. <span class="math display">\sum_i a_i = 1</span>`,
		"<h2>Answer</h2>", `<a href="#fig-all">Figure` + "\u00a0" + `1</a> and <a href="#tbl-test-accuracy">Table` + "\u00a0" + `1</a>, not <code>@fig-all</code> nor a@fig-all.`,
		`<figure id="fig-all">`, "<h3>Figure\u00a01: All models</h3>", "<svg ", `<div id="tbl-test-accuracy">`, "<caption>Table\u00a01: Test accuracy. Embedded sample",
		`src="data:image/png;base64,iVBORw0K">`,
	} {
		assert.Contains(t, text, want)
	}
	assert.NotRegexp(t, "a\ncomment|<b>y", text, "HTML is left out")
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
