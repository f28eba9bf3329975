package web_test

import (
	"encoding/json"
	"fmt"
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

	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testbrowser"
	"imdbexp/runs"
)

// The page is in French for those who ask for it: all that it says, but not the words of texts. Elements that come
// later are translated when they come.
func TestBrowserFrench(t *testing.T) {
	dir := copyTrained(t)
	address, _ := serve(t, start(t, dir, trains))
	const text = "the word is a train of attention and the film is good"
	asked := url.Values{"text": {text}}
	for _, name := range []string{"tme9-simple", "tme10-cls", "nbsvm", "seq2seq-transformer"} {
		asked.Add("run", keyOf(t, dir, name))
	}
	b := testbrowser.Open(t, 2*time.Minute)
	b.To(address + "/#" + asked.Encode())
	b.Sees("Français en", `document.querySelector("#language").textContent + " " + document.documentElement.lang`)
	b.Do(chromedp.Click("#language"))
	b.Sees("English fr", `document.querySelector("#language").textContent + " " + document.documentElement.lang`)
	b.Sees("en direct", live)
	b.Sees("3", `document.querySelectorAll("#answers .what").length`)
	b.Sees(text, `document.querySelector("#answers .text").textContent`)
	b.Sees("true", `/^Coloré\u00a0: .* Entropie [\d,]+ nats/.test(document.querySelector("#answers .what").textContent)`)
	b.Sees("Perte (nats)", `document.querySelector("#curves figcaption").textContent`)
	b.JS(`const e = document.querySelector("#example"); e.value = "0"; e.dispatchEvent(new Event("change"))`)
	b.Sees("true", `/ La classe de la critique\u00a0: pos\.$/.test(document.querySelector("#said").textContent)`)
	b.French()
	b.Accessible()
}

// What a search, seeds, notes and mistakes add to the page is in French, too; words of the user's stay.
func TestBrowserFrenchRuns(t *testing.T) {
	dir := t.TempDir()
	for _, seed := range []string{"seed=1", "seed=2"} {
		w := begin(t, dir, "tme9-mean", seed, "lr=0.5").finish(60, 70.25)
		run := must.Get(runs.Open(filepath.Join(dir, filepath.FromSlash(w.key))))(t)
		require.NoError(t, run.Remark(func(r *runs.Remarks) { r.Note, r.Tags = "the baseline: every word counts the same", []string{"random"} }))
	}
	for i := range 10 {
		begin(t, dir, "tme9-simple", "test=never", fmt.Sprintf("lr=0.%d", i+11)).untested(70 + float64(i)).finish()
	}
	begin(t, dir, "tme9-lstm").epoch(60)
	address, _ := serve(t, start(t, dir, trains))
	b := testbrowser.Open(t, 2*time.Minute)
	b.To(address + "/#lang=fr")
	b.Sees("en direct", live)
	b.JS(`document.querySelector("#all").click()`)
	b.Sees("Recherche sur tme9-simple\u00a0: effet net de lr", `(document.querySelector("#searches").open = true, document.querySelector("#mattered figcaption")?.textContent)`)
	b.Sees("tme9-mean adam lr=0.5, 2 graines", `[...document.querySelectorAll("#compare thead th")].map((th) => th.textContent).find((s) => s.includes("mean"))`)
	b.Sees("note\u00a0: the baseline: every word counts the same", `document.querySelector("#runs small span").parentElement.textContent`)
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
	unseen := regexp.MustCompile(`^(7|7: 7|7 in 7|Trials, never.*|7 7, the published row has 7|more than one value|invalid request: .*|Content-Type .*|the request is larger .*|the host .*)$`)
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
	for _, pattern := range []string{"*.go", "page/*", "page/assets/*.[jh]*", "ask/*.go", "offline/*.go", "../export/*.go", "../scores/*.go", "../../../../internal/infer/*.go",
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
