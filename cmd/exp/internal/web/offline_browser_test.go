package web_test

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web/ask"
	"imdbexp/cmd/exp/internal/web/offline"
	"imdbexp/cmd/exp/internal/web/page"
	"imdbexp/internal/infer"
	"imdbexp/internal/testkit/must"
	"imdbexp/internal/testkit/testbrowser"
	"imdbexp/internal/testkit/testmodel"
	"imdbexp/runs"
)

// over are the elements that run over the edge, of the page or of what they stand in.
const over = `[...document.querySelectorAll("body *")].filter((e) => e.getBoundingClientRect().right > Math.min(innerWidth, e.closest("section")?.getBoundingClientRect().right ?? innerWidth) + 1 && !e.closest(".scroll")).map((e) => e.tagName + "." + e.className).join(" ")`

// cut are tables that a sheet of paper would cut off.
const cut = `[...document.querySelectorAll(".scroll table")].filter((t) => t.checkVisibility() && t.getBoundingClientRect().right > t.closest("section").getBoundingClientRect().right + 1).map((t) => t.textContent.slice(0, 30)).join(" ")`

// A reader chooses a text and types one, goes through the steps, and looks at all words at once;
// nothing runs over the edge of a phone. The live page has the same scripts, and more tests.
func TestBrowserPage(t *testing.T) {
	one, simple := modelOf(t, "tme9-simple")
	two, self := modelOf(t, "tme10-cls layers=2 heads=2")
	first := "the film is <b>good</b> but the story is a mess"
	b := show(t, &offline.Page{Title: "exp: <two>", Version: "v1", Runs: []offline.Run{onPage(one, simple), onPage(two, self)},
		Examples: []page.Example{{ID: "test/pos/1", Label: "pos", Predicted: "neg", Text: first, Data: "sample"}, {ID: "test/pos/2", Text: "a film", Data: "sample"}}})
	b.Sees("exp: <two>", `document.title`)
	b.Sees(first, `document.querySelector("#answers section:nth-child(1) .text").textContent`)
	b.Sees("2", `document.querySelectorAll("#answers section").length`)
	b.Sees("2", `document.querySelectorAll("#runs tbody tr").length`)
	b.Sees("true", `document.querySelector("#compare table").textContent.includes("Test accuracy (%)") && document.querySelector("#compare table").textContent.includes("layers")`)
	b.Sees("3", `document.querySelectorAll("#curves figure:not([hidden])").length`)
	b.Sees("true", `document.querySelectorAll("#entropy path.ridge").length === 2`)
	b.JS(`const of = document.querySelector("#of"); of.value = [...of.options].find((o) => o.text.startsWith("tme10")).value; of.dispatchEvent(new Event("change"))`)
	b.Sees("false", `document.querySelector("#place-box").hidden`)
	b.JS(`document.querySelector("input[name=split][value=train]").click()`)
	b.Sees("0", `document.querySelectorAll("#curves .curve.train").length`)
	b.Sees("test/pos/1, pos (predicted: neg)", `document.querySelector("#example").selectedOptions[0].text`)

	b.Do(chromedp.Focus("#text"))
	b.JS(`document.getElementById("text").value = ""`)
	b.Keys("not a good film")
	b.Sees("not a good film", `document.querySelector("#answers section:nth-child(2) .text").textContent`)
	b.Sees("your own text", `document.querySelector("#example").selectedOptions[0].text`)
	b.Sees("not a good film", `new URLSearchParams(location.hash.slice(1)).get("text")`)

	b.Do(chromedp.Click(`#answers section:nth-child(1) [data-focus=steps]`))
	b.Sees("1 Scores", `document.querySelector(".steps [aria-pressed=true]").textContent`)
	b.Sees("steps", `document.activeElement.dataset.focus`)
	b.Do(chromedp.Click(`.steps [data-focus=step3]`))
	b.Sees("not a good film bias logit", `[...document.querySelectorAll(".step:not(.shut) table")[0].querySelectorAll("tbody th, tfoot th")].map((c) => c.textContent).join(" ")`)
	const by = `const by = document.querySelector("#answers section:nth-child(1) [data-focus=by]"); by.value = %q; by.dispatchEvent(new Event("change"))`
	for score, want := range map[string]string{"leaveout": "leave one out. What the margin of the class loses", "gradient": "gradient × input. xᵢ·∂m/∂xᵢ", "norms": "value-weighted norm. "} {
		b.JS(by, score)
		b.Sees("true", fmt.Sprintf(`document.querySelector("#answers section:nth-child(1) .what").textContent.includes(%q)`, want))
		b.Sees(score, `document.querySelector("#answers section:nth-child(1) [data-focus=by]").value`)
	}

	b.Do(chromedp.Click(`#answers section:nth-child(2) [data-focus=matrix]`))
	b.Sees("10", `document.querySelectorAll(".arcword").length`)
	b.Do(chromedp.Click(`.steps [data-focus=Matrix]`))
	b.Sees("25", `document.querySelectorAll(".matrix td.weight").length`)
	b.JS(`const l = document.querySelector("[data-focus=layer]"); l.value = "1"; l.dispatchEvent(new Event("change"))`)
	b.Sees("true", `document.querySelector("#answers section:nth-child(2) .what").textContent.includes("layer 1 of 2")`)
	b.JS(`document.querySelector("#answers section:nth-child(2) .text .word").dispatchEvent(new MouseEvent("click", {bubbles: true, shiftKey: true}))`)
	b.Sees("true", `document.querySelector("#answers section:nth-child(2) .what").textContent.includes('word 1, "not"')`)

	b.Sees("neg pos neg pos", `[...document.querySelectorAll("#answers .classes th")].map((t) => t.textContent).join(" ")`)
	b.JS(`document.querySelector("nav a[href='#train-head']").click()`) // the address keeps the text
	b.Sees("train-head not a good film", `document.activeElement.id + " " + new URLSearchParams(location.hash.slice(1)).get("text")`)
	b.Sees("#search-head", `[...document.querySelectorAll("nav a")].filter((a) => a.hidden).map((a) => a.hash).join()`)
	b.Accessible()
	b.Do(chromedp.EmulateViewport(700, 990)) // between the margins of A4
	b.Media("print", "light")
	b.Sees("", cut)
	b.Media("", "light")

	for _, width := range []int64{320, 390} { // a screen of 1280 at 400 %, and a phone
		b.Do(chromedp.EmulateViewport(width, 844))
		b.Sees("", over)
	}
	b.JS(`document.getElementById("text").value = ""; document.getElementById("text").dispatchEvent(new Event("input"))`)
	b.Sees("true", `document.getElementById("answers").hidden`)
	b.JS(`document.getElementById("example").value = "1"; document.getElementById("example").dispatchEvent(new Event("change"))`)
	b.Sees("true", `document.querySelector("#said").textContent.startsWith("tme9-simple ")`)
	b.Sees("", over)
}

// The page in a file is in French, too, without the user's own words. What layers of self-attention add, TestBrowserFrench shows.
func TestBrowserFrenchPage(t *testing.T) {
	p := &offline.Page{Title: "exp: models side by side", Version: "v1.2.3"}
	for _, words := range []string{"tme9-simple seed=1", "tme9-simple seed=2", "nbsvm"} {
		run, m := modelOf(t, words)
		p.Runs = append(p.Runs, onPage(run, m))
	}
	address := written(t, p)
	b := testbrowser.Open(t, 10*time.Minute)
	b.To(address + "#lang=fr")
	b.Sees("true", `document.body.hasAttribute("data-ready")`)
	b.Sees("exp\u00a0: des modèles côte à côte", `document.title`)
	b.Sees("tme9-simple adam vectors=random epochs=1, 2 graines", `document.querySelector("#answers h2").textContent`)
	b.Sees("le code d’exp (v1.2.3) compilé en WebAssembly", `/le code .* en WebAssembly/.exec(document.querySelector("#about").textContent)[0]`)
	b.French()
}

// A reader trains on the sample: the result has the bits of the command's metrics and its
// citation, and is in the table of runs. The page stays responsive, and a cancelled training
// leaves no trace.
func TestBrowserTrainsInPage(t *testing.T) {
	run, simple := modelOf(t, "tme9-simple")
	b := show(t, &offline.Page{Title: "exp: train", Version: "v1", Runs: []offline.Run{onPage(run, simple)}})
	b.Sees("tme9-simple", `document.querySelector("#experiment").value`)
	b.JS(`document.querySelector("#experiment").value = "tme9-lstm"; document.querySelector("#experiment").dispatchEvent(new Event("change"))`)
	b.Do(chromedp.Click(chromedp.CSS("#begin")))
	b.Sees("true", `document.querySelector("#done").value > 0.01`)
	b.Do(chromedp.Click(chromedp.CSS("#cancel")))
	b.Sees("Cancelled.", `document.querySelector("#told").textContent`)
	b.JS(`for (const [id, at, kind] of [["experiment", "tme9-values", "change"], ["lambda", 2, "input"], ["seed", 1, "input"]]) { const e = document.getElementById(id); e.value = at; e.dispatchEvent(new Event(kind)); }`)
	trainsInPage(t, &b.Page, "tme9-values", "lambda=0.003", "seed=2")
	b.Sees("7", `document.querySelectorAll("#looks tbody tr").length`)
	b.JS(`document.querySelector("#result button").click()`)
	b.Sees("2", `document.querySelectorAll("#answers section").length`)
	b.Accessible()
	if os.Getenv("EXP_LONG") != "" { // two minutes
		b.JS(`const e = document.getElementById("experiment"); e.value = "tme9-lstm"; e.dispatchEvent(new Event("change"))`)
		trainsInPage(t, &b.Page, "tme9-lstm")
		require.Equal(t, "imdbexp:tme9-lstm/ea46cb@67d9c939", b.Text(`document.querySelector("#cited").textContent`))
	}
}

// trainsInPage trains what the page has chosen, which is an experiment with some settings, and
// compares it with what the command trains.
func trainsInPage(t *testing.T, b *testbrowser.Page, wanted string, settings ...string) {
	t.Helper()
	b.JS(`document.querySelector("#begin").click()`)
	for rows := 1; rows <= 7; rows++ { // each may take as long as a browser is waited for
		b.Sees("true", fmt.Sprintf(`document.querySelectorAll("#looks tbody tr").length >= %d`, rows))
	}
	b.Sees("true", `document.querySelector("#cited") !== null`)
	run, _ := testmodel.Train(t, wanted, append([]string{"epochs=6", "data.limit=0", "vectors=auto"}, settings...)...)
	cited := must.Get(run.Citation())(t)
	require.Equal(t, cited.String(), b.Text(`document.querySelector("#cited").textContent`))
	metrics := must.Get(run.MetricsText())(t)
	require.Equal(t, string(metrics), b.Text(`document.querySelector("#metrics").textContent`))
}

// modelOf is the model of a small run of an experiment, for a page.
func modelOf(t testing.TB, words string) (*runs.Run, *infer.Trained) {
	t.Helper()
	if os.Getenv("EXP_CI") == "" {
		t.Skip("compiles inference to WebAssembly: EXP_CI=1 does")
	}
	w := strings.Fields(words)
	run, _ := testmodel.Train(t, w[0], w[1:]...)
	m := must.Get(infer.Read(run))(t)
	return run, m
}

// onPage is a run as a page has it.
func onPage(run *runs.Run, m *infer.Trained) offline.Run {
	r := offline.Run{Trained: m, Folder: run}
	if m.Table != nil {
		r.Of = len(m.Table.Words) - 1
	}
	return r
}

// show writes a page and opens it from the disk, as a reader does.
func show(t *testing.T, p *offline.Page) *testbrowser.Tab {
	t.Helper()
	address := written(t, p)
	b := testbrowser.Open(t, 30*time.Minute)
	b.To(address)
	b.Sees("true", `document.body.hasAttribute("data-ready")`)
	return b
}

// numbers has the page load the models of all its runs. It returns the number of each in the page's program, where
// they are in the order in which they were first asked.
func numbers(t *testing.T, p *offline.Page, b *testbrowser.Page) []int {
	t.Helper()
	b.JS(`document.getElementById("all").click()`)
	asked := func(n int, field string) string {
		return fmt.Sprintf(`imdbexp.ask(%d, '{"text": "the"}').%s`, n, field)
	}
	b.Sees("true", asked(len(p.Runs)-1, "error === undefined"))
	out := make([]int, len(p.Runs))
	for n := range p.Runs {
		var a ask.Answer
		require.NoError(t, json.Unmarshal([]byte(b.Text(asked(n, "value"))), &a))
		out[slices.IndexFunc(p.Runs, func(r offline.Run) bool { return r.Label() == a.Run })] = n
	}
	return out
}

// program is that of all pages, because to link it takes seconds.
var program = sync.OnceValues(func() (*offline.Program, error) { return offline.Find(background) })

// written writes a page and returns its address on the disk.
func written(t *testing.T, p *offline.Page) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "page.html")
	f := must.Get(os.Create(path))(t)
	require.NoError(t, p.Write(f, must.Get(program())(t)))
	require.NoError(t, f.Close())
	return "file://" + filepath.ToSlash(path)
}
