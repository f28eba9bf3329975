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
	b.Sees("true", `/^Coloré\u00a0: .* Entropie [\d.]+ nats/.test(document.querySelector("#answers .what").textContent)`)
	b.Sees("Perte (nats)", `document.querySelector("#curves figcaption").textContent`)
	for _, view := range []string{"steps", "flip", "matrix"} {
		off := fmt.Sprintf(`"[data-focus=%s][aria-pressed=false]"`, view)
		b.Sees("0", `(document.querySelector(`+off+`)?.click(), document.querySelectorAll(`+off+`).length)`)
	}
	b.Sees("1 Scores", `document.querySelector(".steps [data-focus=step0]").textContent`)
	b.Sees("mot", `document.querySelector(".step th").textContent`)
	b.Sees("true", `(() => {
		const by = [...document.querySelectorAll("[data-focus=by]")].find((s) => s.value !== "leaveout");
		if (by) { by.value = "leaveout"; by.dispatchEvent(new Event("change")); }
		return [...document.querySelectorAll("#answers .what")].every((e) => e.textContent.includes("Ce que la marge de la classe perd"));
	})()`)
	b.JS(`const e = document.querySelector("#example"); e.value = "0"; e.dispatchEvent(new Event("change"))`)
	b.Sees("true", `/ La classe de la critique\u00a0: pos\.$/.test(document.querySelector("#said").textContent)`)
	b.JS(`document.querySelector("#training").requestSubmit()`)
	b.Sees("Entraîné en", `document.querySelector("#told").textContent.slice(0, 11)`)
	b.Sees("", `[...document.documentElement.untranslated].filter((text) => !/^(tme|nbsvm|seq2seq|test |test\/|exp:|adam|newton|neg |pos |(default|sample|phrases|LIME|neg|pos\.?|\[CLS\]|metrics.jsonl|word, train, attention|gustav, amusing.*)$)|[=@"]/.test(text)).join("\n")`)
	b.Accessible()
}

// The pairs of English and French are those of today's page: each English text is in a source, and both have the same
// places for other texts.
func TestFrenchPairs(t *testing.T) {
	var source strings.Builder
	for _, pattern := range []string{"*.go", "page/*", "page/assets/*.[jh]*", "ask/*.go", "offline/*.go", "../scores/*.go", "../../../../internal/infer/*.go",
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
	place := regexp.MustCompile(`\{n?\}|[.:;,()] ?|^\d | in layer |^(?:Train|Test|Validation) `)
	for key, french := range pairs {
		require.Equal(t, strings.Count(key, "{}")+strings.Count(key, "{n}"), strings.Count(french, "{}"), key)
		fragments := place.Split(key, -1)
		longest := len(slices.MaxFunc(fragments, func(a, b string) int { return len(a) - len(b) }))
		assert.True(t, slices.ContainsFunc(fragments, func(f string) bool {
			return len(f) >= min(6, longest) && strings.Contains(english, strings.ToLower(strings.TrimSpace(f)))
		}), "%q is in no source", key)
	}
}
