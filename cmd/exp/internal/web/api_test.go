package web_test

import (
	"fmt"
	"math"
	"net/http"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/runs"
)

func detailOf(t *testing.T, h http.Handler, key string) page.Detail {
	return get[page.Detail](t, h, "run", web.Key{Run: key})
}

func entropiesOf(t *testing.T, h http.Handler, key, place string) page.Entropies {
	return get[page.Entropies](t, h, "entropy", web.Place{Run: key, Place: place})
}

// Metrics and histograms are those of the committed epochs.
func TestCurves(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "tme9-simple")
	w.epoch(60)
	w.epoch(65)
	padded := begin(t, dir, "tme9-simple", "slip.pad=true")
	padded.epoch(60)
	h := start(t, dir).Handler()
	d := detailOf(t, h, w.key)
	require.Len(t, d.Metrics, 2)
	assert.Equal(t, 65.0, d.Metrics[1]["test_acc"])
	assert.Equal(t, 0.5, d.Metrics[1]["train_loss"])
	assert.NotContains(t, d.Metrics[1], "valid_loss")
	assert.Equal(t, []string{""}, d.Places)

	e := entropiesOf(t, h, w.key, "")
	require.Len(t, e.Histograms, 4)
	assert.False(t, e.Share)
	assert.InDelta(t, 3.0, e.Uniform, 0.01, "log 20: a review of the fixture has 20 words")
	assert.Empty(t, entropiesOf(t, h, w.key, "layer 9").Histograms)
	assert.Zero(t, entropiesOf(t, h, padded.key, "").Uniform, "attention may choose padding, too")
}

// The mark of uniform attention is that of reports: for the mean length while a run
// trains, then for the median one.
func TestUniformIsThatOfReports(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "tme9-simple")
	w.epoch(60)
	entropies := func() page.Entropies { return entropiesOf(t, start(t, dir).Handler(), w.key, "") }
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

// The column of a run in the comparison has its results, settings and who set them. Runs on the
// sample have no published number.
func TestColumn(t *testing.T) {
	dir := t.TempDir()
	a := begin(t, dir, "tme9-simple", "lr=0.5").finish(60, 70)
	broken := begin(t, dir, "tme9-simple", "seed=3").finish(60)
	damage(t, dir, broken.key, "config.yaml", "rubbish")
	h := start(t, dir).Handler()
	c := detailOf(t, h, a.key).Column
	assert.True(t, strings.HasPrefix(c.Head, "tme9-simple "))
	require.NotEmpty(t, c.Notes)
	lines := map[string]string{}
	for _, v := range c.Results {
		lines[v.Name] = v.Text
	}
	assert.Equal(t, "70.00", lines["Test accuracy (%)"])
	assert.Equal(t, "60.4–78.1", lines["95 % interval"])
	assert.Empty(t, lines["Published (%)"])
	assert.Contains(t, c.Settings, page.Setting{Value: page.Value{Name: "lr", Text: "0.5"}, From: "command line"})
	assert.Contains(t, c.Settings, page.Setting{Value: page.Value{Name: "seed", Text: "1"}})

	w := request(h, "run", body(t, web.Key{Run: broken.key}))
	assert.Equal(t, http.StatusUnprocessableEntity, w.Code)
	assert.Contains(t, refused(t, w), "cannot be read: ")
}

// With test=last the only test results come at the end, for an epoch that is there already.
func TestTestedLast(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "tme9-simple", "test=last", "epochs=2")
	w.untested()
	w.untested()
	s := start(t, dir)
	require.Len(t, s.Rows(), 1)
	assert.Nil(t, s.Rows()[0].Score)
	require.NoError(t, w.Tested(runs.Metrics{Epoch: 2, TestLoss: runs.Number(0.4), TestAcc: runs.Number(81.5)}))
	w.finish()
	s = start(t, dir) // the first one need not have looked again yet
	row := s.Rows()[0]
	assert.Equal(t, 81.5, *row.Score)
	assert.Empty(t, row.Notes)
	d := detailOf(t, s.Handler(), w.key)
	require.Len(t, d.Metrics, 2)
	assert.NotContains(t, d.Metrics[0], "test_acc")
	assert.Equal(t, 81.5, d.Metrics[1]["test_acc"])
	assert.Contains(t, d.Column.Results, page.Value{Name: "Test accuracy (%)", Text: "81.50"})
}

// Drawings in the page have the colours of the report's figures. The page loads nothing.
func TestPage(t *testing.T) {
	w := request(start(t, t.TempDir()).Handler(), "", "")
	require.Equal(t, http.StatusOK, w.Code)
	text := w.Body.String()
	for _, name := range regexp.MustCompile(`var\(--fig-\w+`).FindAllString(text, -1) {
		assert.Contains(t, text, strings.TrimPrefix(name, "var(")+":")
	}
	for i := range page.MaxRuns {
		assert.Contains(t, text, fmt.Sprintf(".c%d { --colour: var(--fig-", i))
	}
	assert.NotRegexp(t, ` onclick=|src=|href="http`, text)
	assert.NotContains(t, text, "script-src 'unsafe")
}
