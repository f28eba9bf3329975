package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"

	"github.com/chromedp/cdproto/emulation"
	"github.com/chromedp/chromedp"
	"github.com/stretchr/testify/require"

	"imdbexp/cmd/exp/internal/web"
	"imdbexp/runs"
)

// Expressions on the page.
const (
	names    = `[...document.querySelectorAll("#runs tbody label")].map((l) => l.textContent.split(" ")[0]).join(" ")`
	runs3    = `document.querySelectorAll("#runs tbody tr").length`
	live     = `document.getElementById("live").textContent.split(";")[0]`
	said     = `document.getElementById("said").textContent.split(" (")[0]`
	focused  = `document.activeElement.id`
	ridges   = `document.querySelectorAll("#entropy path.ridge").length`
	compared = `[...document.querySelectorAll("#compare tbody th[scope=row]")].map((th) => th.textContent).join(", ")`
)

// points is how many epochs the first curve of a run on a split has.
func points(key, split string) string {
	return fmt.Sprintf(`document.querySelector('polyline.%s[data-run="%s"]')?.dataset.epochs`, split, key)
}

func TestBrowserTable(t *testing.T) {
	dir := t.TempDir()
	begin(t, dir, "tme9-mean", "optimizer=sgd").finish(70, 74.5)
	begin(t, dir, "tme9-lstm").finish(80, 82)
	begin(t, dir, "tme9-simple").epoch(60)
	s := start(t, dir)
	address, _ := serve(t, s)
	b := open(t)
	b.to(address)
	b.sees("live", live)
	b.sees("tme9-simple tme9-lstm tme9-mean", names)

	b.js(`document.querySelector("th[data-key=test_acc] a").click()`)
	b.sees("tme9-lstm tme9-mean tme9-simple", names)
	b.sees("descending", `document.querySelector("th[data-key=test_acc]").ariaSort`)
	b.js(`document.querySelector("th[data-key=test_acc] a").click()`)
	b.sees("tme9-simple tme9-mean tme9-lstm", names)
	b.sees("?sort=test_acc", `location.search.split("&")[0]`)
	for _, sort := range []string{"name", "-name", "optimizer", "-seed", "epoch", "state", "-test_loss", "started"} { // as the server sorts
		b.to(address + "/?sort=" + sort + "&run=")
		b.sees("live", live)
		var want []string
		for _, r := range s.Rows("sort=" + sort) {
			want = append(want, strings.Fields(r.Cells[0].Text)[0])
		}
		b.sees(strings.Join(want, " "), names)
	}
	b.do(chromedp.Focus("#filter"))
	b.keys("SGD tme9")
	b.sees("tme9-mean", names)
	b.sees("1 of 3 runs", `document.getElementById("count").textContent`)
	b.sees("SGD tme9", `new URLSearchParams(location.search).get("q")`)
}

// What a run commits is on the page without anybody's doing, and neither the focus
// nor the place is lost.
func TestBrowserLive(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "tme9-simple")
	w.epoch(60)
	address, _ := serve(t, start(t, dir))
	b := open(t)
	b.to(address)
	b.sees("1", points(w.key, "test"))
	b.sees("2", ridges)
	b.do(chromedp.Focus(`#runs tbody input`))
	w.epoch(65)
	b.sees("2", points(w.key, "test"))
	w.epoch(70)
	b.sees("3", points(w.key, "test"))
	b.sees("6", ridges)
	b.sees("70.00", `document.querySelector("#runs tbody tr").cells[9].textContent`)
	b.sees("run:"+w.key, focused)
	other := begin(t, dir, "tme9-lstm")
	b.sees("2", runs3)
	b.sees("run:"+w.key, focused)
	other.finish(80)
	w.finish()
	b.sees("finished", `document.querySelector('tr[data-key="`+w.key+`"]').cells[7].textContent`)
	b.sees("false", `document.querySelector(".empty:not([hidden])") !== null`)
}

// Runs are chosen by the keyboard alone, drawn and compared; a link restores all of
// it in another tab.
func TestBrowserCompareByKeyboard(t *testing.T) {
	dir := t.TempDir()
	one := begin(t, dir, "tme9-simple", "lr=0.5").finish(60, 70)
	two := begin(t, dir, "tme9-simple", "seed=2").finish(60, 72, 73)
	address, _ := serve(t, start(t, dir))
	b := open(t)
	b.to(address + "/?run=")
	b.sees("live", live)
	b.sees("0", `document.querySelectorAll("polyline").length`)
	b.do(chromedp.Focus("#filter"))
	for range 20 { // to the first box: past the head's links
		if b.keys("\t"); strings.HasPrefix(b.text(focused), "run:") {
			break
		}
	}
	b.sees("run:"+two.key, focused)
	b.sees("solid", `getComputedStyle(document.activeElement).outlineStyle`)
	b.keys(" \t ")
	b.sees("3", points(two.key, "test"))
	b.sees("2", points(one.key, "train"))
	b.sees("true", `[..."lr,seed".split(",")].every((name) => (`+compared+`).includes(name))`)
	b.sees("false", `(`+compared+`).includes("epochs")`)

	b.do(chromedp.Focus(".plot")) // values are read off by the arrow keys
	b.js(`document.querySelector(".plot").dispatchEvent(new KeyboardEvent("keydown", {key: "Home", bubbles: true}))`)
	b.sees("epoch 1", `document.querySelector(".readout b").textContent`)
	b.js(`document.querySelector("input[name=split][value=train]").click()`)
	b.sees("undefined", points(one.key, "train"))

	again := open(t)
	again.to(b.text("location.href"))
	again.sees("3", points(two.key, "test"))
	again.sees("undefined", points(one.key, "train"))
	again.sees("2", `document.querySelectorAll("#runs input:checked").length`)
	again.js(`document.getElementById("none").click()`)
	again.sees("0", `document.querySelectorAll("#runs input:checked").length`)
	again.sees("Choose runs in the table.", `document.querySelector("#compare").textContent`)
}

// A review is typed and answered; of self-attention layers, heads and words can be
// chosen; and a link asks the same again.
func TestBrowserAsk(t *testing.T) {
	dir := copyTrained(t)
	simple, self := keyOf(t, dir, "tme9-simple"), keyOf(t, dir, "tme10-cls")
	address, _ := serve(t, start(t, dir))
	b := open(t)
	b.to(address + "/?model=" + simple)
	b.sees("live", live)
	b.sees(simple, `document.getElementById("model").value`)
	b.do(chromedp.Focus("#text"))
	b.keys(`the film is not good <img src=x onerror=alert(1)> xyzzy`)
	b.sees("Predicted: ", said+`.slice(0, 11)`)
	b.sees("the film is not good <img src=x onerror=alert(1)> xyzzy", `document.querySelector("#answer .text").textContent`)
	b.sees("xyzzy", `[...document.querySelectorAll("#answer .unknown")].at(-1).textContent`)
	b.sees("2 4 8 16 32", `[...document.querySelectorAll("#answer .scale .word")].map((w) => w.textContent).join(" ")`)
	b.sees("0", `document.querySelectorAll("#answer img").length`)
	b.sees("10", `document.querySelectorAll(".largest tbody tr").length`)
	b.js(`document.getElementById("text").value += " \u202emlif\x9b"; document.getElementById("text").dispatchEvent(new Event("input"))`)
	b.sees("xyzzy \\u202emlif\\u009b", `document.querySelector("#answer .text").textContent.slice(-22)`)
	b.sees("true", `document.getElementById("layer-box").hidden`)

	b.js(`const m = document.getElementById("model"); m.value = %q; m.dispatchEvent(new Event("change"))`, self)
	b.sees("false", `document.getElementById("layer-box").hidden`)
	b.js(`const l = document.getElementById("layer"); l.value = "1"; l.dispatchEvent(new Event("change"))`)
	b.sees("true", `document.querySelector(".what").textContent.includes("layer 1 of 2")`)
	b.do(chromedp.Focus("#answer .text")) // the second word, by the keyboard
	for _, key := range []string{"ArrowRight", "ArrowRight", "Enter"} {
		b.js(`document.querySelector("#answer .text").dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true}))`, key)
	}
	b.sees("true", `document.querySelector(".what").textContent.includes('word 2, "film"')`)

	again := open(t)
	again.to(b.text("location.href"))
	again.sees("true", `document.querySelector(".what")?.textContent.includes('word 2, "film"')`)
	again.sees(b.text(said), said)
}

// Runs that translate cannot be asked about a review; where there are no others,
// nothing is.
func TestBrowserAskOfTranslations(t *testing.T) {
	dir := t.TempDir()
	begin(t, dir, "seq2seq-luong").epoch(60)
	address, _ := serve(t, start(t, dir))
	b := open(t)
	b.to(address)
	b.sees("live", live)
	b.sees("true", `document.getElementById("ask-box").hidden`)
	reviews := begin(t, dir, "tme9-simple")
	reviews.epoch(70)
	b.sees(reviews.key, `[...document.getElementById("model").options].map((o) => o.value).join(" ")`)
	b.sees("false", `document.getElementById("ask-box").hidden`)
}

// Their accuracy is called what it is, and exact match has a panel of its own.
func TestBrowserCurvesOfTranslations(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "seq2seq-luong")
	m := runs.Metrics{Epoch: 1, TestAcc: runs.Number(97), TestExact: runs.Number(60), TestBLEU: runs.Number(80)}
	require.NoError(t, w.Epoch(m, runs.Timing{Epoch: 1}, nil, &runs.Checkpoint{Epoch: 1}, false))
	address, _ := serve(t, start(t, dir))
	b := open(t)
	b.to(address)
	b.sees("Next words right (%), Exact match (%)", `[...document.querySelectorAll("#curves figure:not([hidden]) figcaption")].map((c) => c.textContent).join(", ")`)
}

// Without JavaScript there are tables, links that sort, and figures.
func TestBrowserWithoutScripts(t *testing.T) {
	dir := t.TempDir()
	begin(t, dir, "tme9-lstm").finish(80, 82)
	w := begin(t, dir, "tme9-simple").finish(60, 70)
	address, _ := serve(t, start(t, dir))
	b := open(t)
	_, err := chromedp.Call(b.ctx, emulation.SetScriptExecutionDisabled, emulation.SetScriptExecutionDisabledParams{Value: true})
	require.NoError(t, err)
	b.to(address + "/?sort=-test_acc&run=" + url.QueryEscape(w.key))
	b.sees("tme9-lstm tme9-simple", names)
	b.do(chromedp.ScrollIntoView("noscript img"))
	b.sees("true,true", `[...document.querySelectorAll("noscript img")].map((i) => i.complete && i.naturalWidth > 100)`)
	b.sees("true", `document.body.innerText.includes("70.00")`)
	b.sees("none", `getComputedStyle(document.getElementById("ask")).display`)
	b.do(chromedp.Click(`th[data-key=test_acc] a`))
	b.sees("tme9-simple tme9-lstm", names)
}

// On a phone nothing runs over the edge.
func TestBrowserPhone(t *testing.T) {
	dir := copyTrained(t)
	address, _ := serve(t, start(t, dir))
	b := open(t)
	b.do(chromedp.EmulateViewport(390, 844))
	query := url.Values{"run": {keyOf(t, dir, "tme9-simple"), keyOf(t, dir, "tme10-cls")}}
	b.to(address + "/?" + query.Encode() + "#text=" + url.QueryEscape("the film is good "+strings.Repeat("long", 60)))
	b.sees("Predicted: ", said+`.slice(0, 11)`)
	b.sees("1", points(keyOf(t, dir, "tme10-cls"), "test"))
	b.sees("true", `document.documentElement.scrollWidth <= 390`)

	shown := `[...document.querySelectorAll("#runs thead th[data-key]")].filter((th) => th.offsetParent).length`
	b.sees("2", shown)
	b.do(chromedp.Click("#wider"))
	b.sees(fmt.Sprint(len(web.Columns)), shown)
	b.sees("true", `document.documentElement.scrollWidth <= 390`)
	b.js(`document.querySelector(".scroll").scrollLeft = 400`)
	b.sees("true", `document.querySelector("#runs tbody th").getBoundingClientRect().left >= 0`)
}

// A folder of more runs than a page has: the server turns, filters and sorts the pages, and a
// chosen run stays on the curves wherever its row is.
func TestBrowserPages(t *testing.T) {
	dir := t.TempDir()
	oldest := begin(t, dir, "tme9-lstm").finish(70, 75)
	copies(t, dir, begin(t, dir, "tme9-simple").finish(60).key, web.PageRows+10)
	s := start(t, dir)
	address, _ := serve(t, s)
	b := open(t)
	b.to(address + "/?run=" + oldest.key)
	b.sees("live", live)
	b.sees(fmt.Sprint(web.PageRows), runs3)
	count := `document.getElementById("count").textContent`
	b.sees("1–200 of 212 runs", count)
	b.sees("2", points(oldest.key, "test"))
	b.sees("true", `getComputedStyle(document.querySelector("#pages a:not([href])")).opacity < getComputedStyle(document.querySelector("#pages a[href]")).opacity`)
	b.js(`document.querySelector("#runs").parentElement.scrollTop = 1000; document.querySelector("#pages a[rel=next]").click()`)
	b.sees("201–212 of 212 runs", count)
	b.sees("12", runs3)
	b.sees("0", `document.querySelector("#runs").parentElement.scrollTop`)
	b.sees("?page=2", `location.search.split("&")[0]`)
	b.sees("false true", `[...document.querySelectorAll("#pages a")].map((a) => !a.href).join(" ")`)
	b.do(chromedp.Focus("#filter"))
	b.keys("lstm")
	b.sees("1 of 212 runs", count)
	b.sees("tme9-lstm", names)
	b.sees("2", points(oldest.key, "test"))
}
