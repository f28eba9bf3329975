package report_test

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/report"
	"imdbexp/runs"
)

func page(t *testing.T, o report.PageOptions, list ...*runs.Run) string {
	t.Helper()
	var b bytes.Buffer
	require.NoError(t, build(t, list...).Page(&b, o))
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
	list := mixture(t)
	html := page(t, report.PageOptions{
		Title: "Our runs", Program: "exp 1", Figures: report.Figures(list),
		Drawings: map[string]string{"lstm": `<svg class="figure"><title>LSTM</title></svg>`},
		Command:  func(c []*runs.Config) string { return "exp run " + c[0].Name },
		Settings: func(c *runs.Config) []report.Setting {
			return []report.Setting{{Key: "lr", Value: c.Setting("lr"), Default: "1", From: "us", Help: "learning rate"}}
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
		"<title>Our runs</title>", "11 runs of 5 experiments, 9 of them finished.", "<h2>The models</h2>", "exp run tme9-lstm\n", "learning rate",
		"82.99", "da7aimdb", `prefers-color-scheme:dark`, "@media print",
	} {
		assert.Contains(t, html, want)
	}
	for _, r := range build(t, list...).Results() {
		assert.Contains(t, html, r.Config.ID, "every run is there")
	}
}

func TestPageWithoutOptions(t *testing.T) {
	m := made{name: "tme9-mean", variant: "default", data: sample, user: []string{"lr=0.5"}}
	html := page(t, report.PageOptions{}, m.add(t, t.TempDir()))
	assert.Contains(t, html, `<th scope="row" class="mono">lr</th><td class="mono">0.5</td>`)
	assert.Contains(t, html, "<td>command line</td>")
	assert.NotContains(t, html, "<svg")

	html = page(t, report.PageOptions{})
	assert.Contains(t, html, "<p>no finished runs in the runs folder; try: exp run tme9-simple</p>")
	assert.NotContains(t, html, "<table>")
}

func TestPageIsEscaped(t *testing.T) {
	const evil = `<script>alert("1")</script>`
	renamed := sample
	renamed.Name = evil
	m := made{name: "tme9-mean", variant: "default", data: renamed, epochs: 1, diverged: evil, user: []string{"tokens=ptb"}}
	one := m.add(t, t.TempDir())
	html := page(t, report.PageOptions{
		Title: evil, Program: evil,
		Command:  func([]*runs.Config) string { return evil },
		Settings: func(*runs.Config) []report.Setting { return []report.Setting{{evil, evil, evil, evil, evil}} },
		Figures:  report.Figures([]*runs.Run{one}),
	}, one)
	assert.NotContains(t, html, "<script")
	var b bytes.Buffer
	require.NoError(t, build(t, one).HTML(&b))
	assert.NotContains(t, b.String(), "<script")
	assert.Contains(t, b.String(), "&lt;script&gt;")
}

// A page is made of whatever there is: damaged, unfinished and empty folders.
func TestPageOfDamagedRuns(t *testing.T) {
	dir := t.TempDir()
	list := mixture(t)
	for i, name := range []string{"metrics.jsonl", "environment.json", "predictions.tsv", "timing.jsonl", "entropy.jsonl"} {
		require.NoError(t, os.WriteFile(filepath.Join(list[i].Path, name), []byte("{\n"), 0o666))
	}
	list = append(list, made{name: "tme9-simple", data: imdb, unfinished: true}.add(t, dir))
	html := page(t, report.PageOptions{Figures: report.Figures(list)}, list...)
	assert.Contains(t, html, "damaged: ")
	assert.Contains(t, html, "no test accuracy yet")
	for _, r := range list {
		assert.Contains(t, html, r.Config.ID)
	}
}

func TestPageReturnsErrors(t *testing.T) {
	list := mixture(t)
	assert.Error(t, build(t, list...).Page(full{}, report.PageOptions{}))

	var b bytes.Buffer
	err := build(t, list...).Page(&b, report.PageOptions{Figures: []report.Figure{report.Broken("no font")}})
	assert.True(t, errors.As(err, new(*report.DrawError)))
	assert.ErrorContains(t, err, "no font")
	assert.Contains(t, b.String(), "</html>", "whole without the figure")
}
