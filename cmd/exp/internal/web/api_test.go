package web_test

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testbrowser"
	"imdbexp/internal/testkit/testrun"
	"imdbexp/runs"
)

func detailOf(t *testing.T, h http.Handler, key string) page.Detail {
	return get[page.Detail](t, h, "run", web.Key{Run: key})
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
	require.Len(t, d.Entropies, 1)
	e := d.Entropies[0]
	assert.Empty(t, e.Place)
	require.Len(t, e.Histograms, 4)
	assert.False(t, e.Share)
	assert.InDelta(t, 3.0, e.Uniform, 0.01, "log 20: a review of the fixture has 20 words")
	assert.Zero(t, detailOf(t, h, padded.key).Entropies[0].Uniform, "attention may choose padding, too")
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
	require.NoError(t, w.Tested(runs.Metrics{Epoch: 2, TestLoss: new(0.4), TestAcc: new(81.5)}))
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

// The page is in French for those who ask for it: all that it says, also of a search, seeds, notes and mistakes, but not
// the words of texts. Elements that come later are translated when they come.
func TestBrowserFrench(t *testing.T) {
	if !testrun.Long() {
		t.Skip("shows all that the page can show: EXP_CI=1 does")
	}
	dir := copyTrained(t)
	asked := url.Values{"text": {"the word is a train of attention and the film is good"}}
	for _, name := range []string{"tme9-simple", "tme10-cls", "nbsvm", "seq2seq-transformer"} {
		asked.Add("run", keyOf(t, dir, name))
	}
	for _, seed := range []string{"seed=1", "seed=2"} {
		w := begin(t, dir, "tme9-mean", seed, "lr=0.5").finish(60, 70.25)
		run := must.Get(runs.Open(filepath.Join(dir, filepath.FromSlash(w.key))))(t)
		require.NoError(t, run.Remark(func(r *runs.Remarks) { r.Note, r.Tags = "the baseline: every word counts the same", []string{"random"} }))
	}
	for i := range 10 {
		begin(t, dir, "tme9-query", "test=never", fmt.Sprintf("lr=0.%d", i+11)).untested(70 + float64(i)).finish()
	}
	begin(t, dir, "tme9-lstm").epoch(60)
	address, _ := serve(t, start(t, dir, trains))
	b := testbrowser.Open(t, 2*time.Minute)
	b.To(address + "/#" + asked.Encode())
	b.Sees("Français en", `document.querySelector("#language").textContent + " " + document.documentElement.lang`)
	b.Do(chromedp.Click("#language"))
	b.Sees("English fr", `document.querySelector("#language").textContent + " " + document.documentElement.lang`)
	b.Sees("en direct", live)
	b.Sees("3", `document.querySelectorAll("#answers .what").length`)
	b.Sees(asked.Get("text"), `document.querySelector("#answers .text").textContent`)
	b.Sees("true", `/^Coloré\u00a0: .* Entropie [\d,]+ nats/.test(document.querySelector("#answers .what").textContent)`)
	b.Sees("Perte (nats)", `document.querySelector("#curves figcaption").textContent`)
	b.Do(chromedp.Focus("#filter"))
	b.Keys("terminé 70,25")
	b.Sees("tme9-mean", names)
	b.JS(`const f = document.getElementById("filter"); f.value = ""; f.dispatchEvent(new Event("input"))`)
	b.JS(`const e = document.querySelector("#example"); e.value = "0"; e.dispatchEvent(new Event("change"))`)
	b.Sees("true", `/ La classe de la critique\u00a0: pos\.$/.test(document.querySelector("#said").textContent)`)
	b.Accessible()
	b.JS(`document.querySelector("#all").click()`)
	b.Sees("Recherche sur tme9-query\u00a0: effet net de lr", `(document.querySelector("#searches").open = true, document.querySelector("#mattered figcaption")?.textContent)`)
	b.Sees("tme9-mean adam lr=0.5, 2 graines", `[...document.querySelectorAll("#compare thead th")].map((th) => th.textContent).find((s) => s.includes("mean"))`)
	b.Sees("true", `[...document.querySelectorAll("#runs small span")].some((e) => e.parentElement.textContent === "note\u00a0: the baseline: every word counts the same")`)
	for _, text := range errorTexts(t) {
		b.JS(`document.querySelector("#about").append(Object.assign(document.createElement("p"), {textContent: %q}))`, text)
	}
	b.French()
}

// errorTexts are the errors that the page's scripts and its server show, and the notes about runs, with 7 in the place of
// what they are about.
func errorTexts(t *testing.T) (out []string) {
	const literal = "(?:\"([^\"]+)\"|`([^`\n]+)`)"
	errors := regexp.MustCompile("\\b(?:Error|fmt\\.Errorf|errors\\.New|refuse)\\((?:http\\.\\w+, |value\\.error \\|\\| )?" + literal)
	notes := regexp.MustCompile("(?:\\{(?:Kind: )?(?:report\\.)?[A-Z]\\w+, (?:Text: )?(?:fmt\\.Sprintf\\()?|\\btext :?= (?:fmt\\.Sprintf\\()?|Kind = )" + literal)
	place := regexp.MustCompile(`%[.\w]+|\$\{[^}]+\}`)
	unseen := regexp.MustCompile(`^(7|7: 7|7 in 7|Trials, never.*|7 7, the published row has 7|invalid request: .*|Content-Type .*|the request is larger .*|the host .*)$`)
	for pattern, literals := range map[string]*regexp.Regexp{"page/assets/*.js": errors, "*.go": errors, "ask/*.go": errors, "train/*.go": errors,
		"../../../../report/*.go": notes, "../../../../report/tables/cell.go": notes, "../../../../report/tables/blocks.go": notes} {
		for _, file := range must.Get(filepath.Glob(pattern))(t) {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			for _, m := range literals.FindAllStringSubmatch(string(must.Get(os.ReadFile(file))(t)), -1) {
				if text := strings.ReplaceAll(place.ReplaceAllString(m[1]+m[2], "7"), "%%", "%"); !unseen.MatchString(text) {
					out = append(out, text)
				}
			}
		}
	}
	require.Greater(t, len(out), 40)
	return out
}

// The pairs of English and French are those of today's page: each English text is in a source, and both have the same
// places for other texts.
func TestFrenchPairs(t *testing.T) {
	var source strings.Builder
	for _, pattern := range []string{"*.go", "page/*", "page/assets/*.[jh]*", "ask/*.go", "train/*.go", "offline/*.go", "../export/*.go", "../scores/*.go", "../../../../internal/infer/*.go",
		"../../../../internal/infer/translator/*.go", "../../../../internal/ops/*.go", "../../../../report/*.go", "../../../../report/*/*.go", "../../../../internal/settings/*.go", "../../../../experiments/*/*.go", "../../../../runs/*.go", "../../../../experiments/*.go"} {
		for _, file := range must.Get(filepath.Glob(pattern))(t) {
			if info := must.Get(os.Stat(file))(t); !info.IsDir() && !strings.HasSuffix(file, "_test.go") && !strings.HasSuffix(file, "fr.json") {
				source.Write(must.Get(os.ReadFile(file))(t))
			}
		}
	}
	english := strings.ToLower(strings.ReplaceAll(source.String(), `\u00a0`, " "))
	pairs := map[string]string{}
	require.NoError(t, json.Unmarshal(must.Get(os.ReadFile("page/assets/fr.json"))(t), &pairs))
	place := regexp.MustCompile(`\{[n=]?\}|[.:;,()] ?|^\d | in layer | and | (?:reviews|pairs)$|^(?:Train|Test|[Vv]alidation) `)
	for key, french := range pairs {
		require.Equal(t, strings.Count(key, "{}")+strings.Count(key, "{n}"), strings.Count(french, "{}"), key)
		require.Equal(t, strings.Count(key, "{=}"), strings.Count(french, "{=}"), key)
		fragments := place.Split(key, -1)
		longest := len(slices.MaxFunc(fragments, func(a, b string) int { return len(a) - len(b) }))
		assert.True(t, slices.ContainsFunc(fragments, func(f string) bool {
			return len(f) >= min(6, longest) && strings.Contains(english, strings.ToLower(strings.TrimSpace(f)))
		}), "%q is in no source", key)
	}
}
