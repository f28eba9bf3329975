package web_test

import (
	"fmt"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/chromedp/chromedp"

	"imdbexp/internal/testkit/testbrowser"
)

// Expressions on the page.
const (
	names    = `[...document.querySelectorAll("#runs tbody label")].map((l) => l.textContent.split(" ")[0]).join(" ")`
	runs3    = `document.querySelectorAll("#runs tbody tr").length`
	live     = `document.getElementById("state").textContent.split(";")[0]`
	said     = `document.getElementById("said").textContent.split(" (")[0]`
	focused  = `document.activeElement.id`
	ridges   = `document.querySelectorAll("#entropy path.ridge").length`
	compared = `[...document.querySelectorAll("#compare tbody th[scope=row]")].map((th) => th.textContent).join(", ")`
)

// points is how many epochs the first curve of a run on a split has.
func points(key, split string) string {
	return fmt.Sprintf(`document.querySelector('polyline.%s[data-run="%s"]')?.dataset.epochs`, split, key)
}

// The page shows what a run commits without a reload, and keeps the focus and the scroll
// position.
func TestBrowserLive(t *testing.T) {
	dir := t.TempDir()
	w := begin(t, dir, "tme9-simple")
	w.epoch(60)
	address, _ := serve(t, start(t, dir))
	b := testbrowser.Open(t, 2*time.Minute)
	b.To(address)
	b.Sees("1", points(w.key, "test"))
	b.Sees("2", ridges)
	b.Do(chromedp.Focus(`#runs tbody input`))
	w.epoch(65)
	b.Sees("2", points(w.key, "test"))
	w.epoch(70)
	b.Sees("3", points(w.key, "test"))
	b.Sees("6", ridges)
	b.Sees("70.00", `document.querySelector("#runs tbody tr").cells[9].textContent`)
	b.Sees("run:"+w.key, focused)
	other := begin(t, dir, "tme9-lstm")
	b.Sees("2", runs3)
	b.Sees("run:"+w.key, focused)
	other.finish(80)
	w.finish()
	b.Sees("finished", `document.querySelector('tr[data-key="`+w.key+`"]').cells[7].textContent`)
	b.Sees("false", `document.querySelector(".empty:not([hidden])") !== null`)
}

// The table is sorted and filtered. Runs are chosen by the keyboard alone, drawn and compared; a link restores all of
// it in another tab.
func TestBrowserTable(t *testing.T) {
	dir := t.TempDir()
	begin(t, dir, "tme9-mean", "optimizer=sgd").epoch(75)
	one := begin(t, dir, "tme9-simple", "lr=0.5").finish(60, 70)
	two := begin(t, dir, "tme9-lstm", "seed=2").finish(60, 72, 73)
	address, _ := serve(t, start(t, dir))
	b := testbrowser.Open(t, 2*time.Minute)
	b.To(address + "/#run=")
	b.Sees("live", live)
	b.Sees("0", `document.querySelectorAll("polyline").length`)
	b.Sees("tme9-lstm tme9-simple tme9-mean", names)
	b.JS(`document.querySelector("th[data-key=test_acc] button").click()`)
	b.Sees("tme9-mean tme9-lstm tme9-simple", names)
	b.Sees("descending", `document.querySelector("th[data-key=test_acc]").ariaSort`)
	b.JS(`document.querySelector("th[data-key=test_acc] button").click()`)
	b.Sees("tme9-simple tme9-lstm tme9-mean", names)
	b.Sees("sort=test_acc", `location.hash.slice(1).split("&").find((p) => p.startsWith("sort"))`)
	b.Do(chromedp.Focus("#filter"))
	b.Keys("SGD tme9")
	b.Sees("tme9-mean", names)
	b.Sees("1 of 3 runs", `document.getElementById("count").textContent`)
	b.Sees("SGD tme9", `new URLSearchParams(location.hash.slice(1)).get("q")`)
	b.JS(`const f = document.getElementById("filter"); f.value = ""; f.dispatchEvent(new Event("input"))`)
	b.Do(chromedp.Focus("#filter"))
	for range 20 { // to the first box: past the head's links
		if b.Keys("\t"); strings.HasPrefix(b.Text(focused), "run:") {
			break
		}
	}
	b.Sees("run:"+one.key, focused)
	b.Sees("solid", `getComputedStyle(document.activeElement).outlineStyle`)
	b.Keys(" \t ") // the second one is tme9-lstm
	b.Sees("3", points(two.key, "test"))
	b.Sees("2", points(one.key, "train"))
	b.Sees("true", `[..."lr,seed".split(",")].every((name) => (`+compared+`).includes(name))`)
	b.Sees("false", `(`+compared+`).includes("epochs")`)

	b.Do(chromedp.Focus(".plot")) // values are read off by the arrow keys
	b.JS(`document.querySelector(".plot").dispatchEvent(new KeyboardEvent("keydown", {key: "Home", bubbles: true}))`)
	b.Sees("epoch 1", `document.querySelector(".readout b").textContent`)
	b.JS(`document.querySelector("input[name=split][value=train]").click()`)
	b.Sees("undefined", points(one.key, "train"))

	again := testbrowser.Open(t, 2*time.Minute)
	again.To(b.Text("location.href"))
	again.Sees("3", points(two.key, "test"))
	again.Sees("undefined", points(one.key, "train"))
	again.Sees("2", `document.querySelectorAll("#runs input:checked").length`)
	again.JS(`document.getElementById("none").click()`)
	again.Sees("0", `document.querySelectorAll("#runs input:checked").length`)
	again.Sees("Choose runs in the table.", `document.querySelector("#compare").textContent`)
}

// A review is typed and answered; of self-attention layers, heads and words can be
// chosen; and a link asks the same again.
func TestBrowserAsk(t *testing.T) {
	dir := copyTrained(t)
	simple, self := keyOf(t, dir, "tme9-simple"), keyOf(t, dir, "tme10-cls")
	address, _ := serve(t, start(t, dir))
	b := testbrowser.Open(t, 10*time.Minute) // it types
	b.To(address + "/#run=" + simple)
	b.Sees("live", live)
	b.Sees("true", `document.querySelector("#text").value.length > 40`) // an example
	b.JS(`document.querySelector("#example").value = ""; document.querySelector("#example").dispatchEvent(new Event("change"))`)
	b.Keys(`the film is not good <img src=x onerror=alert(1)> xyzzy`)
	b.Sees("Predicted: ", said+`.slice(0, 11)`)
	b.Sees("the film is not good <img src=x onerror=alert(1)> xyzzy", `document.querySelector("#answers .text").textContent`)
	b.Sees("xyzzy", `[...document.querySelectorAll("#answers .unknown")].at(-1).textContent`)
	b.Sees("true", `document.querySelector("#toy strong").textContent.includes("a toy grammar")`)
	b.Sees("true", `document.querySelector("#toy").textContent.includes("xyzzy")`)
	b.Sees("2 4 8 16 32", `[...document.querySelectorAll("#answers .scale .word")].map((w) => w.textContent).join(" ")`)
	b.Sees("0", `document.querySelectorAll("#answers img").length`)
	b.Sees("10", `document.querySelectorAll(".largest tbody tr").length`)
	b.JS(`document.getElementById("text").value += " \u202emlif\x9b"; document.getElementById("text").dispatchEvent(new Event("input"))`)
	b.Sees("xyzzy \\u202emlif\\u009b", `document.querySelector("#answers .text").textContent.slice(-22)`)
	b.Sees("true", `document.querySelector("[data-focus=layer]") === null`)
	const by = `const by = document.querySelector("[data-focus=by]"); by.value = %q; by.dispatchEvent(new Event("change"))`
	b.JS(by, "gradient")
	b.Sees("true", `document.querySelector("#answers .what").textContent.startsWith("Shaded: gradient × input. ")`)
	b.Sees("for neg, for pos", `[...document.querySelectorAll("#answers .side")].map((s) => s.lastChild.textContent).sort().join(", ")`)
	b.JS(by, "")
	b.Sees("0", `document.querySelectorAll("#answers .side").length`)

	b.JS(`location.hash = "run=" + %q + "&text=the film is not good"`, self)
	b.Sees("true", `document.querySelector("#answers h2").textContent.startsWith("tme10-cls")`)
	b.Sees("false", `document.querySelector("[data-focus=layer]") === null`)
	b.JS(`const l = document.querySelector("[data-focus=layer]"); l.value = "1"; l.dispatchEvent(new Event("change"))`)
	b.Sees("true", `document.querySelector(".what").textContent.includes("layer 1 of 2")`)
	b.Do(chromedp.Focus("#answers .text")) // the second word, by the keyboard
	for _, key := range []string{"ArrowRight", "ArrowRight", "Enter"} {
		b.JS(`document.querySelector("#answers .text").dispatchEvent(new KeyboardEvent("keydown", {key: %q, bubbles: true}))`, key)
	}
	b.Sees("true", `document.querySelector(".what").textContent.includes('word 2, "film"')`)

	again := testbrowser.Open(t, 2*time.Minute)
	again.To(b.Text("location.href"))
	again.Sees("true", `document.querySelector(".what")?.textContent.includes('word 2, "film"')`)
	again.Sees(b.Text(said), said)

	b.JS(`document.querySelector("#answers .text").dispatchEvent(new KeyboardEvent("keydown", {key: "Delete", bubbles: true}))`) // the keys go on where they were
	b.Sees("film", `document.querySelector("#answers .gone").textContent`)
	b.Do(chromedp.Focus("#answers .gone"))
	b.Keys("\r")
	b.Sees("0 text", `document.querySelectorAll("#answers .gone").length + " " + document.activeElement.className`)
	b.Do(chromedp.Click("[data-focus=looking]")) // where there is no Shift key
	b.Sees("true", `document.activeElement.ariaPressed`)
	b.Do(chromedp.Click("#answers .text .word[data-word='3']"))
	b.Sees("true", `document.querySelector(".what").textContent.includes('word 3, "is"')`)
}

// Runs answer next to each other; removing a word changes the predictions of each, and a link
// restores the runs.
func TestBrowserAskSeveral(t *testing.T) {
	dir := copyTrained(t)
	simple, self, counted := keyOf(t, dir, "tme9-simple"), keyOf(t, dir, "tme10-cls"), keyOf(t, dir, "nbsvm")
	address, _ := serve(t, start(t, dir))
	b := testbrowser.Open(t, 2*time.Minute)
	b.To(address + "/#run=" + simple + "&text=not+a+good+film")
	b.Sees("Predicted: ", said+`.slice(0, 11)`)
	for _, key := range []string{self, counted} {
		b.JS(`const e = document.getElementById("add"); e.value = %q; e.dispatchEvent(new Event("change"))`, key)
	}
	b.Sees("tme9-simple tme10-cls nbsvm", `[...document.querySelectorAll("#answers h2")].map((e) => e.textContent.split(" ")[0]).join(" ")`)
	b.Sees("3", `document.querySelectorAll("#answers .text").length`)
	b.Sees("false", `[...document.getElementById("add").options].some((o) => o.value.startsWith("seq2seq"))`)
	b.Sees("true", `/^tme9-simple .*: .*; tme10-cls .*: .*; nbsvm/.test(document.getElementById("said").textContent)`)
	b.Do(chromedp.Click("#answers section:nth-child(1) .word[data-word='3']"))
	b.Sees("good good good", `[...document.querySelectorAll("#answers .gone")].map((g) => g.textContent).join(" ")`)
	b.Sees("6", `document.querySelectorAll("#answers .by").length`)
	b.JS(`document.querySelector("#answers section:nth-child(1) .text").dispatchEvent(new KeyboardEvent("keydown", {key: "ArrowRight", bubbles: true}))`)
	b.JS(`document.querySelector("#answers section:nth-child(1) .text").dispatchEvent(new KeyboardEvent("keydown", {key: "Delete", bubbles: true}))`)
	b.Sees("6", `document.querySelectorAll("#answers .gone").length`)
	b.Sees("Without “not”, “good”: tme9-simple", `document.getElementById("said").textContent.slice(0, 34)`)
	b.Accessible()
	b.Do(chromedp.Click("#back"))
	b.Sees("0", `document.querySelectorAll("#answers .gone").length`)
	b.Sees("text", `document.activeElement.className`)
	b.JS(`document.querySelectorAll("#answers .remove")[1].click()`)
	b.Sees("tme9-simple nbsvm", `[...document.querySelectorAll("#answers h2")].map((e) => e.textContent.split(" ")[0]).join(" ")`)
	b.Sees("add", focused)
	again := testbrowser.Open(t, 2*time.Minute)
	again.To(b.Text("location.href"))
	again.Sees(b.Text(`document.getElementById("said").textContent`), `document.getElementById("said").textContent`)
	again.Do(chromedp.EmulateViewport(390, 844))
	visible := `[...document.querySelectorAll("#answers section")].filter((s) => s.checkVisibility()).map((s) => s.querySelector("h2").textContent.split(" ")[0]).join()`
	again.Sees("tme9-simple", visible)
	again.Do(chromedp.Click("#tabs button:nth-child(2)"))
	again.Sees("nbsvm", visible)
}

// A run that translates is asked for a translation; its numbers and how it looked are there,
// and another run asks about a review again.
func TestBrowserAskOfTranslations(t *testing.T) {
	dir := copyTrained(t)
	key := keyOf(t, dir, "seq2seq-transformer")
	address, _ := serve(t, start(t, dir))
	b := testbrowser.Open(t, 2*time.Minute)
	b.To(address + "/#run=" + key + "&text=the+red+xyzzy")
	b.Sees("Translated: ", `document.getElementById("said").textContent.slice(0, 12)`)
	b.Sees("Sentence", `document.getElementById("what").textContent`)
	b.Sees("true", `document.querySelectorAll(".matrix tbody tr").length === document.querySelectorAll(".translated button").length`)
	b.Do(chromedp.Click("#answers [data-focus=word0]"))
	b.Sees("true", `document.querySelector("#answers .what").textContent.startsWith("Shaded: the attention")`)
	b.Sees("word0", `document.activeElement.dataset.focus`)
	b.JS(`document.querySelector("[data-focus=steps]").click()`)
	b.Sees("true", `document.querySelector(".steps .bar span").textContent.startsWith("Word 1 of ")`)
	b.JS(`location.hash = "text=a good film&run=" + %q`, keyOf(t, dir, "tme9-simple"))
	b.Sees("Predicted: ", said+`.slice(0, 11)`)
	b.Sees("Review", `document.getElementById("what").textContent`)
	b.JS(`document.querySelector("[data-focus=flip]").click()`)
	b.Sees("true", `/^(Without .* the answer is|No change of words)/.test(document.querySelector("#answers .note").textContent)`)
}

// A folder without runs says so, and asks about nothing.
func TestBrowserEmpty(t *testing.T) {
	address, _ := serve(t, start(t, t.TempDir()))
	b := testbrowser.Open(t, 2*time.Minute)
	b.To(address)
	b.Sees("live", live)
	b.Sees("Choose runs in the table.", `document.querySelector("#curves").innerText.trim()`)
	b.Sees("true No run of the folder can be asked yet.", `document.getElementById("ask").hidden + " " + document.getElementById("none-asked").textContent`)
	b.Accessible()
}

// On a phone nothing runs over the edge.
func TestBrowserPhone(t *testing.T) {
	dir := copyTrained(t)
	address, _ := serve(t, start(t, dir))
	b := testbrowser.Open(t, 2*time.Minute)
	b.Do(chromedp.EmulateViewport(390, 844))
	query := url.Values{"run": {keyOf(t, dir, "tme9-simple"), keyOf(t, dir, "tme10-cls")}, "text": {"the film is good " + strings.Repeat("long", 60)}}
	b.To(address + "/#" + query.Encode())
	b.Sees("true", `document.getElementById("said").textContent.startsWith("tme9-simple")`)
	b.Sees("1", points(keyOf(t, dir, "tme10-cls"), "test"))
	shown := `[...document.querySelectorAll("#runs thead th[data-key]")].filter((th) => th.offsetParent).length`
	b.Sees("2", shown)
	b.Do(chromedp.Click(chromedp.CSS("#wider")))
	b.Sees("13", shown)
	b.Sees("true", `document.documentElement.scrollWidth <= 390`)
	b.JS(`document.querySelector("#runs").parentElement.scrollLeft = 400`)
	b.Sees("true", `document.querySelector("#runs tbody th").getBoundingClientRect().left >= 0`)
}

// Without a link the page asks the best model with attention and the mean about an example. Of
// many runs the table shows the first 200.
func TestBrowserFirstImpression(t *testing.T) {
	dir := copyTrained(t)
	copies(t, dir, begin(t, dir, "tme9-mean", "test=last").key, 210)
	address, _ := serve(t, start(t, dir))
	b := testbrowser.Open(t, 2*time.Minute)
	b.To(address)
	b.Sees("live", live)
	b.Sees("true", `document.querySelector("#said").textContent.length > 10`)
	b.Sees("true", `/^tme/.test(document.querySelector("#answers h2").textContent)`)
	b.Sees("200 Show 15 more", runs3+` + " " + document.querySelector("#rest").textContent`)
	b.Do(chromedp.Click("#rest"))
	b.Sees("215", runs3)
	b.JS(`document.querySelector("header nav a[href='#runs-head']").click()`)
	b.Sees("runs-head", focused)
	b.JS(`window.fetch = () => Promise.reject(new TypeError("Failed to fetch")); document.querySelector("#example").value = "4"; document.querySelector("#example").dispatchEvent(new Event("change"))`)
	b.Sees("The server does not answer: exp serve has ended or cannot be reached.", `document.querySelector("#answers .note").textContent`)
}
