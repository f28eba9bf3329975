package web_test

import (
	"fmt"
	"math"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/report/canvas"
	"imdbexp/runs"
)

// Metrics and histograms come from the epoch asked about on, and only whole
// epochs do.
func TestWhatIsNew(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "tme9-simple")
	w.epoch(60)
	w.epoch(65)
	padded := begin(t, dir, "tme9-simple", "slip.pad=true")
	padded.epoch(60)
	h := start(t, dir).Handler()
	query := "?run=" + url.QueryEscape(w.key)
	d := get[web.Detail](t, h, "/api/run"+query)
	require.Len(t, d.Metrics, 2)
	assert.Equal(t, 65.0, *d.Metrics[1].TestAcc)
	assert.Equal(t, 0.5, *d.Metrics[1].TrainLoss)
	assert.Nil(t, d.Metrics[1].ValidLoss)
	assert.Equal(t, []string{""}, d.Wheres)
	assert.Equal(t, 5, d.Epochs)
	d = get[web.Detail](t, h, "/api/run"+query+"&after=1")
	require.Len(t, d.Metrics, 1)
	assert.Equal(t, 2, d.Metrics[0].Epoch)
	assert.Empty(t, get[web.Detail](t, h, "/api/run"+query+"&after=2").Metrics)

	e := get[beside.Entropies](t, h, "/api/entropy"+query)
	require.Len(t, e.Histograms, 4)
	assert.False(t, e.Share)
	assert.InDelta(t, 3.0, e.Uniform, 0.01, "log 20: a review of the fixture has 20 words")
	require.Len(t, get[beside.Entropies](t, h, "/api/entropy"+query+"&after=1").Histograms, 2)
	assert.Empty(t, get[beside.Entropies](t, h, "/api/entropy"+query+"&where=layer+9").Histograms)
	assert.Zero(t, get[beside.Entropies](t, h, "/api/entropy?run="+url.QueryEscape(padded.key)).Uniform, "padding is among what attention chooses from")
	for _, bad := range []string{"-1", "x", "99999999999999999999"} {
		for _, path := range []string{"/api/run", "/api/entropy"} {
			w := request(h, "GET", path+query+"&after="+bad, "")
			assert.Equal(t, http.StatusBadRequest, w.Code)
			assert.Equal(t, "after="+bad+": want an epoch, 0 or more", refused(t, w))
		}
	}
}

// The mark of uniform attention is that of reports: of the mean length while a run
// trains, then of the median one.
func TestUniformIsThatOfReports(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "tme9-simple")
	w.epoch(60)
	entropies := func() beside.Entropies {
		return get[beside.Entropies](t, start(t, dir).Handler(), "/api/entropy?run="+url.QueryEscape(w.key))
	}
	assert.Equal(t, "mean", entropies().At)
	p := &runs.Predictions{Classes: []string{"neg", "pos"}}
	for i, words := range []int{5, 8, 100} {
		p.Rows = append(p.Rows, runs.Prediction{Review: fmt.Sprint(i), Words: words, P: []float32{1, 0}})
	}
	require.NoError(t, w.Finish(p))
	e := entropies()
	assert.Equal(t, "median", e.At)
	assert.InDelta(t, math.Log(8), e.Uniform, 1e-9)
}

// Of translations exact match comes beside the next words' accuracy.
func TestExactMatchByEpoch(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "seq2seq-luong")
	m := runs.Metrics{Epoch: 1, TestAcc: runs.Number(97), TestExact: runs.Number(60), TestBLEU: runs.Number(80)}
	require.NoError(t, w.Epoch(m, runs.Timing{Epoch: 1}, nil, &runs.Checkpoint{Epoch: 1}, false))
	d := get[web.Detail](t, start(t, dir).Handler(), "/api/run?run="+url.QueryEscape(w.key))
	assert.True(t, d.Translates)
	require.Len(t, d.Metrics, 1)
	assert.Equal(t, 60.0, *d.Metrics[0].TestExact)
}

// Runs stand side by side with what tells them apart, and numbers that are not
// comparable stand beside no published one.
func TestComparison(t *testing.T) {
	dir := t.TempDir()
	a := begin(t, dir, "tme9-simple", "lr=0.5").finish(60, 70)
	b := begin(t, dir, "tme9-simple", "seed=2").finish(60, 72)
	broken := begin(t, dir, "tme9-simple", "seed=3").finish(60)
	damage(t, dir, broken.key, "config.yaml", "rubbish")
	h := start(t, dir).Handler()
	c := get[beside.Comparison](t, h, "/api/compare?"+url.Values{"run": {a.key, b.key, broken.key, "none/such"}}.Encode())
	assert.Equal(t, []string{a.key, b.key}, c.Runs)
	require.NotEmpty(t, c.Notes)
	assert.True(t, strings.HasPrefix(c.Notes[0], c.Heads[0]+", "+c.Heads[1]+": "), "what is to be known of both is said once: %s", c.Notes[0])
	lines := map[string][]string{}
	for _, l := range append(c.Results, c.Settings...) {
		lines[l.Name] = l.Values
	}
	assert.Equal(t, []string{"70.00", "72.00"}, lines["test accuracy (%)"])
	assert.Equal(t, []string{"60.4–78.1", "62.5–79.9"}, lines["95 % Wilson interval"])
	assert.Equal(t, []string{"0.5", "0.001"}, lines["lr"])
	assert.Equal(t, []string{"1", "2"}, lines["seed"])
	assert.NotContains(t, lines, "epochs", "in which they do not differ")
	assert.NotContains(t, lines, "published (%)")
	one := get[beside.Comparison](t, h, "/api/compare?"+url.Values{"run": {a.key}}.Encode())
	assert.Contains(t, one.Settings, beside.Line{Name: "lr", Values: []string{"0.5 (command line)"}})
	assert.Empty(t, get[beside.Comparison](t, h, "/api/compare").Runs)
}

// The page is whole without any script: table, links that sort, comparison,
// figures.
func TestPageWithoutScripts(t *testing.T) {
	dir := t.TempDir()
	a := begin(t, dir, "tme9-simple", "lr=0.5").finish(60, 70)
	begin(t, dir, "tme9-lstm").finish(80, 82)
	s := start(t, dir)
	page := request(s.Handler(), "GET", "/?q=simple&sort=-test_acc&run="+url.QueryEscape(a.key), "")
	require.Equal(t, http.StatusOK, page.Code)
	text := page.Body.String()
	assert.Equal(t, 1, strings.Count(text, `<tr data-key=`), "filtered")
	assert.Contains(t, text, "1 of 2 runs")
	assert.Contains(t, text, `aria-sort="descending"`)
	assert.Contains(t, text, `sort=test_acc"`, "the other way round")
	assert.Contains(t, text, `value="`+a.key+`" id="run:`+a.key+`" checked`)
	assert.Contains(t, text, "lr=0.5")
	assert.Contains(t, text, "60.4–78.1")
	for _, kind := range []string{"curves", "entropy"} {
		src := "/figure.svg?kind=" + kind + "&run=" + url.QueryEscape(a.key)
		assert.Contains(t, text, strings.ReplaceAll(src, "&", "&amp;"))
		figure := request(s.Handler(), "GET", src, "")
		require.Equal(t, http.StatusOK, figure.Code, figure.Body.String())
		assert.Equal(t, "image/svg+xml", figure.Header().Get("Content-Type"))
		assert.Contains(t, figure.Body.String(), "<svg")
	}
	assert.Equal(t, http.StatusBadRequest, request(s.Handler(), "GET", "/figure.svg?kind=x&run="+url.QueryEscape(a.key), "").Code)

	newest := request(s.Handler(), "GET", "/", "").Body.String()
	assert.Contains(t, newest, "tme9-lstm")
	assert.Equal(t, 1, strings.Count(newest, " checked>"), "nothing said: the newest run is drawn")
	filtered := request(s.Handler(), "GET", "/?q=simple", "").Body.String()
	assert.Equal(t, 1, strings.Count(filtered, " checked>"), "the newest of those in the table")
	assert.NotContains(t, request(s.Handler(), "GET", "/?run=", "").Body.String(), " checked>", "none, on purpose")
	empty := start(t, t.TempDir())
	assert.Contains(t, request(empty.Handler(), "GET", "/", "").Body.String(), "There are no runs")
}

// Drawings in the page have the colours of the report's figures.
func TestColours(t *testing.T) {
	h := start(t, t.TempDir()).Handler()
	sheet, palette := request(h, "GET", "/assets/style.css", "").Body.String(), request(h, "GET", "/assets/figures.css", "").Body.String()
	assert.Equal(t, canvas.CSS(), palette)
	used := regexp.MustCompile(`--fig-\w+`).FindAllString(sheet, -1)
	assert.GreaterOrEqual(t, len(used), web.MaxChosen+3)
	for _, name := range used {
		assert.Contains(t, palette, name+":")
	}
	for i := range web.MaxChosen {
		assert.Contains(t, sheet, fmt.Sprintf(".c%d { --colour: var(--fig-", i))
	}
}

func TestAssets(t *testing.T) {
	h := start(t, t.TempDir()).Handler()
	first := request(h, "GET", "/assets/main.js", "")
	require.Equal(t, http.StatusOK, first.Code)
	assert.Equal(t, "text/javascript; charset=utf-8", first.Header().Get("Content-Type"))
	again := request(h, "GET", "/assets/main.js", "", func(r *http.Request) { r.Header.Set("If-None-Match", first.Header().Get("ETag")) })
	assert.Equal(t, http.StatusNotModified, again.Code)
}
